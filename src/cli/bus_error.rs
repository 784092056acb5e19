//! What is said when a mapped file becomes shorter: what was behind its end cannot be read, and the system sends SIGBUS.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc::{self, c_int, c_void, siginfo_t};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

const MESSAGE: &str = "error: a part of the model's file cannot be read: it became shorter while it was used\n";

/// Ends the process with a message and exit status 1, where it would end without one.
pub(super) fn explain() {
    let flags = SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK;
    let action = SigAction::new(SigHandler::SigAction(handle), flags, SigSet::empty());
    // SAFETY: `handle` calls nothing but async-signal-safe functions and keeps
    // `errno` by not returning to what it interrupts, unless that is to be interrupted again.
    // The standard library's handler in its place finds overflows of a stack, for which Linux sends SIGSEGV.
    // If it fails, the process ends without a message.
    let _ = unsafe { sigaction(Signal::SIGBUS, &action) };
}

extern "C" fn handle(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    // SAFETY: with SA_SIGINFO the system gives a valid `info`; signal, raise, pause, write and _exit are
    // async-signal-safe (POSIX.1-2017, 2.4.3), and the message is as long as is said.
    unsafe {
        if (*info).si_code != libc::BUS_ADRERR {
            // Sent by someone, or another fault: it ends the process as ever, as soon as this returns.
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
        // Several threads can come here at once; the first one ends the process.
        while TOLD.swap(true, Ordering::SeqCst) {
            libc::pause();
        }
        libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
        libc::_exit(1)
    }
}
