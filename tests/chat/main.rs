//! Conversations: templates, tokens, the library, and `vt chat` through the binary.

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod hybrid;
mod interrupts;
mod mapped;
mod model;
mod session;
mod templates;
mod terminal;
#[path = "../tiny/mod.rs"]
mod tiny;
mod tokens;
