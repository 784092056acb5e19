//! Writing keys and values to the cache.

use smallvec::smallvec;

use super::case::{Case, Fill, Operand};
use super::spans::{appended, filled, one_span};
use super::{Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload};
use crate::plan::Span;
use crate::{DType, Desc, OpError, StateSpec, Sym};

/// `cache[sequences[t]]`'s key and value rows at `positions[t]` become `keys[t]` and `values[t]`, rounded to the
/// cache's types (nearest even).
///
/// | operand | shape | type |
/// |---|---|---|
/// | `cache` | key/value rows of H heads | state |
/// | `keys` | `[T, H * key_dim]` | f32 |
/// | `values` | `[T, H * value_dim]` | f32 |
/// | `sequences` | `[T]` | i32 |
/// | `positions` | `[T]` | i32 |
/// | out | the next version of `cache` | state |
#[derive(Clone, Debug, PartialEq)]
pub struct KvAppend;

impl Op for KvAppend {
    const NAME: &'static str = "kv_append";
    const INPUTS: &'static [&'static str] = &["cache", "keys", "values", "sequences", "positions"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-7, relative: 1e-3 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let state = inputs.state(0)?;
        let &StateSpec::KvRows { heads, key_dim, value_dim, .. } = state else {
            return Err(inputs.want(false, 0, || "key/value rows").unwrap_err());
        };
        let (rows, keys) = inputs.matrix(1, DType::F32)?;
        inputs.want(Some(keys) == heads.checked_mul(key_dim), 1, || format!("rows of {heads} x {key_dim}"))?;
        let (value_rows, values) = inputs.matrix(2, DType::F32)?;
        let fits = Some(values) == heads.checked_mul(value_dim) && value_rows == rows;
        inputs.want(fits, 2, || format!("{rows} rows of {heads} x {value_dim}"))?;
        inputs.want_index(3, rows)?;
        inputs.want_index(4, rows)?;
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
            .flat_map(|dtype| appended().map(|spans| case(dtype, 2, (16, 16), spans)))
            .chain([case(DType::F16, 3, (10, 6), one_span(2, 3)), case(DType::F32, 1, (33, 65), one_span(0, 2))])
            .collect()
    }
}

fn case(dtype: DType, heads: usize, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<KvAppend> {
    let spec = StateSpec::KvRows { heads, key_dim, value_dim, key: dtype, value: dtype };
    let name = format!("{dtype}-h{heads}-d{key_dim}-{value_dim}");
    let rows = |dim| Operand::tensor(Desc::rows(DType::F32, Sym::T, heads * dim), Fill::Normal(1.0));
    let inputs = vec![
        Operand::State { spec, filled: filled(&spans) },
        rows(key_dim),
        rows(value_dim),
        Operand::index(Fill::Sequences),
        Operand::index(Fill::Positions),
    ];
    Case::of_spans(&name, KvAppend, inputs, spans)
}
