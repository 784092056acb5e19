//! The CPU backend of vt.

pub mod arch;
pub mod attention;
pub mod float;
pub mod math;
