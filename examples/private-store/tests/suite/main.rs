//! The device is held to the CPU's bytes, and to saying what it cannot do.

mod bytes;
mod harness;
mod memory;
mod refusals;
mod tiny;
