//! The gated delta rule: attention with a state of fixed size in place of a cache.

use std::fmt;

use super::case::{Case, Fill, Operand};
use super::spans::{filled, one_span, together};
use super::{Attrs, Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload};
use crate::plan::Span;
use crate::{DType, Desc, Dim, OpError, StateSpec, Sym};

/// Which key head goes with value head h of H, where there are G key heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHeads {
    /// Key heads in turn: h mod G.
    Tiled,
    /// Neighbours share a key head: h / (H / G).
    Grouped,
}

impl KeyHeads {
    /// The name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            KeyHeads::Tiled => "tiled",
            KeyHeads::Grouped => "grouped",
        }
    }
}

impl fmt::Display for KeyHeads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The gated delta rule (Yang, Kautz and Hatamizadeh, "Gated Delta Networks", 2024): for row t of sequence s, value head h
/// and its key head g, with S the state `state[s, h]` `[V, D]`, `k = k[t, g]` and `q = q[t, g]`,
///
/// ```text
/// d         = beta[t, h] (v[t, h] - decay[t, h] S k)
/// S         = decay[t, h] S + d k^T
/// out[t, h] = scale S q
/// ```
///
/// | operand | shape | type |
/// |---|---|---|
/// | `q`, `k` | `[T, G * D]` | f32 |
/// | `v` | `[T, H * V]` | f32 |
/// | `decay`, `beta` | `[T, H]` | f32 |
/// | `state` | fixed state `[H * V, D]` | state |
/// | `sequences` | `[T]` | i32 |
/// | out | `[T, H * V]` | f32 |
/// | | the next version of `state` | state |
#[derive(Clone, Debug, PartialEq)]
pub struct DeltaRule {
    /// Value heads, H: a multiple of `key_heads`.
    pub heads: usize,
    /// Key heads, G.
    pub key_heads: usize,
    /// Which key head goes with a value head.
    pub pairing: KeyHeads,
    /// The factor of the output: finite.
    pub scale: f32,
}

impl DeltaRule {
    /// The key head of a value head.
    pub fn key_head(&self, head: usize) -> usize {
        match self.pairing {
            KeyHeads::Tiled => head % self.key_heads,
            KeyHeads::Grouped => head / (self.heads / self.key_heads),
        }
    }
}

impl Op for DeltaRule {
    const NAME: &'static str = "delta_rule";
    const INPUTS: &'static [&'static str] = &["q", "k", "v", "decay", "beta", "state", "sequences"];
    const TOLERANCE: Tolerance = Tolerance::Nmse(1e-10);

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let Self { heads, key_heads, scale, .. } = *self;
        inputs.want_attribute(scale.is_finite(), "scale", "a finite number", scale)?;
        let multiple = key_heads > 0 && heads > 0 && heads.is_multiple_of(key_heads);
        inputs.want_attribute(
            multiple,
            "heads",
            format_args!("a positive multiple of {key_heads} key heads"),
            heads,
        )?;
        let (rows, values) = inputs.matrix(2, DType::F32)?;
        inputs.want(values.is_multiple_of(heads), 2, || format!("rows of {heads} heads"))?;
        let &StateSpec::Fixed { rows: state_rows, cols: dim } = inputs.state(5)? else {
            return Err(inputs.want(false, 5, || "fixed state").unwrap_err());
        };
        inputs.want(state_rows == values && dim > 0, 5, || format!("fixed state of {values} rows"))?;
        for (i, cols) in
            [(0, key_heads.checked_mul(dim)), (1, key_heads.checked_mul(dim)), (3, Some(heads)), (4, Some(heads))]
        {
            let (n, found) = inputs.matrix(i, DType::F32)?;
            let expected =
                || format!("{rows} rows of {}", if i < 2 { format!("{key_heads} x {dim}") } else { heads.to_string() });
            inputs.want(n == rows && Some(found) == cols, i, expected)?;
        }
        inputs.want_index(6, rows)?;
        let out = ValueType::Tensor(Desc::new(DType::F32, [rows, Dim::Fixed(values)]));
        let state = ValueType::State(StateSpec::Fixed { rows: state_rows, cols: dim });
        Ok([out, state].into_iter().collect())
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
            .int("heads", self.heads)
            .int("key_heads", self.key_heads)
            .text("pairing", self.pairing.name())
            .float("scale", self.scale.into())
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(5, 1)]
    }

    /// The state is read and written once a sequence. For each of its elements and each row there are two products for
    /// what is read of it, and two for its next version.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let elements = work.state_bytes(5, 0) / DType::F32.block_bytes() as u64;
        Cost { operations: 8 * elements * work.sizes.t as u64, ..work.recurrence(5) }
    }

    fn cases() -> Vec<Case<Self>> {
        let [two, three] = together();
        let spans =
            [one_span(0, 0), one_span(0, 1), one_span(7, 1), one_span(0, 17), one_span(30, 17), two.clone(), three];
        let mut cases: Vec<_> = spans.into_iter().map(|spans| case((2, 2, KeyHeads::Tiled), (32, 32), spans)).collect();
        for pairing in [KeyHeads::Tiled, KeyHeads::Grouped] {
            cases.push(case((4, 2, pairing), (16, 16), two.clone()));
        }
        cases.push(case((6, 2, KeyHeads::Tiled), (16, 48), one_span(3, 4)));
        cases.push(case((1, 1, KeyHeads::Tiled), (16, 1), two.clone()));
        cases.push(case((3, 3, KeyHeads::Tiled), (20, 5), two));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        let case = |(position, rows)| case((16, 16, KeyHeads::Tiled), (128, 128), one_span(position, rows));
        [(9, 1), (0, 512)].map(case).to_vec()
    }
}

fn case(
    (heads, key_heads, pairing): (usize, usize, KeyHeads),
    (dim, value_dim): (usize, usize),
    spans: Vec<Span>,
) -> Case<DeltaRule> {
    let name = format!("{pairing}-h{heads}-{key_heads}-d{dim}-{value_dim}");
    let rows = |cols, fill| Operand::tensor(Desc::rows(DType::F32, Sym::T, cols), fill);
    // Keys and queries of a length near 1: of a longer key the state forgets more than there is.
    let unit = Fill::Normal(1.0 / (dim as f32).sqrt());
    let spec = StateSpec::Fixed { rows: heads * value_dim, cols: dim };
    let inputs = vec![
        rows(key_heads * dim, unit),
        rows(key_heads * dim, unit),
        rows(heads * value_dim, Fill::Normal(1.0)),
        rows(heads, Fill::UpTo(1.0)),
        rows(heads, Fill::UpTo(1.0)),
        Operand::State { spec, filled: filled(&spans) },
        Operand::index(Fill::Sequences),
    ];
    let op = DeltaRule { heads, key_heads, pairing, scale: 1.0 / (dim as f32).sqrt() };
    Case::of_spans(&name, op, inputs, spans)
}
