//! Computing an op at once.

use std::panic::Location;
use std::sync::Arc;

use super::{Fallback, Feed, Options, Pass, Plan};
use crate::graph::{Graph, Recorder, Value};
use crate::op::ArcOp;
use crate::registry::Registry;
use crate::{OpError, Sizes, Tensor};

/// A recorder that computes each op when it is recorded, as a plan of one node. Slow, and handy for tests and
/// exploration; models use graphs.
#[derive(Clone, Debug)]
pub struct Eager {
    registry: Arc<Registry>,
    options: Options,
}

impl Eager {
    /// Computes on the device of that name; what it has no kernel for on the reference device.
    pub fn new(registry: &Arc<Registry>, device: &str) -> Self {
        let options = Options { fallback: Fallback::Reference, ..Options::new(device, Sizes { t: 0, r: 0 }) };
        Self { registry: Arc::clone(registry), options }
    }

    fn compute(&self, op: ArcOp, inputs: &[&Value], at: &'static Location<'static>) -> Result<Vec<Tensor>, OpError> {
        let name = op.name();
        if inputs.iter().any(|v| v.tensor().is_none()) {
            return Err(OpError::Eager { op: name, why: "an eager op takes tensors, not values of a graph" });
        }
        let graph = Graph::new();
        for value in graph.record(op, inputs, at)? {
            graph.output(&value)?;
        }
        let plan = Plan::new(&graph, &self.registry, &self.options)?;
        let mut memory = plan.memory()?;
        let none: [Feed<'_>; 0] = [];
        let mut pass = Pass { inputs: &none, spans: &[], sequences: &mut [], sizes: Sizes { t: 0, r: 0 } };
        let outputs = plan.run(&mut memory, &mut pass)?;
        Ok((0..outputs.len()).map(|i| outputs.tensor(i)).collect::<Result<_, _>>()?)
    }
}

impl Recorder for Eager {
    fn record(&self, op: ArcOp, inputs: &[&Value], at: &'static Location<'static>) -> Result<Vec<Value>, OpError> {
        let tensors = self.compute(op, inputs, at).map_err(|e| e.at(at))?;
        Ok(tensors.into_iter().map(Value::from).collect())
    }
}
