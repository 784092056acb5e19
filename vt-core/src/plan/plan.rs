//! Plans: made once from a graph, run many times.

use std::sync::Arc;

use smallvec::SmallVec;

use super::arena::{self, Domain, Layout};
use super::error::PlanError;
use super::memory::{ArenaMemory, Counters, Memory};
use super::options::Options;
use super::outputs::Outputs;
use super::pass::Pass;
use super::program::{FallbackInfo, Program, Source};
use super::schedule::{self, Planned};
use super::step::{Copy, Operand, Part, Place, Segment, Step};
use super::transfer;
use super::walk::{Arena, Args};
use crate::graph::{FusionCounts, Graph};
use crate::kernel::Need;
use crate::memory::{Aligned, DeviceMemory};
use crate::op::ValueType;
use crate::registry::Registry;
use crate::{RunError, Sizes, StateSpec};

/// A graph planned for a device: per class of passes a list of steps with their kernels, shares, barriers and places.
#[derive(Debug)]
pub struct Plan {
    pub(crate) registry: Arc<Registry>,
    pub(crate) program: Program,
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) arenas: Vec<usize>,
    pub(crate) domains: Vec<Domain>,
    remote_weights: Vec<Vec<Option<Arc<dyn DeviceMemory>>>>,
    scratch: usize,
    workers: usize,
}

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

impl Plan {
    /// Plans a graph.
    ///
    /// # Errors
    /// If the device is unknown, an op has no kernel and the policy no way out, a value does not fit in memory, or the
    /// device refuses the weights.
    pub fn new(graph: &Graph, registry: &Arc<Registry>, options: &Options) -> Result<Self, PlanError> {
        let device = registry.device_index(&options.device).ok_or_else(|| PlanError::NoDevice {
            name: options.device.clone(),
            known: registry.devices().iter().map(|d| d.name()).collect::<Vec<_>>().join(", "),
        })?;
        let program = Program::new(graph, registry, options, device)?;
        let domains = arena::domains(registry);
        let schedules: Vec<Schedule> = options
            .classes
            .iter()
            .map(|sizes| Schedule::new(&program, registry, options, *sizes, device, &domains))
            .collect::<Result<_, _>>()?;
        let memories = domains.iter().copied().max().unwrap_or(0) + 1;
        let arenas = (0..memories).map(|d| schedules.iter().map(|s| s.layout.arenas[d]).max().unwrap_or(0)).collect();
        let scratch = schedules.iter().flat_map(|s| &s.planned).map(|p| p.scratch).max().unwrap_or(0);
        let remote_weights = transfer::upload_weights(&program, registry, &domains)?;
        let workers = registry.devices().iter().map(|d| d.workers()).max().unwrap_or(1);
        let registry = Arc::clone(registry);
        Ok(Self { registry, program, schedules, arenas, domains, remote_weights, scratch, workers })
    }

    /// Memory to run the plan with.
    ///
    /// # Errors
    /// If it cannot be reserved.
    pub fn memory(&self) -> Result<Memory, PlanError> {
        let arena = |(domain, bytes): (usize, &usize)| match self.device_of(domain).and_then(|d| d.store()) {
            Some(store) => Ok::<_, PlanError>(ArenaMemory::Remote(store.alloc(*bytes)?)),
            None => Ok(ArenaMemory::Host(Aligned::zeroed(*bytes)?)),
        };
        let arenas = self.arenas.iter().enumerate().map(arena).collect::<Result<_, _>>()?;
        let stride = self.scratch.next_multiple_of(crate::memory::ALIGNMENT);
        let rows = self.schedules.iter().map(|s| s.sizes.t).max().unwrap_or(0);
        Ok(Memory {
            arenas,
            scratch: Aligned::zeroed(stride * self.workers)?,
            scratch_stride: stride,
            positions: Vec::with_capacity(rows),
            sequences: Vec::with_capacity(rows),
            states: Vec::with_capacity(rows * self.program.states.len()),
            inputs: Vec::with_capacity(self.program.inputs.len() + 2),
            staging: Vec::new(),
            counters: Counters::default(),
        })
    }

    /// Runs a pass: the first class of passes that it fits.
    ///
    /// Spans may be empty, and R may be 0. A pass without copies between memories does not allocate.
    ///
    /// # Errors
    /// If the pass does not fit the plan, or a kernel or device fails. A failed pass leaves each sequence as long as it
    /// was before its span; a sequence with recurrent state must then be cleared or restored.
    pub fn run<'m>(&'m self, memory: &'m mut Memory, pass: &mut Pass<'_, '_>) -> Result<Outputs<'m>, RunError> {
        let largest = self
            .schedules
            .iter()
            .fold(Sizes { t: 0, r: 0 }, |m, s| Sizes { t: m.t.max(s.sizes.t), r: m.r.max(s.sizes.r) });
        pass.check(&self.program, largest)?;
        let schedule = self.schedules.iter().find(|s| pass.sizes.within(&s.sizes)).ok_or_else(|| RunError::Pass {
            what: "rows of the pass",
            expected: "a class of passes of the plan".to_owned(),
            found: format!("{:?}", pass.sizes),
        })?;
        memory.enter(pass, self.program.batch)?;
        for span in pass.spans {
            pass.sequences[span.sequence].begin(span);
        }
        for part in &schedule.parts {
            match part {
                Part::Segment(segment) => self.run_segment(segment, memory, pass.sizes)?,
                Part::Copy(copy) => transfer::run(self, copy, memory, pass.sizes)?,
            }
        }
        for span in pass.spans {
            pass.sequences[span.sequence].finish(span);
        }
        memory.counters.passes += 1;
        memory.counters.steps += schedule.steps;
        memory.counters.fallbacks += schedule.fallbacks;
        Ok(Outputs::new(&schedule.outputs, pass.sizes, memory))
    }

