//! The chain at work.

use super::candidates::Candidates;
use super::selection::{Selection, Selector, largest};
use super::{LogitsProcessor, SampleError, SamplerConfig};

/// Chooses tokens. All its memory is reserved when it is made.
#[derive(Debug)]
pub struct Sampler {
    chain: Vec<Box<dyn LogitsProcessor>>,
    selector: Selector,
    pub(super) candidates: Candidates,
}

impl Sampler {
    /// The default chain for logits of `vocab_size` tokens.
    ///
    /// # Errors
    /// A setting out of its range, a bias for a token that there is not, or a vocabulary that is empty or larger than
    /// 32-bit ids can name.
    pub fn new(config: &SamplerConfig, vocab_size: usize) -> Result<Self, SampleError> {
        let outside = |id: &u32| usize::try_from(*id).map_or(true, |id| id >= vocab_size);
        let sampler = Self::with_chain(config.processors()?, config.selection(), vocab_size)?;
        match config.logit_bias.iter().map(|(id, _)| *id).find(outside) {
            Some(token) => Err(SampleError::BiasToken { token, vocab_size }),
            None => Ok(sampler),
        }
    }

    /// A chain of one's own, in the order in which it is applied, for logits of `vocab_size` tokens.
    ///
    /// ```
    /// use vt_models::sample::{Sampler, Selection, Temperature, TopP};
    ///
    /// // Unlike the default chain: the nucleus is that of the flattened probabilities.
    /// let chain: Vec<Box<dyn vt_models::sample::LogitsProcessor>> =
    ///     vec![Box::new(Temperature::new(1.5)?), Box::new(TopP::new(0.9)?)];
    /// let mut sampler = Sampler::with_chain(chain, Selection::Draw { seed: 1 }, 3)?;
    /// assert!(sampler.sample(&[0.0, 2.0, 1.0])? < 3);
    /// # Ok::<(), vt_models::sample::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// A vocabulary that is empty or larger than 32-bit ids can name.
    pub fn with_chain(
        chain: Vec<Box<dyn LogitsProcessor>>,
        selection: Selection,
        vocab_size: usize,
    ) -> Result<Self, SampleError> {
        let candidates = Candidates::new(vocab_size)?;
        Ok(Self { chain, selector: Selector::new(selection, vocab_size), candidates })
    }

    /// Tells the chain of a token of the prompt, or one that was chosen: [`Sampler::sample`] does not, as not every
    /// chosen token need be used.
    pub fn accept(&mut self, token: u32) {
        self.chain.iter_mut().for_each(|processor| processor.accept(token));
    }

    /// Chooses a token by its logit, one per token of the vocabulary. A logit of minus infinity excludes its token.
    /// Allocates nothing.
    ///
    /// # Errors
    /// Logits of another number, NaN or plus infinity among them, or no token left to choose. No random number is
    /// used up then.
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, SampleError> {
        self.check(logits)?;
        if self.chain.is_empty() && matches!(self.selector, Selector::Largest) {
            return largest(logits).ok_or(SampleError::NothingToSample);
        }
        self.candidates.load(logits);
        self.chain.iter_mut().for_each(|processor| processor.process(&mut self.candidates));
        self.candidates.check()?;
        self.selector.select(&self.candidates).ok_or(SampleError::NothingToSample)
    }

    /// Fails unless there is one logit per token, none of them NaN or plus infinity.
    fn check(&self, logits: &[f32]) -> Result<(), SampleError> {
        let expected = self.candidates.vocab_size();
        if logits.len() != expected {
            return Err(SampleError::LogitCount { got: logits.len(), expected });
        }
        match (0..).zip(logits).find(|(_, value)| value.is_nan() || **value == f32::INFINITY) {
            Some((token, &value)) => Err(SampleError::BadLogit { token, value }),
            None => Ok(()),
        }
    }
}
