//! Whether tiles may be used: the processor has them, the system saves them, and gave this process the permission.

use core::arch::x86_64::{__cpuid_count, __get_cpuid_max, _xgetbv};
use std::sync::OnceLock;

/// Asks once; the permission is the process's, for threads of before and after.
pub(super) fn may_use_tiles() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| has_instructions() && is_saved() && is_permitted())
}

/// AMX-TILE and AMX-INT8.
fn has_instructions() -> bool {
    const BITS: u32 = 1 << 24 | 1 << 25;
    __get_cpuid_max(0).0 >= 7 && __cpuid_count(7, 0).edx & BITS == BITS
}

/// Whether the system saves the tiles' configuration and data when it switches threads.
fn is_saved() -> bool {
    const BITS: u64 = 1 << 17 | 1 << 18;
    #[target_feature(enable = "xsave")]
    fn enabled() -> u64 {
        // SAFETY: the caller detected XSAVE, with which register 0 exists.
        unsafe { _xgetbv(0) }
    }
    // SAFETY: detected.
    is_x86_feature_detected!("xsave") && unsafe { enabled() } & BITS == BITS
}

/// Asks Linux for the data of tiles, which a process has on request only, as they are large.
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let result: isize;
    // SAFETY: the call takes two numbers, touches no memory of the process, and changes rcx and r11.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}
