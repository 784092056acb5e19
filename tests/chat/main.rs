//! Conversations: templates, tokens, and `vt chat` through the binary.

mod templates;
