//! What the tests of float arithmetic share.

use crate::arch::{Isa, Portable};

/// `count` numbers between -1 and 1 with some zeros, a function of `seed` alone.
pub(crate) fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    next();
    let number = |bits: u64| if bits.is_multiple_of(31) { 0.0 } else { (bits >> 40) as f32 / (1 << 23) as f32 - 1.0 };
    (0..count).map(|_| number(next())).collect()
}

/// Every `step`-th f32 by bits, of both signs, finite.
pub(crate) fn every_nth_f32(step: usize) -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(step).map(f32::from_bits).filter(|x| x.is_finite())
}

/// How far `got` is from `want`, in units of the last place of an f32 at `want`.
pub(crate) fn ulps(got: f32, want: f64) -> f64 {
    if f64::from(got) == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    if got.is_infinite() {
        // Right if rounding to nearest goes there.
        return if want.abs() >= f64::from(f32::MAX) * (1.0 + 2f64.powi(-25)) { 0.0 } else { f64::INFINITY };
    }
    let exponent = (want.abs().log2().floor() as i32).clamp(-126, 127);
    (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
}

/// What `work` returns in each tier that the machine has, portable first.
pub(crate) fn on_every_tier<R>(work: impl Fn() -> R) -> Vec<R> {
    let mut results = vec![Portable.run(&work)];
    #[cfg(target_arch = "x86_64")]
    {
        use crate::arch::{Avx2, Avx512};
        results.extend(Avx2::new().map(|isa| isa.run(&work)));
        results.extend(Avx512::new().map(|isa| isa.run(&work)));
    }
    #[cfg(target_arch = "aarch64")]
    results.extend(crate::arch::Neon::new().map(|isa| isa.run(&work)));
    results
}
