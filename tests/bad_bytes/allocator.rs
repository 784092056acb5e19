//! The system's allocator, which counts what a thread holds and refuses what is out of all proportion.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Counts `bytes` more, if they may be had.
fn admit(bytes: usize) -> bool {
    let live = LIVE.get().saturating_add(bytes);
    // What would exceed the limit is counted, for the test to see, and refused, for the machine to survive.
    PEAK.set(PEAK.get().max(live));
    let admitted = live <= LIMIT.get();
    if admitted {
        LIVE.set(live);
    }
    admitted
}

// SAFETY: the system's allocator does the work, or a null pointer says that it was not done. Counting touches only
// thread-local numbers, which need no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !admit(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !admit(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // What another thread allocated was not counted here.
        LIVE.set(LIVE.get().saturating_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `f` with at most `limit` more bytes; the most that it held or asked for at once, untouched pages included.
pub fn bounded<T>(limit: usize, f: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    LIMIT.set(before.saturating_add(limit));
    let result = f();
    LIMIT.set(usize::MAX);
    (result, PEAK.get() - before)
}
