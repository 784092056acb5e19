//! Prefetching: a hint to the caches, the same on every tier.

/// Asks for the cache lines of a slice to be brought into the second-level cache. Changes no result.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in slice.chunks((64 / size_of::<T>()).max(1)) {
        // SAFETY: a prefetch never faults, and the address is inside a borrowed slice anyway; SSE is in the baseline.
        unsafe { core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T1 }>(line.as_ptr().cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
