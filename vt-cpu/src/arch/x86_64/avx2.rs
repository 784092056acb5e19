//! AVX2 with FMA and F16C: Haswell and Zen, and later.

use crate::arch::{Isa, Work};

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Avx2 {
    _detected: (),
}

impl Avx2 {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for Avx2 {
    const NAME: &'static str = "avx2";
    const PRIORITY: i32 = 10;

    #[inline]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: as in `run`.
        unsafe { compiled(work) }
    }
}
