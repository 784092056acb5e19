//! Which device computes each op.

use super::error::{MissingKernel, PlanError};
use super::options::Options;
use super::program::Program;
use crate::graph::{Graph, NodeId, NodeKind};
use crate::kernel::Call;
use crate::op::{AnyOp, ArcOp, Outs, ValueType};
use crate::registry::Registry;

/// An op that does not run on the plan's device, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FallbackInfo {
    /// What there is no kernel for.
    pub missing: MissingKernel,
    /// The device that runs it instead.
    pub device: &'static str,
}

impl Program {
    /// Moves what the device cannot compute to the reference device, or refuses.
    pub(super) fn assign(
        &mut self,
        registry: &Registry,
        options: &Options,
        device: usize,
        reference: Option<usize>,
    ) -> Result<(), PlanError> {
        let devices = registry.devices();
        let remote = devices[device].store().is_some();
        let mut missing: Vec<(usize, Vec<(String, String)>)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let stateful = node.input_types.iter().chain(&node.outputs).any(|t| t.state().is_some());
            let answer =
                supported(registry, &*node.op, &node.input_types, &node.outputs, devices[device].name(), options);
            match answer {
                Ok(()) if remote && stateful => {
                    missing.push((i, vec![("any".to_owned(), "state is in the host's memory".to_owned())]));
                }
                Ok(()) => {}
                Err(reasons) => missing.push((i, reasons)),
            }
        }
        let mut refused = Vec::new();
        for (i, reasons) in missing {
            let node = &self.nodes[i];
            let found = MissingKernel { op: node.op.name(), inputs: join(&node.input_types), count: 1, reasons };
            let able = reference.filter(|r| {
                supported(registry, &*node.op, &node.input_types, &node.outputs, devices[*r].name(), options).is_ok()
            });
            match able {
                Some(reference) => {
                    self.nodes[i].device = reference;
                    let name = devices[reference].name();
                    count(&mut self.fallbacks, FallbackInfo { missing: found, device: name }, |f| &mut f.missing);
                }
                None => count(&mut refused, found, |m| m),
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        Err(PlanError::NoKernel { device: options.device.clone(), ops: refused })
    }
}

/// Adds to a list in which equal entries are counted.
fn count<T>(list: &mut Vec<T>, new: T, missing: impl Fn(&mut T) -> &mut MissingKernel) {
    let mut new = new;
    let key = {
        let m = missing(&mut new);
        (m.op, m.inputs.clone(), m.reasons.clone())
    };
    for entry in list.iter_mut() {
        let m = missing(entry);
        if m.op == key.0 && m.inputs == key.1 && m.reasons == key.2 {
            m.count += 1;
            return;
        }
    }
    list.push(new);
}

fn join(types: &[ValueType]) -> String {
    types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn types_of(graph: &Graph, node: NodeId) -> Option<(ArcOp, Vec<ValueType>, Outs)> {
    let inner = graph.borrow();
    let NodeKind::Op { op, .. } = &inner.dag.node_weight(node)?.kind else { return None };
    let types = inner.inputs(node).iter().map(|p| inner.dag[p.node].outs[p.output].clone()).collect();
    Some((op.clone(), types, inner.dag[node].outs.clone()))
}

/// Whether the device computes the op in every class of passes; the kernels' reasons where not.
pub(super) fn supported(
    registry: &Registry,
    op: &dyn AnyOp,
    inputs: &[ValueType],
    outputs: &[ValueType],
    device: &str,
    options: &Options,
) -> Result<(), Vec<(String, String)>> {
    let workers = registry.devices().iter().find(|d| d.name() == device).map_or(1, |d| d.workers());
    for sizes in &options.classes {
        let call = Call { inputs, outputs, sizes: *sizes, workers };
        registry.choose(op, device, &call, options.kernel_for(registry, op, device, &call))?;
    }
    Ok(())
}

impl Options {
    /// The kernel that the options name, if it is one of this op's.
    pub(crate) fn kernel_for(
        &self,
        registry: &Registry,
        op: &dyn AnyOp,
        device: &str,
        call: &Call<'_>,
    ) -> Option<&str> {
        let name = self.kernel.as_deref()?;
        registry.explain(op, device, call).iter().any(|k| k.name == name).then_some(name)
    }
}
