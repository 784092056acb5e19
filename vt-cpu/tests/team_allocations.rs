//! A pass and its barriers allocate nothing.

#![cfg(not(loom))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use vt_core::RunError;
use vt_core::plan::Team;
use vt_cpu::team::Threads;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread is counted: those of the team are, the test harness's own are not.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTED.get() {
            ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        }
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

/// How many allocations the threads of the team make while `f` runs.
fn count(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    f();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

fn run_passes(team: &Threads, passes: usize, each: impl Fn() + Sync) {
    for _ in 0..passes {
        let end = team.run(&|member| {
            each();
            (0..8).try_for_each(|_| member.wait().map_err(|_| RunError::Poisoned))
        });
        assert!(end.is_ok());
    }
}

#[test]
fn passes_allocate_nothing() {
    // Of these teams some have more workers than there are CPUs, or as many, or fewer: the ways to wait differ.
    for size in [1, 2, 4] {
        let team = Threads::new(size).unwrap();
        run_passes(&team, 10, || COUNTED.set(true));
        assert_eq!(count(|| run_passes(&team, 1, || drop(black_box(Box::new(1))))), size, "the counter does not count");
        assert_eq!(count(|| run_passes(&team, 400, || ())), 0, "{size} workers");
    }
}
