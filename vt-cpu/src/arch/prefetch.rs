//! Prefetching: a hint to the caches, the same on every tier.

/// Asks for the cache lines of `bytes` to be brought into the second-level cache. Changes no result.
#[inline(always)]
pub fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        // SAFETY: a prefetch never faults, and the address is inside a borrowed slice anyway; SSE is in the baseline.
        unsafe { core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T1 }>(line.as_ptr().cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
