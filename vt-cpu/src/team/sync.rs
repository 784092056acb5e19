//! The primitives of the team: the standard library's, or loom's models of them.

#[cfg(loom)]
pub(super) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard, RwLock},
    thread::yield_now,
};
#[cfg(not(loom))]
pub(super) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicUsize, Ordering},
    sync::{Arc, Condvar, Mutex, MutexGuard, RwLock},
    thread::yield_now,
};

use std::sync::PoisonError;

/// Locks. No code of the team panics while it holds a lock, and no value behind one is ever half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value on cache lines of its own: two, because x86 fetches them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Padded<T>(pub T);
