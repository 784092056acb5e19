//! A short convolution over the rows of a sequence.

use super::case::{Case, Fill, Operand};
use super::spans::{filled, one_span, together};
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
        inputs.want_index(3, rows)?;
        let out = ValueType::Tensor(Desc::rows(DType::F32, rows, channels));
        Ok([out, ValueType::State(state)].into_iter().collect())
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(2, 1)]
    }

    /// The state is read and written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        work.recurrence(2)
    }

    fn cases() -> Vec<Case<Self>> {
        let [two, three] = together();
        let mut cases: Vec<_> = [
            one_span(0, 0),
            one_span(0, 1),
            one_span(7, 1),
            one_span(0, 3),
            one_span(0, 17),
            one_span(30, 17),
            two.clone(),
            three,
        ]
        .into_iter()
        .map(|spans| case((48, 4), spans))
        .collect();
        let shapes = [(1, 4), (33, 3), (20, 2), (16, 5), (64, 7), (300, 4)];
        cases.extend(shapes.into_iter().map(|shape| case(shape, two.clone())));
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        [(9, 1), (0, 512)].map(|(position, rows)| case((6144, 4), one_span(position, rows))).to_vec()
    }
}

fn case((channels, taps): (usize, usize), spans: Vec<Span>) -> Case<CausalConv> {
    let name = format!("c{channels}-k{taps}");
    let spec = StateSpec::Fixed { rows: channels, cols: taps - 1 };
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, channels), Fill::Normal(1.0));
    let weight = Operand::tensor(Desc::new(DType::F32, [channels, taps]), Fill::Normal(0.6));
    let sequences = Operand::index(Fill::Sequences);
    let inputs = vec![x, weight, Operand::State { spec, filled: filled(&spans) }, sequences];
    Case::of_spans(&name, CausalConv, inputs, spans)
}
