//! Where each value lies: lifetimes in epochs, and offsets in one arena a memory.

use std::collections::HashMap;

use super::error::PlanError;
use super::program::{Program, Source};
use super::schedule::Planned;
use super::share::Share;
use crate::Sizes;
use crate::kernel::Need;
use crate::memory::ALIGNMENT;
use crate::op::ValueType;
use crate::registry::Registry;

/// A memory that values lie in: 0 is the host's, others belong to one device each.
pub(crate) type Domain = usize;

/// The domain of each device.
pub(crate) fn domains(registry: &Registry) -> Vec<Domain> {
    let mut next = 0;
    let domain = |d: &std::sync::Arc<dyn crate::registry::Device>| {
        if d.store().is_none() {
            return 0;
        }
        next += 1;
        next
    };
    registry.devices().iter().map(domain).collect()
}

/// Memory of one value, or of several that take it over from each other in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    pub domain: Domain,
    /// Bytes of one copy.
    pub bytes: usize,
    /// The device whose workers have a copy each.
    pub own: Option<usize>,
    pub first_epoch: usize,
    pub last_epoch: usize,
    pub offset: usize,
}

impl Buffer {
    /// The distance between workers' copies, never 0.
    pub(crate) fn stride(&self) -> usize {
        self.bytes.max(1).next_multiple_of(ALIGNMENT)
    }

    /// Sizes that do not fit are the largest number: then the arena cannot be reserved.
    fn extent(&self, workers: &[usize]) -> usize {
        self.stride().saturating_mul(self.own.map_or(1, |device| workers[device]))
    }
}

/// A value that is needed in another memory than it was computed in, copied before the step at `before`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub source: Source,
    pub from: Domain,
    pub to: Domain,
    /// The step before which it happens; the number of steps for outputs of the graph.
    pub before: usize,
}

/// The memory layout of a schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub buffers: Vec<Buffer>,
    /// The buffer of each value in each memory where it is.
    pub place: HashMap<(Source, Domain), usize>,
    pub transfers: Vec<Transfer>,
    /// By step, the input whose memory the output takes over.
    pub in_place: Vec<Option<usize>>,
    /// Bytes by domain.
    pub arenas: Vec<usize>,
}

/// Lays out the values of a schedule.
pub(crate) fn layout(
    program: &Program,
    planned: &[Planned],
    domains: &[Domain],
    sizes: Sizes,
    share: bool,
) -> Result<Layout, PlanError> {
    let uses = uses(program, planned);
    let mut maker = Maker { program, planned, domains, sizes, uses, layout: Layout::default() };
    for step in 0..planned.len() {
        maker.place_inputs(step)?;
        maker.place_outputs(step)?;
    }
    maker.place_graph_outputs()?;
    let mut layout = maker.layout;
    layout.arenas = vec![0; domains.iter().copied().max().unwrap_or(0) + 1];
    allocate(&mut layout, &program.workers, share);
    Ok(layout)
}

/// The steps that read each value.
fn uses(program: &Program, planned: &[Planned]) -> HashMap<Source, Vec<usize>> {
    let mut uses: HashMap<Source, Vec<usize>> = HashMap::new();
    for (step, p) in planned.iter().enumerate() {
        for source in &program.nodes[p.node].inputs {
            uses.entry(*source).or_default().push(step);
        }
    }
    uses
}

struct Maker<'a> {
    program: &'a Program,
    planned: &'a [Planned],
    domains: &'a [Domain],
    sizes: Sizes,
    uses: HashMap<Source, Vec<usize>>,
    layout: Layout,
}

