//! AVX-512 with VBMI and VNNI: Ice Lake and Zen 4, and later.

mod vector;

use crate::arch::{Isa, Work};

/// The token of this tier.
#[derive(Clone, Copy, Debug)]
pub struct Avx512 {
    _detected: (),
}

impl Avx512 {
    /// The token, where the processor and the operating system support the tier.
    pub fn new() -> Option<Self> {
        let detected = super::Avx2::new().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vnni");
        detected.then_some(Self { _detected: () })
    }
}

impl Isa for Avx512 {
    const NAME: &'static str = "avx512";
    const PRIORITY: i32 = 20;

    #[inline]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(
            enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vnni"
        )]
        fn compiled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the token can only be made by `new`, which detected every feature that `compiled` enables.
        unsafe { compiled(work) }
    }

    #[inline]
    fn perform<W: Work>(self, work: W) -> W::Output {
        #[target_feature(
            enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vnni"
        )]
        fn compiled<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: as in `run`.
        unsafe { compiled(work) }
    }
}
