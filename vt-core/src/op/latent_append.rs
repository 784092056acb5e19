//! Writing rows to the cache of latent attention.

use smallvec::smallvec;

use super::case::{Case, Fill, Operand};
use super::spans::{appended, filled, one_span};
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
        inputs.want_index(2, rows)?;
        inputs.want_index(3, rows)?;
        Ok(smallvec![ValueType::State(*state)])
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(0, 0)]
    }

    /// Of the cache, the rows that are written.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        work.append()
    }

    fn cases() -> Vec<Case<Self>> {
        [DType::F16, DType::F32]
            .into_iter()
            .flat_map(|dtype| appended().map(|spans| case(dtype, (24, 16), spans)))
            .chain([case(DType::F16, (33, 33), one_span(2, 3)), case(DType::F32, (65, 1), one_span(0, 2))])
            .collect()
    }
}

fn case(dtype: DType, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<LatentAppend> {
    let name = format!("{dtype}-d{key_dim}-{value_dim}");
    let cache = Operand::State { spec: StateSpec::LatentRows { key_dim, value_dim, dtype }, filled: filled(&spans) };
    let rows = Operand::tensor(Desc::rows(DType::F32, Sym::T, key_dim), Fill::Normal(1.0));
    let inputs = vec![cache, rows, Operand::index(Fill::Sequences), Operand::index(Fill::Positions)];
    Case::of_spans(&name, LatentAppend, inputs, spans)
}
