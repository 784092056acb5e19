//! The tier that every machine has: the baseline of the target that the crate was compiled for.

use super::{Isa, Work};

/// The token of the portable tier.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Isa for Portable {
    const NAME: &'static str = "portable";
    const PRIORITY: i32 = 0;
    const VECTORS: usize = 4;

    #[inline(always)]
    fn perform<W: Work>(self, work: W) -> W::Output {
        work.run()
    }
}
