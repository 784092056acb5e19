//! Prefetching: a hint to the caches, the same on every tier.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for all cache lines of a slice to be brought into the second-level cache. Changes no result.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    prefetch_stream(slice);
    // Where a slice starts in the middle of a line, its end may lie in one more.
    prefetch_stream(&slice[slice.len().saturating_sub(1)..]);
}

/// Asks for a line every 64 bytes from the slice's start on: all lines of a stream that is asked for piece by piece.
#[inline(always)]
pub fn prefetch_stream<T>(slice: &[T]) {
    for line in slice.chunks((LINE / size_of::<T>()).max(1)) {
        prefetch_line(line);
    }
}

/// Asks for the line in which a slice starts.
#[inline(always)]
fn prefetch_line<T>(line: &[T]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, and the address is inside a borrowed slice anyway; SSE is in the baseline.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T1 }>(line.as_ptr().cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; it changes no register, and no memory.
    unsafe {
        core::arch::asm!(
            "prfm pldl2keep, [{line}]",
            line = in(reg) line.as_ptr(),
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}
