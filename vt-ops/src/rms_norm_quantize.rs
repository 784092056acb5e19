//! Root-mean-square normalization, quantized; its decomposition and its fusion.

use vt_core::op::{Quantized, RmsNorm};
use vt_core::registry::Builder;
use vt_core::{DType, OpError, Recorder, Value};

use crate::call::call;
use crate::quantized;

/// What [`rms_norm`](crate::rms_norm()) gives, in the activation blocks `to`
/// ([`RmsNormQuantize`](vt_core::op::RmsNormQuantize)).
///
/// # Errors
/// If the operands do not fit, or the op cannot be computed.
#[track_caller]
pub fn rms_norm_quantize(g: &dyn Recorder, x: &Value, weight: &Value, eps: f32, to: DType) -> Result<Value, OpError> {
    call(g, Quantized { of: RmsNorm { eps }, to }, &[x, weight])
}

pub(crate) fn register(builder: &mut Builder) {
    quantized::register::<RmsNorm>(builder);
}
