//! Ops whose output is quantized as it is made.

use std::sync::Arc;

use vt_core::graph::{Fused, NodeId};
use vt_core::op::{Producer, Quantize, Quantized};
use vt_core::registry::Builder;
use vt_core::{Graph, OpError, Recorder, Value};

use crate::call::call;
use crate::quantize;

/// Registers that [`Quantized`] is `quantize(P(..), to)`: its decomposition, and its fusion under its own name.
pub(crate) fn register<P: Producer>(builder: &mut Builder) {
    builder.decompose::<Quantized<P>>(decompose);
    builder.fuse(P::QUANTIZED, pattern::<P>);
}

fn decompose<P: Producer>(op: &Quantized<P>, g: &dyn Recorder, inputs: &[&Value]) -> Result<Vec<Value>, OpError> {
    Ok(vec![quantize(g, &call(g, op.of.clone(), inputs)?, op.to)?])
}

/// A quantization of what nothing else uses.
fn pattern<P: Producer>(graph: &Graph, node: NodeId) -> Option<Fused> {
    let (Quantize { to }, x) = graph.op::<Quantize>(node)?;
    let (of, inputs) = graph.sole::<P>(*x.first()?)?;
    Some(Fused { op: Arc::new(Quantized { of, to }), inputs })
}
