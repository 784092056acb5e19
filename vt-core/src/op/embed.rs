//! Embedding lookup.

use super::case::{Case, Fill, Operand};
use super::{Cost, Inputs, Op, Outs, Tolerance, ValueType, Workload, one};
use crate::{DType, Desc, Dim, OpError, Sym};

/// `out[t] = table[ids[t]]`, decoded to f32.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `ids` | `[T]`, each in `0..V` | i32 |
/// | `table` | `[V, D]` | f32, f16, bf16 or a weight block |
/// | out | `[T, D]` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Embed;

impl Op for Embed {
    const NAME: &'static str = "embed";
    const INPUTS: &'static [&'static str] = &["ids", "table"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let [rows] = inputs.dims(0, DType::I32)?;
        let table = inputs.tensor(1)?;
        inputs.want(is_weight(table.dtype), 1, || "f32, f16, bf16 or a weight block")?;
        let (_, cols) = inputs.matrix(1, table.dtype)?;
        inputs.want(table.row_bytes().is_some(), 1, || "rows of whole blocks")?;
        one(Desc::new(DType::F32, [rows, Dim::Fixed(cols)]))
    }

    /// Of the table, the rows that are looked up.
    fn cost(&self, work: &Workload<'_>) -> Cost {
        let row = work.inputs.get(1).and_then(ValueType::tensor).and_then(Desc::row_bytes).unwrap_or(0);
        let ids = work.input_bytes(0) / DType::I32.block_bytes() as u64;
        Cost { bytes: ids.saturating_mul(row as u64) + work.input_bytes(0) + work.output_bytes(0), ..Cost::default() }
    }

    fn cases() -> Vec<Case<Self>> {
        let blocks = DType::weight_blocks().map(|d| (3, d, 5, 256));
        let floats = [(0, DType::F32, 4, 8), (1, DType::F32, 1, 1), (1, DType::F16, 9, 33), (17, DType::BF16, 6, 16)];
        blocks.chain(floats).map(|(t, dtype, v, d)| case(t, dtype, v, d)).collect()
    }
}

/// Whether weights may be of this type.
pub(super) fn is_weight(dtype: DType) -> bool {
    dtype.is_weight_block() || matches!(dtype, DType::F32 | DType::F16 | DType::BF16)
}

fn case(t: usize, dtype: DType, v: usize, d: usize) -> Case<Embed> {
    let ids = Operand::tensor(Desc::new(DType::I32, [Sym::T]), Fill::Ids(v));
    let table = Operand::tensor(Desc::new(dtype, [v, d]), Fill::Normal(1.0));
    Case::new(format!("{dtype}-t{t}-v{v}-d{d}"), Embed, t, vec![ids, table])
}
