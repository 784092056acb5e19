//! What a chain is made of.

use std::fmt::Debug;

use super::candidates::Candidates;

/// A member of a chain of samplers: it changes logits, or removes candidates.
///
/// ```
/// use vt_models::sample::{Candidates, LogitsProcessor, Sampler, SamplerConfig};
///
/// /// Never the same token twice in a row.
/// #[derive(Debug, Default)]
/// struct NoStutter {
///     last: Option<u32>,
/// }
///
/// impl LogitsProcessor for NoStutter {
///     fn process(&mut self, candidates: &mut Candidates) {
///         candidates.retain(|candidate| Some(candidate.id) != self.last);
///     }
///
///     fn accept(&mut self, token: u32) {
///         self.last = Some(token);
///     }
/// }
///
/// let config = SamplerConfig::greedy();
/// let mut chain = config.processors()?;
/// chain.push(Box::new(NoStutter::default()));
/// let mut sampler = Sampler::with_chain(chain, config.selection(), 3)?;
/// sampler.accept(1);
/// assert_eq!(sampler.sample(&[0.0, 2.0, 1.0])?, 2);
/// # Ok::<(), vt_models::sample::SampleError>(())
/// ```
pub trait LogitsProcessor: Debug + Send {
    /// Changes or removes candidates. Logits must stay finite, or become minus infinity. To keep results equal on all
    /// machines, it uses nothing but additions, multiplications, divisions and square roots.
    fn process(&mut self, candidates: &mut Candidates);

    /// Learns of a token of the prompt, or one that was chosen.
    fn accept(&mut self, token: u32) {
        let _ = token;
    }
}
