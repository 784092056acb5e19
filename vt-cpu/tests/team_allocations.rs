//! A pass and its barriers allocate nothing. In a program of its own: the counter counts every thread.

#![cfg(not(loom))]
#![allow(unexpected_cfgs, reason = "loom's own name for a build under its models")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use vt_core::RunError;
use vt_core::plan::Team;
use vt_cpu::team::Threads;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn run_passes(team: &Threads, passes: usize) {
    for _ in 0..passes {
        let end = team.run(&|member| (0..8).try_for_each(|_| member.wait().map_err(|_| RunError::Poisoned)));
        assert!(end.is_ok());
    }
}

#[test]
fn passes_allocate_nothing() {
    // One team at least is as large as the CPUs are many or larger, or smaller: the ways to wait differ.
    for size in [1, 2, 4] {
        let team = Threads::new(size).unwrap();
        let before_start = ALLOCATIONS.load(Ordering::Relaxed);
        run_passes(&team, 10);
        assert!(size == 1 || ALLOCATIONS.load(Ordering::Relaxed) > before_start, "the counter does not count");
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        run_passes(&team, 400);
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{size} workers");
    }
}
