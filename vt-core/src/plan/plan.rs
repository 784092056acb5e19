//! Plans: made once from a graph, run many times.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::arena::{self, Domain};
use super::assemble::Schedule;
use super::assign::FallbackInfo;
use super::error::PlanError;
use super::memory::{ArenaMemory, Counters, Memory};
use super::observe::Watch;
use super::options::Options;
use super::outputs::Outputs;
use super::pass::Pass;
use super::program::Program;
use super::step::{Part, Segment};
use super::transfer::{self, RemoteWeights};
use super::walk::{Arena, Args};
use crate::graph::{FusionCounts, Graph};
use crate::memory::{ALIGNMENT, Aligned, OutOfMemory};
use crate::registry::Registry;
use crate::{RunError, Sizes, StateSpec};

/// A graph planned for a device: per class of passes a list of steps with their kernels, shares, barriers and places.
#[derive(Debug)]
pub struct Plan {
    /// What its memory is marked with: no other plan's places fit in it.
    id: u64,
    /// The device that it was made for.
    pub(crate) device: usize,
    pub(crate) registry: Arc<Registry>,
    pub(crate) program: Program,
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) arenas: Vec<usize>,
    pub(crate) domains: Vec<Domain>,
    remote_weights: RemoteWeights,
    /// The bytes of scratch memory from one worker's to the next one's.
    pub(crate) scratch: usize,
}

impl Plan {
    /// Plans a graph.
    ///
    /// # Errors
    /// If the device is unknown, an op has no kernel and the policy no way out, a value does not fit in memory, or the
    /// device refuses the weights.
    pub fn new(graph: &Graph, registry: &Arc<Registry>, options: &Options) -> Result<Self, PlanError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let device = registry.device_index(&options.device).ok_or_else(|| PlanError::NoDevice {
            name: options.device.clone(),
            known: registry.devices().iter().map(|d| d.name()).collect::<Vec<_>>().join(", "),
        })?;
        let program = Program::new(graph, registry, options, device)?;
        let domains = arena::domains(registry);
        let schedule = |sizes: &Sizes| Schedule::new(&program, registry, options, *sizes, device, &domains);
        let schedules: Vec<Schedule> = options.classes.iter().map(schedule).collect::<Result<_, _>>()?;
        let memories = domains.iter().copied().max().unwrap_or(0) + 1;
        let arenas = (0..memories).map(|d| schedules.iter().map(|s| s.layout.arenas[d]).max().unwrap_or(0)).collect();
        let scratch = schedules.iter().flat_map(|s| &s.planned).map(|p| p.scratch).max().unwrap_or(0);
        let scratch = scratch.checked_next_multiple_of(ALIGNMENT).ok_or(OutOfMemory { bytes: scratch })?;
        let remote_weights = transfer::upload_weights(&program, registry, &domains)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let registry = Arc::clone(registry);
        let plan = Self { id, device, registry, program, schedules, arenas, domains, remote_weights, scratch };
        // Miri interprets the checks too slowly, and proves what they are for in its own way.
        debug_assert!(cfg!(miri) || plan.verify() == Ok(()), "{:?}", plan.verify());
        Ok(plan)
    }

    /// Memory to run the plan with.
    ///
    /// # Errors
    /// If it cannot be reserved.
    pub fn memory(&self) -> Result<Memory, PlanError> {
        let arena = |(domain, bytes): (usize, &usize)| match self.device_of(domain).and_then(|d| d.store()) {
            Some(store) => Ok::<_, PlanError>(ArenaMemory::Remote(store.alloc(*bytes)?)),
            None => Ok(ArenaMemory::Host(Aligned::zeroed_in_large_pages(*bytes)?)),
        };
        let arenas = self.arenas.iter().enumerate().map(arena).collect::<Result<_, _>>()?;
        let workers = self.program.workers.iter().copied().max().unwrap_or(1);
        let scratch = self.scratch.checked_mul(workers).ok_or(OutOfMemory { bytes: self.scratch })?;
        let rows = self.largest().t;
        Ok(Memory {
            plan: self.id,
            arenas,
            scratch: Aligned::zeroed_in_large_pages(scratch)?,
            positions: Vec::with_capacity(rows),
            sequences: Vec::with_capacity(rows),
            states: Vec::with_capacity(rows * self.program.states.len()),
            inputs: Vec::with_capacity(self.program.inputs.len() + 2),
            staging: Vec::new(),
            observer: None,
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
        if memory.plan != self.id {
            let (expected, found) = ("that of the plan".to_owned(), "another plan's".to_owned());
            return Err(RunError::Pass { what: "memory", expected, found });
        }
        pass.check(&self.program, self.largest())?;
        let mut classes = self.schedules.iter().enumerate();
        let (class, schedule) = classes.find(|(_, s)| pass.sizes.within(&s.sizes)).ok_or_else(|| RunError::Pass {
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
                Part::Segment(segment) => self.run_segment(segment, memory, pass.sizes, class)?,
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

    fn run_segment(&self, segment: &Segment, memory: &mut Memory, sizes: Sizes, class: usize) -> Result<(), RunError> {
        let domain = self.domains[segment.device];
        let scratch = memory.scratch.base();
        let Memory { arenas, states, inputs, observer, .. } = memory;
        let arena: Arena<'_> = arenas[domain].arena();
        let args = Args {
            segment,
            sizes,
            arena,
            scratch,
            scratch_stride: self.scratch,
            inputs,
            weights: &self.program.weights,
            remote_weights: self.remote_weights.get(domain).map_or(&[], Vec::as_slice),
            states,
            slots: self.program.states.len(),
            watch: observer.as_deref().map(|observer| Watch { observer, schedule: class }),
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
