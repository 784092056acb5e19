//! Writing keys and values to the cache.

use smallvec::smallvec;

use super::case::{Case, Fill, Operand};
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
        for i in [3, 4] {
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
            .flat_map(|dtype| spans.clone().map(|spans| case(dtype, 2, (16, 16), spans)))
            .chain([case(DType::F16, 3, (10, 6), one(2, 3)), case(DType::F32, 1, (33, 65), one(0, 2))])
            .collect()
    }
}

fn case(dtype: DType, heads: usize, (key_dim, value_dim): (usize, usize), spans: Vec<Span>) -> Case<KvAppend> {
    let spec = StateSpec::KvRows { heads, key_dim, value_dim, key: dtype, value: dtype };
    let t = spans.iter().map(|s| s.rows).sum();
    let places: Vec<String> = spans.iter().map(|s| format!("s{}p{}n{}", s.sequence, s.position, s.rows)).collect();
    let name = format!("{dtype}-h{heads}-d{key_dim}-{value_dim}-{}", places.join("-"));
    let rows = |dim| Operand::tensor(Desc::rows(DType::F32, Sym::T, heads * dim), Fill::Normal(1.0));
    let index = |fill| Operand::tensor(Desc::new(DType::I32, [Sym::T]), fill);
    let filled = filled(&spans);
    let inputs = vec![
        Operand::State { spec, filled },
        rows(key_dim),
        rows(value_dim),
        index(Fill::Sequences),
        index(Fill::Positions),
    ];
    Case::new(name, KvAppend, t, inputs).with_spans(spans)
}

/// The positions that each sequence holds before the case's rows.
pub(super) fn filled(spans: &[Span]) -> Vec<usize> {
    let sequences = spans.iter().map(|s| s.sequence + 1).max().unwrap_or(0);
    (0..sequences).map(|q| spans.iter().find(|s| s.sequence == q).map_or(0, |s| s.position)).collect()
}
