//! Quantization of activations.

use super::case::{Case, Fill, Operand};
use super::{Attrs, Inputs, Op, Outs, Tolerance, one};
use crate::{DType, Desc, OpError, Sym};

/// The rows of `x` in the activation blocks `to`.
///
/// | operand | shape | type |
/// |---|---|---|
/// | `x` | `[.., K]`, K a multiple of the block | f32 |
/// | out | as `x` | `to`: q8_0, q8_1 or q8_k |
///
/// q8_0 and q8_k are byte for byte what ggml's reference encoders give. A block with a value that is not finite gets
/// scale NaN and quants 0; the float sum of q8_1 is then NaN, the integer sums of q8_k are 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantize {
    /// The activation block type.
    pub to: DType,
}

impl Op for Quantize {
    const NAME: &'static str = "quantize";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        blocks(inputs, self.to)
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().text("to", self.to.name())
    }

    fn cases() -> Vec<Case<Self>> {
        let fills =
            [("", Fill::Normal(3.0)), ("wide-", Fill::Wide), ("zero-", Fill::Zero), ("nonfinite-", Fill::NonFinite)];
        let mut cases = Vec::new();
        for to in [DType::Q8_0, DType::Q8_1, DType::Q8K] {
            for (kind, fill) in fills {
                cases.push(case(to, 3, 512, kind, fill));
            }
            for (t, blocks) in [(0, 1), (1, 1), (17, 2), (2, 0)] {
                cases.push(case(to, t, blocks * to.block_elems(), "", fills[0].1));
            }
        }
        cases
    }

    fn benches() -> Vec<Case<Self>> {
        let types = [DType::Q8_0, DType::Q8_1, DType::Q8K];
        types.into_iter().flat_map(|to| [1, 512].map(|t| case(to, t, 4096, "", Fill::Normal(3.0)))).collect()
    }
}

/// Input 0, f32 of two dimensions or more, in the blocks `to`.
pub(super) fn blocks(inputs: &Inputs<'_>, to: DType) -> Result<Outs, OpError> {
    let activation = DType::weight_blocks().any(|w| w.activation() == Some(to));
    inputs.want_attribute(activation, "to", "an activation block type", to)?;
    let (x, block) = (inputs.tensor(0)?, to.block_elems());
    inputs.want(x.dtype == DType::F32 && x.shape.len() >= 2, 0, || "f32 of two dimensions or more")?;
    inputs.want(x.cols().is_multiple_of(block), 0, || format!("rows of a multiple of {block}"))?;
    one(Desc { dtype: to, shape: x.shape.clone() })
}

fn case(to: DType, t: usize, k: usize, kind: &str, fill: Fill) -> Case<Quantize> {
    let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, k), fill);
    Case::new(format!("{to}-{kind}t{t}-k{k}"), Quantize { to }, t, vec![x])
}
