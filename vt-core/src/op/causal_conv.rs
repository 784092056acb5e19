//! A short convolution over the rows of a sequence.

use super::case::{Case, Fill, Operand};
use super::kv_append::filled;
use super::{Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload};
use crate::plan::Span;
use crate::{DType, Desc, Dim, OpError, StateSpec, Sym};

/// The causal convolution of each channel, and the SiLU activation (Gu and Dao, Mamba, 2023): for row t of sequence s,
/// `out[t, c] = silu(sum over j of weight[c, j] * window[c, j])`, where the window holds the last K rows of the
/// sequence's `x` in channel c, row t's own at j = K - 1. The state holds the K - 1 rows of `x` before the next one, zeros
/// where there were none.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[T, C]` | f32 |
/// | `weight` | `[C, K]`, K above 1 | f32 |
/// | `state` | fixed state `[C, K - 1]`, the oldest first | state |
/// | `sequences` | `[T]` | i32 |
/// | out | `[T, C]` | f32 |
/// | | the next version of `state` | state |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CausalConv;

impl Op for CausalConv {
    const NAME: &'static str = "causal_conv";
    const INPUTS: &'static [&'static str] = &["x", "weight", "state", "sequences"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-5, relative: 1e-5 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, channels) = inputs.matrix(0, DType::F32)?;
        let (outer, taps) = inputs.matrix(1, DType::F32)?;
        inputs.want(outer == Dim::Fixed(channels) && taps > 1, 1, || format!("f32 [{channels}, K], K above 1"))?;
        let state = StateSpec::Fixed { rows: channels, cols: taps - 1 };
        inputs.want(*inputs.state(2)? == state, 2, || state)?;
        let [n] = inputs.dims(3, DType::I32)?;
        inputs.want(n == rows, 3, || format!("i32 [{rows}]"))?;
        let out = ValueType::Tensor(Desc::rows(DType::F32, rows, channels));
        Ok([out, ValueType::State(state)].into_iter().collect())
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(2, 1)]
    }

    /// The state is read and written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let state = work.inputs.get(2).and_then(ValueType::state).and_then(|s| s.bytes(0)).unwrap_or(0);
        let sequences = work.spans.iter().filter(|span| span.rows > 0).count();
        let Cost { bytes, .. } = work.operands();
        Cost { bytes: bytes.saturating_add(2 * (state * sequences) as u64), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let one = |position, rows| vec![Span { sequence: 0, position, rows }];
        let two = vec![Span { sequence: 1, position: 6, rows: 2 }, Span { sequence: 0, position: 0, rows: 5 }];
        let three = [(2, 9), (0, 1), (1, 4)].map(|(sequence, position)| Span { sequence, position, rows: 1 }).to_vec();
        let mut cases: Vec<_> =
            [one(0, 0), one(0, 1), one(7, 1), one(0, 3), one(0, 17), one(30, 17), two.clone(), three]
                .into_iter()
                .map(|spans| case((48, 4), spans))
                .collect();
        let shapes = [(1, 4), (33, 3), (20, 2), (16, 5), (64, 7), (300, 4)];
        cases.extend(shapes.into_iter().map(|shape| case(shape, two.clone())));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        let span = |(position, rows)| vec![Span { sequence: 0, position, rows }];
        [(9, 1), (0, 512)].map(|at| case((6144, 4), span(at))).to_vec()
    }
}

fn case((channels, taps): (usize, usize), spans: Vec<Span>) -> Case<CausalConv> {
    let places: Vec<String> = spans.iter().map(|s| format!("s{}p{}n{}", s.sequence, s.position, s.rows)).collect();
    let name = format!("c{channels}-k{taps}-{}", places.join("-"));
    let t = spans.iter().map(|s| s.rows).sum();
    let spec = StateSpec::Fixed { rows: channels, cols: taps - 1 };
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, channels), Fill::Normal(1.0));
    let weight = Operand::tensor(Desc::new(DType::F32, [channels, taps]), Fill::Normal(0.6));
    let sequences = Operand::tensor(Desc::new(DType::I32, [Sym::T]), Fill::Sequences);
    let inputs = vec![x, weight, Operand::State { spec, filled: filled(&spans) }, sequences];
    Case::new(name, CausalConv, t, inputs).with_spans(spans)
}
