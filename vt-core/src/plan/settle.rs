//! What a kernel says of a call, brought into a form that the scheduler can rely on.

use std::sync::Arc;

use super::error::{MissingKernel, PlanError};
use super::options::Options;
use super::program::{Program, ProgramNode};
use super::step::Rows;
use crate::kernel::{Call, Cut, Need};
use crate::op::ValueType;
use crate::registry::{AnyKernel, Registry};
use crate::{DType, Sizes};

/// An op with its kernel, not yet in order.
pub(super) struct Candidate {
    pub kernel: Arc<dyn AnyKernel>,
    pub needs: Vec<Need>,
    pub cut: Cut,
    pub rows: usize,
    pub cols: usize,
    pub scratch: usize,
}

impl Candidate {
    /// Picks the kernel of a node for a class of passes, and asks it how it wants to be run.
    pub(super) fn new(
        program: &Program,
        node: &ProgramNode,
        registry: &Registry,
        options: &Options,
        sizes: Sizes,
    ) -> Result<Self, PlanError> {
        let device = registry.devices()[node.device].name();
        let workers = program.workers[node.device];
        let call = Call { inputs: &node.input_types, outputs: &node.outputs, sizes, workers };
        let name = options.kernel_for(registry, &*node.op, device, &call);
        let kernel = registry.choose(&*node.op, device, &call, name).map_err(|reasons| PlanError::NoKernel {
            device: device.to_owned(),
            ops: vec![MissingKernel { op: node.op.name(), inputs: String::new(), count: 1, reasons }],
        })?;
        let needs: Vec<Need> = (0..node.inputs.len()).map(|i| settled_need(node, &*kernel, i)).collect();
        let cut = settled_cut(node, kernel.cut(&*node.op, &call), &needs, &call);
        let scratch = kernel.scratch(&*node.op, &call);
        Ok(Self { needs, cut, rows: call.rows(), cols: call.cols(), scratch, kernel })
    }
}

/// What the kernel needs of an input; all of it where its rows do not belong to the output's.
fn settled_need(node: &ProgramNode, kernel: &dyn AnyKernel, i: usize) -> Need {
    let rows = Rows::of(&node.input_types[i]);
    let belong = node.outputs.first().is_some_and(|o| rows.per(Rows::of(o)).is_some());
    match kernel.need(&*node.op, i) {
        Need::Tile if belong || rows.single() => Need::Tile,
        Need::Rows if belong => Need::Rows,
        _ => Need::All,
    }
}

/// How the kernel wants its output cut, less what would not give every worker whole parts of every operand.
fn settled_cut(node: &ProgramNode, cut: Cut, needs: &[Need], call: &Call<'_>) -> Cut {
    let (rows, cols) = (call.rows(), call.cols());
    let mut cut = Cut { rows: cut.rows.min(rows), cols: cut.cols.min(cols), ..cut };
    if node.outputs.iter().any(|o| o.state().is_some()) {
        cut = Cut { rows: 0, each: false, ..cut };
    }
    let same_rows = node.outputs.windows(2).all(|o| Rows::of(&o[0]) == Rows::of(&o[1]));
    if rows <= 1 || !same_rows {
        cut.rows = 0;
    }
    let narrowed = node.input_types.iter().zip(needs).filter(|(_, n)| **n == Need::Tile).map(|(t, _)| t);
    if !node.outputs.iter().chain(narrowed).all(|ty| divides(ty, cut.cols, cols)) {
        cut.cols = 0;
    }
    cut
}

/// Whether parts of `grain` of `total` columns are whole blocks of a value's columns.
fn divides(ty: &ValueType, grain: usize, total: usize) -> bool {
    let (cols, block) = match ty {
        ValueType::Tensor(d) => (d.cols(), d.dtype.block_elems()),
        ValueType::State(s) => (s.parts(), DType::F32.block_elems()),
    };
    let scaled = grain.checked_mul(cols).filter(|n| total > 0 && n.is_multiple_of(total));
    scaled.is_some_and(|n| (n / total).is_multiple_of(block))
}
