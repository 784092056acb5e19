//! Putting the steps of a schedule together.

use smallvec::SmallVec;

use super::arena::{self, Domain, Layout};
use super::error::PlanError;
use super::options::Options;
use super::program::{Program, Source};
use super::schedule::{self, Planned};
use super::step::{Copy, Operand, Part, Place, Segment, Step};
use crate::Sizes;
use crate::kernel::Need;
use crate::op::ValueType;
use crate::registry::Registry;

/// The steps of a class of passes.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub sizes: Sizes,
    pub parts: Vec<Part>,
    pub outputs: Vec<Operand>,
    pub steps: u64,
    pub fallbacks: u64,
    pub layout: Layout,
    pub planned: Vec<Planned>,
}

impl Schedule {
    /// The segments in their order.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.parts.iter().filter_map(|p| if let Part::Segment(s) = p { Some(s) } else { None })
    }

    pub(super) fn new(
        program: &Program,
        registry: &Registry,
        options: &Options,
        sizes: Sizes,
        device: usize,
        domains: &[Domain],
    ) -> Result<Self, PlanError> {
        let planned = schedule::schedule(program, registry, options, sizes)?;
        let layout = arena::layout(program, &planned, domains, sizes, options.share_memory)?;
        let assembler = Assembler { program, planned: &planned, layout: &layout, domains, device };
        let parts = assembler.parts();
        let outputs = program.outputs.iter().filter_map(|s| assembler.output(*s)).collect();
        let fallbacks = planned.iter().filter(|p| program.nodes[p.node].device != device).count() as u64;
        Ok(Self { sizes, parts, outputs, steps: planned.len() as u64, fallbacks, layout, planned })
    }
}

/// Puts the steps of a schedule together.
struct Assembler<'a> {
    program: &'a Program,
    planned: &'a [Planned],
    layout: &'a Layout,
    domains: &'a [Domain],
    device: usize,
}

impl Assembler<'_> {
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut first = 0;
        for step in 0..=self.planned.len() {
            for transfer in self.layout.transfers.iter().filter(|t| t.before == step) {
                parts.extend(self.copy(transfer).map(|copy| Part::Copy(Box::new(copy))));
            }
            let Some(planned) = self.planned.get(step) else { break };
            let device = self.program.nodes[planned.node].device;
            let Some(made) = self.step(step) else { continue };
            match parts.last_mut() {
                Some(Part::Segment(segment)) if segment.device == device => {
                    segment.steps.push(made);
                }
                _ => {
                    let made = Step { barrier: false, ..made };
                    let workers = self.program.workers[device];
                    parts.push(Part::Segment(Segment { device, first, steps: vec![made], workers }));
                }
            }
            first += 1;
        }
        parts
    }

    fn step(&self, step: usize) -> Option<Step> {
        let planned = &self.planned[step];
        let node = &self.program.nodes[planned.node];
        let inputs: Option<SmallVec<[Operand; 6]>> = (0..node.inputs.len())
            .map(|i| self.operand(node.inputs[i], &node.input_types[i], node.device, planned.needs[i]))
            .collect();
        let outputs: Option<SmallVec<[Operand; 1]>> = (0..node.outputs.len())
            .map(|output| {
                let source = Source::Node { node: planned.node, output };
                self.operand(source, &node.outputs[output], node.device, Need::Tile)
            })
            .collect();
        Some(Step {
            op: node.op.name(),
            node: planned.node,
            bound: planned.kernel.bind(&*node.op)?,
            share: planned.share,
            barrier: planned.barrier,
            epoch: planned.epoch,
            inputs: inputs?,
            outputs: outputs?,
            in_place: self.layout.in_place[step],
            scratch: planned.scratch,
            fallback: node.device != self.device,
        })
    }

    /// An operand as a device sees it: workers' own copies are its own only where its workers wrote them.
    fn operand(&self, source: Source, ty: &ValueType, device: usize, need: Need) -> Option<Operand> {
        let place = match self.layout.place.get(&(source, self.domains[device])) {
            Some(buffer) => {
                let buffer = &self.layout.buffers[*buffer];
                let own = if buffer.own == Some(device) { buffer.stride() } else { 0 };
                Place::Arena { offset: buffer.offset, own }
            }
            None => self.outside(source)?,
        };
        Some(Operand::new(ty.clone(), place, need))
    }

    /// A value as it is copied: one copy of it.
    fn single(&self, source: Source, ty: &ValueType, domain: Domain) -> Option<Operand> {
        let place = match self.layout.place.get(&(source, domain)) {
            Some(buffer) => Place::Arena { offset: self.layout.buffers[*buffer].offset, own: 0 },
            None => self.outside(source)?,
        };
        Some(Operand::new(ty.clone(), place, Need::All))
    }

    /// The place of what is in no arena.
    fn outside(&self, source: Source) -> Option<Place> {
        match source {
            Source::Input(i) => Some(Place::Input(i)),
            Source::Weight(i) => Some(Place::Weight(i)),
            Source::State(_) | Source::Node { .. } => Some(Place::State(self.program.slot(source)?)),
        }
    }

    fn output(&self, source: Source) -> Option<Operand> {
        let Source::Node { node, output } = source else { return None };
        self.single(source, &self.program.nodes[node].outputs[output], 0)
    }

    fn copy(&self, transfer: &arena::Transfer) -> Option<Copy> {
        let ty = match transfer.source {
            Source::Node { node, output } => self.program.nodes[node].outputs[output].clone(),
            Source::Input(i) => self.input_type(i),
            Source::Weight(_) | Source::State(_) => return None,
        };
        let end = |domain| Some((domain, self.single(transfer.source, &ty, domain)?));
        Some(Copy { source: transfer.source, from: end(transfer.from)?, to: end(transfer.to)? })
    }

    fn input_type(&self, i: usize) -> ValueType {
        let desc = self.program.inputs.get(i).map(|(_, d)| d.clone());
        ValueType::Tensor(desc.unwrap_or_else(|| crate::Desc::new(crate::DType::I32, [crate::Sym::T])))
    }
}
