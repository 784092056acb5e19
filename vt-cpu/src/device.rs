//! The CPU as a device.

use std::fmt;

use vt_core::RunError;
use vt_core::plan::{Args, Segment, Team};
use vt_core::registry::Device;

use crate::CPU;
use crate::team::Threads;

/// The CPU: a team of threads that works in the host's memory.
pub(crate) struct Cpu {
    threads: Threads,
}

impl Cpu {
    pub(crate) fn new(threads: Threads) -> Self {
        Self { threads }
    }
}

impl Device for Cpu {
    fn name(&self) -> &'static str {
        CPU
    }

    fn workers(&self) -> usize {
        self.threads.size()
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &self.threads)
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpu({} threads)", self.threads.size())
    }
}
