//! What a check found.

use std::fmt;

use thiserror::Error;

/// The element of a result that is farthest off.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The output, as its golden's file is named.
    pub output: String,
    /// Which element of it, in C order; which byte of a block type.
    pub index: usize,
    /// The exact number.
    pub expected: f64,
    /// What the kernel gave.
    pub found: f64,
    /// By how much it is off; for a tolerance over all elements, their measure.
    pub error: f64,
    /// What the tolerance allows.
    pub allowed: f64,
}

/// Why a kernel does not pass a case.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// A result is too far from the exact one.
    #[error(
        "{} [{}]: expected {:e}, found {:e}; error {:.3e}, allowed {:.3e}",
        .0.output, .0.index, .0.expected, .0.found, .0.error, .0.allowed
    )]
    Element(Worst),
    /// A CPU kernel's bits are not those of the defined result.
    #[error(
        "within the tolerance, but not the defined bits, as a CPU kernel must be: digest {found}, expected {expected}"
    )]
    Bits {
        /// The digest of the defined result.
        expected: String,
        /// The kernel's.
        found: String,
    },
    /// The kernel could not be planned or run.
    #[error("{0}")]
    Error(String),
    /// The golden is not one of this case.
    #[error("golden: {0}")]
    Golden(String),
}

/// How a kernel did in a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Its result is right.
    Passed,
    /// It does not take the case, for this reason.
    Refused(String),
    /// It is wrong.
    Failed(Failure),
}

/// A kernel in a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The op.
    pub op: &'static str,
    /// The case.
    pub case: String,
    /// The device.
    pub device: &'static str,
    /// The kernel.
    pub kernel: String,
    /// How it did.
    pub outcome: Outcome,
}

/// What checks found: one entry per device, op, case and kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The checks in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Report {
    /// How many kernels passed, over all cases.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|c| c.outcome == Outcome::Passed).count()
    }

    /// How many kernels refused, over all cases.
    pub fn refused(&self) -> usize {
        self.checks.iter().filter(|c| matches!(c.outcome, Outcome::Refused(_))).count()
    }

    /// The checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = (&Check, &Failure)> {
        self.checks.iter().filter_map(|c| if let Outcome::Failed(why) = &c.outcome { Some((c, why)) } else { None })
    }

    /// Whether something passed and nothing failed. A report of an unknown device or op is empty, and no success.
    pub fn is_ok(&self) -> bool {
        self.passed() > 0 && self.failures().next().is_none()
    }
}

impl fmt::Display for Report {
    /// A line for each failure, and one for the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (check, why) in self.failures() {
            writeln!(f, "{} {} on {} ({}): {why}", check.op, check.case, check.device, check.kernel)?;
        }
        if self.checks.is_empty() {
            return write!(f, "nothing to check: there is no such kernel, op or device, or the device has no kernels");
        }
        let failed = self.failures().count();
        write!(f, "{} passed, {failed} failed, {} not for the kernel", self.passed(), self.refused())
    }
}
