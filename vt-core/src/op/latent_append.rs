//! Writing rows to the cache of latent attention.

use smallvec::smallvec;

use super::case::{Case, Fill, Operand};
use super::kv_append::filled;
use super::{Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload};
use crate::plan::Span;
use crate::{DType, Desc, OpError, StateSpec, Sym};

/// `cache[sequences[t]]`'s row at `positions[t]` becomes `rows[t]`, rounded to the cache's type (nearest even): a key
/// that begins with its value.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `cache` | latent rows | state |
/// | `rows` | `[T, key_dim]` | f32 |
/// | `sequences` | `[T]` | i32 |
/// | `positions` | `[T]` | i32 |
/// | out | the next version of `cache` | state |
#[derive(Clone, Debug, PartialEq)]
pub struct LatentAppend;

impl Op for LatentAppend {
    const NAME: &'static str = "latent_append";
    const INPUTS: &'static [&'static str] = &["cache", "rows", "sequences", "positions"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-7, relative: 1e-3 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let state = inputs.state(0)?;
        let (&StateSpec::LatentRows { key_dim, .. }, Some(_)) = (state, state.kv()) else {
            return Err(inputs.want(false, 0, || "latent rows").unwrap_err());
        };
        let (rows, cols) = inputs.matrix(1, DType::F32)?;
        inputs.want(cols == key_dim, 1, || format!("rows of {key_dim}"))?;
        for i in [2, 3] {
            let [n] = inputs.dims(i, DType::I32)?;
            inputs.want(n == rows, i, || format!("i32 [{rows}]"))?;
        }
        Ok(smallvec![ValueType::State(*state)])
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    /// Of the cache, the rows that are written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let written = work.inputs.first().and_then(ValueType::state).and_then(|cache| cache.bytes(work.sizes.t));
        let operands = work.operands();
        Cost { bytes: operands.bytes.saturating_add(written.unwrap_or(0) as u64), ..operands }
    }

    fn cases() -> Vec<Case<Self>> {
        let one = |position, rows| vec![Span { sequence: 0, position, rows }];
        let two = vec![Span { sequence: 1, position: 4, rows: 2 }, Span { sequence: 0, position: 0, rows: 3 }];
        let spans = [one(0, 0), one(0, 1), one(5, 1), one(0, 17), one(3, 4), two];
        [DType::F16, DType::F32]
            .into_iter()
            .flat_map(|dtype| spans.clone().map(|spans| case(dtype, (24, 16), spans)))
            .chain([case(DType::F16, (33, 33), one(2, 3)), case(DType::F32, (65, 1), one(0, 2))])
            .collect()
    }
}

fn case(dtype: DType, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<LatentAppend> {
    let t = spans.iter().map(|s| s.rows).sum();
    let places: Vec<String> = spans.iter().map(|s| format!("s{}p{}n{}", s.sequence, s.position, s.rows)).collect();
    let name = format!("{dtype}-d{key_dim}-{value_dim}-{}", places.join("-"));
    let cache = Operand::State { spec: StateSpec::LatentRows { key_dim, value_dim, dtype }, filled: filled(&spans) };
    let rows = Operand::tensor(Desc::rows(DType::F32, Sym::T, key_dim), Fill::Normal(1.0));
    let index = |fill| Operand::tensor(Desc::new(DType::I32, [Sym::T]), fill);
    let inputs = vec![cache, rows, index(Fill::Sequences), index(Fill::Positions)];
    Case::new(name, LatentAppend, t, inputs).with_spans(spans)
}