impl Maker<'_> {
    fn domain(&self, step: usize) -> Domain {
        self.domains[self.program.nodes[self.planned[step].node].device]
    }

    /// Extends the lives of what a step reads, and copies what lies in another memory.
    fn place_inputs(&mut self, step: usize) -> Result<(), PlanError> {
        let (domain, epoch) = (self.domain(step), self.planned[step].epoch);
        let node = &self.program.nodes[self.planned[step].node];
        for (i, source) in node.inputs.iter().enumerate() {
            let is_tensor = node.input_types[i].tensor().is_some();
            let computed = matches!(source, Source::Node { .. });
            let fed_elsewhere = matches!(source, Source::Input(_)) && domain != 0;
            if is_tensor && (computed || fed_elsewhere) {
                let ty = node.input_types[i].clone();
                self.bring(*source, &ty, domain, epoch, step)?;
            }
        }
        Ok(())
    }

    fn place_graph_outputs(&mut self) -> Result<(), PlanError> {
        let end = self.planned.last().map_or(0, |p| p.epoch) + 1;
        for source in self.program.outputs.clone() {
            if let Source::Node { node, output } = source {
                let ty = self.program.nodes[node].outputs[output].clone();
                self.bring(source, &ty, 0, end, self.planned.len())?;
            }
        }
        Ok(())
    }

    /// Makes `source` be in `domain` in `epoch`.
    fn bring(
        &mut self,
        source: Source,
        ty: &ValueType,
        domain: Domain,
        epoch: usize,
        step: usize,
    ) -> Result<(), PlanError> {
        if let Some(buffer) = self.layout.place.get(&(source, domain)) {
            let buffer = &mut self.layout.buffers[*buffer];
            buffer.last_epoch = buffer.last_epoch.max(epoch);
            return Ok(());
        }
        let known = self.layout.place.iter().filter(|((s, _), _)| *s == source).map(|((_, d), b)| (*d, *b));
        let from = known.min();
        if let Some((_, buffer)) = from {
            let buffer = &mut self.layout.buffers[buffer];
            buffer.last_epoch = buffer.last_epoch.max(epoch);
        }
        let from = from.map_or(0, |(d, _)| d);
        self.add(source, ty, domain, None, epoch, "copy")?;
        self.layout.transfers.push(Transfer { source, from, to: domain, before: step });
        Ok(())
    }

    fn place_outputs(&mut self, step: usize) -> Result<(), PlanError> {
        let planned = &self.planned[step];
        let node = &self.program.nodes[planned.node];
        let domain = self.domain(step);
        let in_place = self.takes_over(step);
        self.layout.in_place.push(in_place);
        for (output, ty) in node.outputs.iter().enumerate() {
            let source = Source::Node { node: planned.node, output };
            if ty.tensor().is_none() {
                continue;
            }
            match in_place.filter(|_| output == 0) {
                Some(input) => {
                    let buffer = self.layout.place[&(node.inputs[input], domain)];
                    self.layout.place.insert((source, domain), buffer);
                }
                None => {
                    let own = (planned.share == Share::Each).then_some(node.device);
                    self.add(source, ty, domain, own, planned.epoch, node.op.name())?;
                }
            }
        }
        Ok(())
    }

    /// The input whose memory the step's first output can take over: nobody reads it later, or now from another worker.
    fn takes_over(&self, step: usize) -> Option<usize> {
        let planned = &self.planned[step];
        let node = &self.program.nodes[planned.node];
        if !planned.kernel.in_place() {
            return None;
        }
        let pairs = node.op.in_place().iter().filter(|(_, output)| *output == 0);
        pairs.map(|(input, _)| *input).find(|input| {
            let source = node.inputs[*input];
            let Some(buffer) = self.layout.place.get(&(source, self.domain(step))) else { return false };
            let same_type = node.input_types[*input] == node.outputs[0];
            let same_kind = self.layout.buffers[*buffer].own == (planned.share == Share::Each).then_some(node.device);
            let aligned = match planned.share {
                Share::Each | Share::Whole => true,
                Share::Rows { .. } => planned.needs[*input] != Need::All,
                Share::Cols { .. } => planned.needs[*input] == Need::Tile,
            };
            let once = node.inputs.iter().filter(|s| **s == source).count() == 1;
            same_type
                && same_kind
                && aligned
                && once
                && !self.program.outputs.contains(&source)
                && self.last_reader(source, step)
        })
    }

    /// Whether every other reader of the value ran in an earlier epoch. Then nothing of it is copied elsewhere later.
    fn last_reader(&self, source: Source, step: usize) -> bool {
        let epoch = self.planned[step].epoch;
        self.uses[&source].iter().all(|s| *s == step || self.planned[*s].epoch < epoch)
    }

    fn add(
        &mut self,
        source: Source,
        ty: &ValueType,
        domain: Domain,
        own: Option<usize>,
        epoch: usize,
        op: &'static str,
    ) -> Result<(), PlanError> {
        let bytes = ty.tensor().and_then(|d| d.bytes(&self.sizes));
        let bytes = bytes.filter(|b| *b <= isize::MAX as usize / 4096);
        let bytes = bytes.ok_or_else(|| PlanError::TooLarge { op, value: ty.to_string() })?;
        self.layout.place.insert((source, domain), self.layout.buffers.len());
        self.layout.buffers.push(Buffer { domain, bytes, own, first_epoch: epoch, last_epoch: epoch, offset: 0 });
        Ok(())
    }
}

/// Gives each buffer the lowest offset at which it meets none that lives at the same time, large ones first.
fn allocate(layout: &mut Layout, workers: &[usize], share: bool) {
    let mut order: Vec<usize> = (0..layout.buffers.len()).collect();
    order.sort_by_key(|b| (std::cmp::Reverse(layout.buffers[*b].extent(workers)), *b));
    let mut placed: Vec<usize> = Vec::new();
    for b in order {
        let buffer = &layout.buffers[b];
        let meets = |other: &&Buffer| {
            let apart = other.last_epoch < buffer.first_epoch || buffer.last_epoch < other.first_epoch;
            other.domain == buffer.domain && !(share && apart)
        };
        let others = placed.iter().map(|p| &layout.buffers[*p]).filter(meets);
        let taken = others.map(|o| (o.offset, o.offset.saturating_add(o.extent(workers)))).collect();
        let (domain, extent) = (buffer.domain, buffer.extent(workers));
        let offset = lowest_gap(taken, extent);
        layout.buffers[b].offset = offset;
        layout.arenas[domain] = layout.arenas[domain].max(offset.saturating_add(extent));
        placed.push(b);
    }
}

/// The lowest offset at which `extent` bytes are outside all `taken` ranges.
fn lowest_gap(mut taken: Vec<(usize, usize)>, extent: usize) -> usize {
    taken.sort_unstable();
    let mut offset: usize = 0;
    for (from, to) in taken {
        if from >= offset.saturating_add(extent) {
            break;
        }
        offset = offset.max(to);
    }
    offset
}

#[cfg(test)]
mod tests;
