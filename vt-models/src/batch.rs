//! What one pass computes: rows of several sequences.

use vt_core::plan::Span;

/// Which of a span's rows want logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None: a part of a prompt.
    None,
    /// The last one's.
    Last,
    /// All.
    All,
}

/// A ragged batch: for each sequence a position and tokens. It is filled anew for each pass and then allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(crate) ids: Vec<i32>,
    pub(crate) spans: Vec<Span>,
    pub(crate) wanted: Vec<i32>,
}

impl Batch {
    /// An empty batch with room for `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        let vec = || Vec::with_capacity(rows);
        Self { ids: vec(), spans: Vec::with_capacity(rows), wanted: vec() }
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.spans.clear();
        self.wanted.clear();
    }

    /// Adds tokens of sequence number `sequence` (its place among the pass's sequences) from `position` on.
    pub fn add(&mut self, sequence: usize, position: usize, tokens: &[u32], wanted: Wanted) {
        let first = self.ids.len();
        self.ids.extend(tokens.iter().map(|t| i32::try_from(*t).unwrap_or(-1)));
        self.spans.push(Span { sequence, position, rows: tokens.len() });
        let from = match wanted {
            Wanted::None => self.ids.len(),
            Wanted::Last => self.ids.len().saturating_sub(1).max(first),
            Wanted::All => first,
        };
        self.wanted.extend((from..self.ids.len()).map(|row| row as i32));
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.ids.len()
    }

    /// The number of rows whose logits are wanted.
    pub fn wanted(&self) -> usize {
        self.wanted.len()
    }
}
