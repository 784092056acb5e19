//! Decoding to f32.

use super::case::{Case, Fill, Operand};
use super::embed::is_weight;
use super::{Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError};

/// `out = x`, decoded to f32: what a block, an f16 or a bf16 stands for.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[.., D]` | f32, f16, bf16 or a weight block |
/// | out | as `x` | f32 |
#[derive(Clone, Debug, PartialEq)]
pub struct Dequantize;

impl Op for Dequantize {
    const NAME: &'static str = "dequantize";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 1e-6 };

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let x = inputs.tensor(0)?;
        inputs.want(
            is_weight(x.dtype) && !x.shape.is_empty(),
            0,
            || "f32, f16, bf16 or a weight block, of one dimension or more",
        )?;
        inputs.want(x.row_bytes().is_some(), 0, || "rows of whole blocks")?;
        one(Desc { dtype: DType::F32, shape: x.shape.clone() })
    }

    fn cases() -> Vec<Case<Self>> {
        let blocks = DType::weight_blocks().map(|d| (d, vec![3usize, 256]));
        let floats = [
            (DType::F16, vec![3, 33]),
            (DType::BF16, vec![17]),
            (DType::F32, vec![2, 3, 4]),
            (DType::F16, vec![0, 4]),
            (DType::Q8_0, vec![2, 2, 32]),
            (DType::Q4K, vec![1, 0]),
        ];
        blocks.chain(floats).map(|(dtype, shape)| case(dtype, &shape)).collect()
    }
}

fn case(dtype: DType, shape: &[usize]) -> Case<Dequantize> {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let x = Operand::tensor(Desc::new(dtype, shape.iter().copied()), Fill::Normal(1.0));
    Case::new(format!("{dtype}-{}", sizes.join("x")), Dequantize, 0, vec![x])
}
