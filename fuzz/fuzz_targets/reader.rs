//! Any bytes as a file: opened, looked at, its tokenizer used, its model planned, loaded and run for two passes.

#![no_main]

#[path = "../../tests/bad_bytes/walk.rs"]
#[allow(dead_code, reason = "only tests compare what became of files")]
mod walk;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use vt::models::load::Target;

static TARGET: LazyLock<Target> = LazyLock::new(walk::target);

fuzz_target!(|bytes: &[u8]| {
    walk::bytes(&TARGET, bytes.to_vec());
});
