//! Cases of ops that go by sequences.

use super::case::{Case, Fill, Operand};
use crate::plan::Span;
use crate::{DType, Desc, Sym};

impl Operand {
    /// A number for each row: its sequence or its position.
    pub(super) fn index(fill: Fill) -> Self {
        Operand::tensor(Desc::new(DType::I32, [Sym::T]), fill)
    }
}

impl<O> Case<O> {
    /// A case of the rows of `spans`, which its name tells too.
    pub(super) fn of_spans(name: &str, op: O, inputs: Vec<Operand>, spans: Vec<Span>) -> Self {
        let places: Vec<String> = spans.iter().map(|s| format!("s{}p{}n{}", s.sequence, s.position, s.rows)).collect();
        let t = spans.iter().map(|s| s.rows).sum();
        Case::new(format!("{name}-{}", places.join("-")), op, t, inputs).with_spans(spans)
    }
}

/// Rows of the one sequence.
pub(super) fn one_span(position: usize, rows: usize) -> Vec<Span> {
    vec![Span { sequence: 0, position, rows }]
}

/// Rows that are written to caches: none, one, some, and those of two sequences.
pub(super) fn appended() -> [Vec<Span>; 6] {
    let two = vec![Span { sequence: 1, position: 4, rows: 2 }, Span { sequence: 0, position: 0, rows: 3 }];
    [one_span(0, 0), one_span(0, 1), one_span(5, 1), one_span(0, 17), one_span(3, 4), two]
}

/// Rows of two sequences, and of three.
pub(super) fn together() -> [Vec<Span>; 2] {
    let two = vec![Span { sequence: 1, position: 6, rows: 2 }, Span { sequence: 0, position: 0, rows: 5 }];
    let three = [(2, 9), (0, 1), (1, 4)].map(|(sequence, position)| Span { sequence, position, rows: 1 }).to_vec();
    [two, three]
}

/// The positions that each sequence holds before the case's rows.
pub(super) fn filled(spans: &[Span]) -> Vec<usize> {
    let sequences = spans.iter().map(|s| s.sequence + 1).max().unwrap_or(0);
    (0..sequences).map(|q| spans.iter().find(|s| s.sequence == q).map_or(0, |s| s.position)).collect()
}
