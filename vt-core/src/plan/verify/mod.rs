//! Checking a finished plan, without trusting how it was made.

mod area;
mod checker;
mod held;
#[cfg(test)]
mod tests;

use std::fmt;

use checker::Checker;

use super::plan::Plan;
use crate::Sizes;

/// A rule that a plan must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// No two values that are still needed have a byte in common, the copies of workers included.
    Overlap,
    /// A worker reads what was written in an earlier epoch, or by itself.
    Written,
    /// What a worker writes in an epoch no other worker reads or writes in it.
    Race,
    /// A version of a state is read before its next version is written, and after it was written itself; with workers
    /// that share neither epoch.
    State,
    /// An output takes over only the memory of an input that nothing else needs, tile by tile.
    InPlace,
    /// Each element of an output is written by one worker, or once in each worker's copy.
    Division,
    /// A kernel sees at least what it asked for, in whole blocks.
    Need,
    /// Every operand is inside its memory.
    Bounds,
}

/// A plan that must not run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule that it breaks.
    pub rule: Rule,
    /// The op of the step, or `copy` or `output`.
    pub op: &'static str,
    /// The number of the step, copies counted, in its schedule.
    pub at: usize,
    /// The sizes at which it breaks it.
    pub sizes: Sizes,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, op, at, sizes } = self;
        write!(f, "{op} (step {at}) breaks the rule {rule:?} at {sizes:?}")
    }
}

impl Plan {
    /// Checks every schedule against the [`Rule`]s, at its largest sizes and at smaller ones: values that are alike only
    /// where T and R have equal values must not pass for alike.
    ///
    /// It looks at the finished steps alone: share, barrier, places, needs, and what is in place of what; neither at how
    /// they were ordered nor at how memory was laid out. Every plan that is built with debug assertions is checked.
    ///
    /// # Errors
    /// The first violation.
    pub fn verify(&self) -> Result<(), Violation> {
        for schedule in &self.schedules {
            for sizes in samples(schedule.sizes) {
                Checker::new(self, schedule, sizes).run()?;
            }
        }
        Ok(())
    }
}

/// The largest sizes and some smaller ones, among them such where T and R differ.
fn samples(largest: Sizes) -> Vec<Sizes> {
    let Sizes { t, r } = largest;
    let pairs = [(t, r), (t.saturating_sub(1), r), (t, r.saturating_sub(1)), (t / 2, r / 3), (1, 1), (t, 0)];
    let mut samples: Vec<Sizes> = Vec::new();
    for (t, r) in pairs {
        let sizes = Sizes { t, r };
        if sizes.within(&largest) && !samples.contains(&sizes) {
            samples.push(sizes);
        }
    }
    samples
}