    fn run_segment(&self, segment: &Segment, memory: &mut Memory, sizes: Sizes) -> Result<(), RunError> {
        let domain = self.domains[segment.device];
        let scratch = memory.scratch.base();
        let Memory { arenas, scratch_stride, states, inputs, .. } = memory;
        let arena: Arena<'_> = arenas[domain].arena();
        let args = Args {
            sizes,
            arena,
            scratch,
            scratch_stride: *scratch_stride,
            inputs,
            weights: &self.program.weights,
            remote_weights: self.remote_weights.get(domain).map_or(&[], Vec::as_slice),
            states,
            slots: self.program.states.len(),
        };
        self.registry.devices()[segment.device].run(segment, args)
    }

    pub(crate) fn device_of(&self, domain: Domain) -> Option<&Arc<dyn crate::registry::Device>> {
        let index = self.domains.iter().position(|d| *d == domain)?;
        self.registry.devices().get(index)
    }

    /// The kinds of state that sequences must have.
    pub fn states(&self) -> &[StateSpec] {
        &self.program.states
    }

    /// The ops that do not run on the plan's device, with the reasons. Measurements want this to be empty.
    pub fn fallbacks(&self) -> &[FallbackInfo] {
        &self.program.fallbacks
    }

    /// Which fusions were applied.
    pub fn fusions(&self) -> &FusionCounts {
        &self.program.fusions
    }

    /// The bytes of all arenas.
    pub fn arena_bytes(&self) -> usize {
        self.arenas.iter().sum()
    }

    /// The largest pass.
    pub fn largest(&self) -> Sizes {
        self.schedules.iter().fold(Sizes { t: 0, r: 0 }, |m, s| Sizes { t: m.t.max(s.sizes.t), r: m.r.max(s.sizes.r) })
    }
}

impl Schedule {
    fn new(
        program: &Program,
        registry: &Registry,
        options: &Options,
        sizes: Sizes,
        device: usize,
        domains: &[Domain],
    ) -> Result<Self, PlanError> {
        let planned = schedule::schedule(program, registry, options, sizes)?;
        let layout = arena::layout(program, &planned, registry, sizes, options.share_memory)?;
        let assembler = Assembler { program, planned: &planned, layout: &layout, domains, device, registry };
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
    registry: &'a Registry,
}

impl Assembler<'_> {
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for step in 0..=self.planned.len() {
            for transfer in self.layout.transfers.iter().filter(|t| t.before == step) {
                parts.extend(self.copy(transfer).map(Part::Copy));
            }
            let Some(planned) = self.planned.get(step) else { break };
            let device = self.program.nodes[planned.node].device;
            let Some(made) = self.step(step) else { continue };
            match parts.last_mut() {
                Some(Part::Segment(segment)) if segment.device == device => {
                    segment.scratch = segment.scratch.max(made.scratch);
                    segment.steps.push(made);
                }
                _ => {
                    let made = Step { barrier: false, ..made };
                    let workers = self.registry.devices()[device].workers();
                    parts.push(Part::Segment(Segment { device, scratch: made.scratch, steps: vec![made], workers }));
                }
            }
        }
        parts
    }

    fn step(&self, step: usize) -> Option<Step> {
        let planned = &self.planned[step];
        let node = &self.program.nodes[planned.node];
        let domain = self.domains[node.device];
        let inputs: Option<SmallVec<[Operand; 6]>> = (0..node.inputs.len())
            .map(|i| self.operand(node.inputs[i], &node.input_types[i], domain, planned.needs[i]))
            .collect();
        let outputs: Option<SmallVec<[Operand; 1]>> = (0..node.outputs.len())
            .map(|output| {
                let source = Source::Node { node: planned.node, output };
                self.operand(source, &node.outputs[output], domain, Need::Tile)
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

    fn operand(&self, source: Source, ty: &ValueType, domain: Domain, need: Need) -> Option<Operand> {
        let place = match (source, self.layout.place.get(&(source, domain))) {
            (_, Some(buffer)) => {
                let buffer = &self.layout.buffers[*buffer];
                Place::Arena { offset: buffer.offset, own: if buffer.own { buffer.stride() } else { 0 } }
            }
            (Source::Input(i), None) => Place::Input(i),
            (Source::Weight(i), None) => Place::Weight(i),
            (_, None) => Place::State(self.program.slot(source)?),
        };
        Some(Operand::new(ty.clone(), place, need))
    }

    fn output(&self, source: Source) -> Option<Operand> {
        let Source::Node { node, output } = source else { return None };
        self.operand(source, &self.program.nodes[node].outputs[output], 0, Need::All)
    }

    fn copy(&self, transfer: &arena::Transfer) -> Option<Copy> {
        let ty = match transfer.source {
            Source::Node { node, output } => self.program.nodes[node].outputs[output].clone(),
            Source::Input(i) => self.input_type(i),
            Source::Weight(_) | Source::State(_) => return None,
        };
        let end = |domain| Some((domain, self.operand(transfer.source, &ty, domain, Need::All)?));
        Some(Copy { from: end(transfer.from)?, to: end(transfer.to)? })
    }

    fn input_type(&self, i: usize) -> ValueType {
        let desc = self.program.inputs.get(i).map(|(_, d)| d.clone());
        ValueType::Tensor(desc.unwrap_or_else(|| crate::Desc::new(crate::DType::I32, [crate::Sym::T])))
    }
}
