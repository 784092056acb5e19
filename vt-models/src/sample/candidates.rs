//! The tokens that may still be chosen.

use std::cmp::Ordering;

use super::error::SampleError;
use super::exp::exp;

/// A token that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) id: u32,
    pub(super) logit: f32,
    /// Its probability up to a common factor: e to the power of its distance from the largest logit.
    pub(super) weight: f64,
}

impl Candidate {
    /// The larger logit first, among equals the lower id: no two candidates are equal.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other.logit.total_cmp(&self.logit).then(self.id.cmp(&other.id))
    }
}

/// The candidates, in memory for the whole vocabulary.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    vocab_size: usize,
    list: Vec<Candidate>,
    /// The largest logit; no sampler removes it.
    largest: f32,
}

impl Candidates {
    pub(super) fn new(vocab_size: usize) -> Result<Self, SampleError> {
        if vocab_size == 0 || u32::try_from(vocab_size).is_err() {
            return Err(SampleError::VocabularySize { size: vocab_size });
        }
        Ok(Self { vocab_size, list: Vec::with_capacity(vocab_size), largest: f32::NEG_INFINITY })
    }

    /// Fails unless there is one logit per token, none of them NaN or plus infinity.
    pub(super) fn check(&self, logits: &[f32]) -> Result<(), SampleError> {
        if logits.len() != self.vocab_size {
            return Err(SampleError::LogitCount { got: logits.len(), expected: self.vocab_size });
        }
        match (0..).zip(logits).find(|(_, value)| value.is_nan() || **value == f32::INFINITY) {
            Some((token, &value)) => Err(SampleError::BadLogit { token, value }),
            None => Ok(()),
        }
    }

    /// Starts with all tokens whose logit is not minus infinity, in the order of their ids, without weights.
    pub(super) fn load(&mut self, logits: &[f32]) -> Result<(), SampleError> {
        self.check(logits)?;
        self.largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if self.largest == f32::NEG_INFINITY {
            return Err(SampleError::NothingToSample);
        }
        self.list.clear();
        let possible = (0..).zip(logits.iter().copied()).filter(|&(_, logit)| logit > f32::NEG_INFINITY);
        // Adding zero makes one zero of the two, which order would tell apart.
        self.list.extend(possible.map(|(id, logit)| Candidate { id, logit: logit + 0.0, weight: 0.0 }));
        Ok(())
    }

    /// Computes the weights at a temperature.
    pub(super) fn weigh(&mut self, temperature: f32) {
        for candidate in &mut self.list {
            let distance = f64::from(candidate.logit) - f64::from(self.largest);
            candidate.weight = exp(distance / f64::from(temperature));
        }
    }

    pub(super) fn list(&self) -> &[Candidate] {
        &self.list
    }

    pub(super) fn list_mut(&mut self) -> &mut [Candidate] {
        &mut self.list
    }

    /// Keeps the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    /// Keeps those that are `wanted`.
    pub(super) fn retain(&mut self, wanted: impl Fn(&Candidate) -> bool) {
        self.list.retain(wanted);
    }
}
