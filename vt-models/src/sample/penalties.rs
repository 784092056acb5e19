//! Penalties on tokens that came before: repetition (Keskar and others: CTRL, 2019, with llama.cpp's rule for logits
//! that are not positive), presence and frequency (as in OpenAI's interface).

use std::collections::VecDeque;

use super::candidates::Candidates;
use super::error::{SampleError, setting};
use super::processor::LogitsProcessor;

/// The most places that are reserved for recent tokens; more recent tokens than these take memory as they come.
const RESERVED: usize = 1 << 16;

/// Lowers the logits of recent tokens. A token that was accepted n > 0 times among the last ones gets
/// `logit / repeat`, or `logit * repeat` if its logit is not positive, and then `- n * frequency - presence`.
#[derive(Debug, Clone)]
pub struct Penalties {
    last_n: usize,
    repeat: f64,
    presence: f64,
    frequency: f64,
    recent: VecDeque<u32>,
    /// How often each recent token is among them, in the order of ids.
    counts: Vec<(u32, usize)>,
}

impl Penalties {
    /// Penalties on the last `last_n` tokens, of which none is penalized by `repeat` 1, `presence` 0 and `frequency` 0.
    ///
    /// # Errors
    /// If `repeat` is not finite and above 0, or another one not finite.
    pub fn new(last_n: usize, repeat: f32, presence: f32, frequency: f32) -> Result<Self, SampleError> {
        let repeat = setting("repeat-penalty", repeat, "finite and above 0", |r| r.is_finite() && r > 0.0)?;
        let presence = setting("presence-penalty", presence, "finite", f32::is_finite)?;
        let frequency = setting("frequency-penalty", frequency, "finite", f32::is_finite)?;
        let penalties = Self {
            last_n,
            repeat: repeat.into(),
            presence: presence.into(),
            frequency: frequency.into(),
            recent: VecDeque::new(),
            counts: Vec::new(),
        };
        let reserved = if penalties.is_active() { last_n.min(RESERVED) } else { 0 };
        Ok(Self { recent: VecDeque::with_capacity(reserved), counts: Vec::with_capacity(reserved), ..penalties })
    }

    /// Whether a recent token's logit can change.
    pub fn is_active(&self) -> bool {
        self.last_n > 0 && (self.repeat != 1.0 || self.presence != 0.0 || self.frequency != 0.0)
    }

    fn add(&mut self, token: u32) {
        self.recent.push_back(token);
        match self.counts.binary_search_by_key(&token, |(id, _)| *id) {
            Ok(place) => self.counts[place].1 += 1,
            Err(place) => self.counts.insert(place, (token, 1)),
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.recent.pop_front();
        let Some(Ok(place)) = oldest.map(|token| self.counts.binary_search_by_key(&token, |(id, _)| *id)) else {
            return;
        };
        self.counts[place].1 -= 1;
        if self.counts[place].1 == 0 {
            self.counts.remove(place);
        }
    }
}

impl LogitsProcessor for Penalties {
    fn process(&mut self, candidates: &mut Candidates) {
        for (id, count) in &self.counts {
            if let Some(candidate) = candidates.get_mut(*id) {
                let logit = candidate.logit;
                let repeated = if logit > 0.0 { logit / self.repeat } else { logit * self.repeat };
                candidate.logit = repeated - (*count as f64 * self.frequency + self.presence);
            }
        }
    }

    fn accept(&mut self, token: u32) {
        if !self.is_active() {
            return;
        }
        if self.recent.len() == self.last_n {
            self.forget_oldest();
        }
        self.add(token);
    }
}
