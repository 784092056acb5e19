//! Prefetching: a hint to the caches, the same on every tier.

use std::cell::Cell;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Asks for all cache lines of a slice to be brought into the second-level cache. Changes no result.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    for line in slice.chunks((LINE / size_of::<T>()).max(1)) {
        prefetch_line(line);
    }
    // Where a slice starts in the middle of a line, its end may lie in one more.
    prefetch_line(&slice[slice.len().saturating_sub(1)..]);
}

/// Bytes that are asked for step by step, a line of each half in turn: lines that follow each other come one after
/// the other, with half the throughput.
pub struct Ahead<'a> {
    halves: [&'a [u8]; 2],
    asked: Cell<usize>,
}

impl<'a> Ahead<'a> {
    /// Nothing of `bytes` is asked for yet.
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { halves: bytes.split_at(bytes.len().div_ceil(2)).into(), asked: Cell::new(0) }
    }

    /// Asks for lines until it is about so many bytes, or all. More at once than the processor keeps track of would stop
    /// it: callers ask for as much as they read themselves.
    #[inline(always)]
    pub fn ask(&self, bytes: usize) {
        let [first, second] = self.halves;
        let due = (bytes / 2).min(first.len());
        let mut at = self.asked.get();
        while at < due {
            prefetch_line(&first[at..]);
            prefetch_line(&second[at.min(second.len())..]);
            at += LINE;
        }
        self.asked.set(at);
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
