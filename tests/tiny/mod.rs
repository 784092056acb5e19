//! Tiny models, made at test time, and what tests do with models.

#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

pub mod blocks;
pub mod compare;
pub mod edit;
pub mod hybrid;
mod latent;
mod list;
mod model;
pub mod random;
pub mod run;
mod special;
pub mod tokenizer;

pub use list::{ALL, find};
pub use model::{Tiny, VOCAB, tokens};
