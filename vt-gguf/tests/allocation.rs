//! Opening a file allocates less than the file is long.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use common::{F32, Raw};
use vt_core::memory::Bytes;
use vt_gguf::Gguf;

/// The system's allocator, which counts for each thread the bytes that live and the most that ever did.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    LIVE.set(LIVE.get() + bytes);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

// SAFETY: the system's allocator does the work. Counting touches only thread-local numbers, which need no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Opens a file; whether that worked, and the most bytes that it held at once.
fn opened(file: Raw) -> (bool, isize) {
    let bytes: Arc<dyn Bytes> = Arc::new(file.0);
    let before = LIVE.get();
    PEAK.set(before);
    let gguf = Gguf::from_bytes(bytes);
    (gguf.is_ok(), PEAK.get() - before)
}

/// What a reader may hold whatever the file.
const FIXED: isize = 1024;

#[test]
fn claims_are_refused_before_memory_is_reserved() {
    let array = |elem: u32, n: u64| Raw::file(0, 1).entry("k", 9, &Raw::default().u32(elem).u64(n).bytes(&[0; 64]).0);
    for file in [
        Raw::file(1 << 60, 0),
        Raw::file(0, 1 << 60),
        Raw::file(u64::MAX, u64::MAX),
        Raw::file(1 << 40, 1 << 40).bytes(&[0; 1000]),
        array(0, 1 << 40),
        array(4, 1 << 40),
        array(8, 1 << 40),
        array(12, u64::MAX),
        Raw::file(0, 1).u64(1 << 40).bytes(b"k"),
        Raw::file(1, 0).info("t", &[1 << 40], F32, 0).data(64),
    ] {
        let (accepted, peak) = opened(file);
        assert!(!accepted && peak < FIXED, "{peak} bytes");
    }
}

#[test]
fn an_index_is_smaller_than_the_file() {
    let n = 20_000;
    let entries = (0..n).fold(Raw::file(0, n), |raw, i| raw.entry(&i.to_string(), 0, &[1]));
    let scalars =
        (0..n).fold(Raw::file(n, 0), |raw, i| raw.info(&i.to_string(), &[], F32, 32 * i)).data(32 * n as usize);
    let empty = (0..n).fold(Raw::file(n, 0), |raw, i| raw.info(&i.to_string(), &[0], F32, 0));
    let strings = (0..n).fold(Raw::default().u32(8).u64(n), |raw, _| raw.string(b""));
    for file in [entries, scalars, empty, Raw::file(0, 1).entry("k", 9, &strings.0)] {
        let len = file.0.len() as isize;
        let (accepted, peak) = opened(file);
        assert!(accepted && peak < len + FIXED, "{peak} bytes for a file of {len}");
    }
}
