//! The chat template.

use crate::kind::Kind;

pub const KINDS: &[Kind] = &[];
