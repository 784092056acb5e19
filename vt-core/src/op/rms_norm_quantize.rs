//! Root-mean-square normalization, quantized.

use super::quantized::{Producer, Quantized};
use super::{Fill, Operand, RmsNorm};
use crate::{DType, Desc, Sym};

/// [`RmsNorm`] in activation blocks ([`Quantized`]).
pub type RmsNormQuantize = Quantized<RmsNorm>;

impl Producer for RmsNorm {
    const QUANTIZED: &'static str = "rms_norm_quantize";

    fn example(k: usize, fill: Fill) -> (Self, Vec<Operand>) {
        let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, k), fill);
        let weight = Operand::tensor(Desc::new(DType::F32, [k]), Fill::Normal(1.0));
        (RmsNorm { eps: 1e-6 }, vec![x, weight])
    }
}
