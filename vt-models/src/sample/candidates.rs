//! The tokens that may still be chosen.

use std::cmp::Ordering;

use super::error::SampleError;
use super::exp::exp;

/// A token that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The token.
    pub id: u32,
    /// The logarithm of its probability up to a common term. Minus infinity excludes it.
    pub logit: f64,
}

impl Candidate {
    /// The larger logit first, among equals the lower id: no two candidates are equal.
    pub fn order(&self, other: &Self) -> Ordering {
        // Adding zero makes one zero of the two, which total_cmp would tell apart.
        (other.logit + 0.0).total_cmp(&(self.logit + 0.0)).then(self.id.cmp(&other.id))
    }
}

/// The candidates. They start as all tokens in the order of their ids; [processors](super::LogitsProcessor) change,
/// reorder and remove them. The memory for the whole vocabulary is reserved once.
#[derive(Debug, Clone)]
pub struct Candidates {
    vocab_size: usize,
    list: Vec<Candidate>,
}

impl Candidates {
    pub(super) fn new(vocab_size: usize) -> Result<Self, SampleError> {
        if vocab_size == 0 || u32::try_from(vocab_size).is_err() {
            return Err(SampleError::VocabularySize { size: vocab_size });
        }
        Ok(Self { vocab_size, list: Vec::with_capacity(vocab_size) })
    }

    pub(super) fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    /// Starts with all tokens.
    pub(super) fn load(&mut self, logits: &[f32]) {
        self.list.clear();
        self.list.extend((0..).zip(logits).map(|(id, &logit)| Candidate { id, logit: f64::from(logit) }));
    }

    /// Fails if a logit is NaN or plus infinity.
    pub(super) fn check(&self) -> Result<(), SampleError> {
        match self.list.iter().find(|candidate| candidate.logit.is_nan() || candidate.logit == f64::INFINITY) {
            Some(&Candidate { id, logit }) => Err(SampleError::BadLogit { token: id, value: logit as f32 }),
            None => Ok(()),
        }
    }

    /// The candidates.
    pub fn list(&self) -> &[Candidate] {
        &self.list
    }

    /// The candidates, to be changed or reordered. Probabilities are summed in their order, so it must not depend on the
    /// machine: [`Candidate::order`] is total.
    pub fn list_mut(&mut self) -> &mut [Candidate] {
        &mut self.list
    }

    /// The candidate of a token, if it still is one.
    ///
    /// As long as nothing is reordered or removed this looks at one place, otherwise it searches.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Candidate> {
        let place = usize::try_from(id).ok().filter(|place| self.list.get(*place).is_some_and(|found| found.id == id));
        let place = place.or_else(|| self.list.iter().position(|candidate| candidate.id == id))?;
        self.list.get_mut(place)
    }

    /// The largest logit; minus infinity if there is no candidate.
    pub fn largest(&self) -> f64 {
        self.list.iter().map(|candidate| candidate.logit).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The candidates' probabilities up to a common factor: e to the power of each logit's distance from the largest,
    /// which itself has weight 1.
    pub fn weights(&self) -> impl Iterator<Item = f64> {
        let largest = self.largest();
        self.list.iter().map(move |candidate| exp(candidate.logit - largest))
    }

    /// Keeps the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Keeps those that are `wanted`, in their order.
    pub fn retain(&mut self, wanted: impl FnMut(&Candidate) -> bool) {
        self.list.retain(wanted);
    }
}
