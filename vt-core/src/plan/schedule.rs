//! The order of a program's ops, how each is divided among workers, and where workers wait for each other.
//!
//! An epoch is what lies between two barriers. A worker may read what it wrote itself in the same epoch, and anything
//! that was written in an earlier one.

use std::collections::HashMap;
use std::sync::Arc;

use super::groups::Groups;
use super::options::Options;
use super::program::{Program, Source};
use super::settle::Candidate;
use super::share::Share;
use super::step::Rows;
use crate::kernel::Need;
use crate::op::ValueType;
use crate::registry::{AnyKernel, Registry};
use crate::{PlanError, Sizes};

/// An op with its kernel, its place in the order, and its share.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub node: usize,
    pub kernel: Arc<dyn AnyKernel>,
    pub needs: Vec<Need>,
    pub share: Share,
    pub barrier: bool,
    pub epoch: usize,
    pub scratch: usize,
}

/// Orders the program's ops for a class of passes.
pub(crate) fn schedule(
    program: &Program,
    registry: &Registry,
    options: &Options,
    sizes: Sizes,
) -> Result<Vec<Planned>, PlanError> {
    let candidate = |node| Candidate::new(program, node, registry, options, sizes);
    let candidates: Vec<Candidate> = program.nodes.iter().map(candidate).collect::<Result<_, _>>()?;
    let mut scheduler = Scheduler {
        program,
        before: predecessors(program),
        candidates,
        done: HashMap::new(),
        planned: Vec::with_capacity(program.nodes.len()),
        epoch: 0,
        device: None,
    };
    scheduler.join_columns();
    let one_device = program.nodes.windows(2).all(|w| w[0].device == w[1].device);
    scheduler.order(options.reorder && one_device)?;
    Ok(scheduler.planned)
}

/// For each node the nodes that must run before it: those that feed it, and the readers of a state that it advances.
fn predecessors(program: &Program) -> Vec<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = program
        .nodes
        .iter()
        .map(|n| {
            n.inputs.iter().filter_map(|s| if let Source::Node { node, .. } = s { Some(*node) } else { None }).collect()
        })
        .collect();
    for (writer, node) in program.nodes.iter().enumerate() {
        for (input, _) in node.op.advances() {
            let version = node.inputs[*input];
            let readers = program.nodes.iter().enumerate().filter(|(r, n)| *r != writer && n.inputs.contains(&version));
            before[writer].extend(readers.map(|(r, _)| r));
        }
    }
    before
}

struct Scheduler<'a> {
    program: &'a Program,
    before: Vec<Vec<usize>>,
    candidates: Vec<Candidate>,
    /// The place in `planned` of each node that is done.
    done: HashMap<usize, usize>,
    planned: Vec<Planned>,
    epoch: usize,
    device: Option<usize>,
}

impl Scheduler<'_> {
    fn workers(&self, node: usize) -> usize {
        self.program.workers[self.program.nodes[node].device]
    }

    fn order(&mut self, reorder: bool) -> Result<(), PlanError> {
        let mut waiting: Vec<usize> = (0..self.program.nodes.len()).collect();
        while !waiting.is_empty() {
            let ready = |s: &Self, n: usize| s.before[n].iter().all(|b| s.done.contains_key(b));
            let mut choice: Option<(usize, Share, bool)> = None;
            for (at, node) in waiting.iter().enumerate().filter(|(_, n)| ready(self, **n)) {
                let (share, barrier) = self.choose(*node);
                if !barrier {
                    choice = Some((at, share, false));
                    break;
                }
                choice = choice.or(Some((at, share, true)));
                if !reorder {
                    break;
                }
            }
            let Some((at, share, barrier)) = choice else {
                return Err(PlanError::Order { op: self.program.nodes[waiting[0]].op.name() });
            };
            let node = waiting.remove(at);
            self.push(node, share, barrier);
        }
        Ok(())
    }

    fn push(&mut self, node: usize, share: Share, barrier: bool) {
        let device = self.program.nodes[node].device;
        let moved = self.device.is_some_and(|d| d != device);
        self.device = Some(device);
        // A worker that is alone needs no barrier: each of its steps is an epoch, so that memory is free at once.
        self.epoch += usize::from(barrier || moved || self.workers(node) == 1);
        let Candidate { kernel, needs, scratch, .. } = &self.candidates[node];
        let (kernel, needs, scratch) = (Arc::clone(kernel), needs.clone(), *scratch);
        self.done.insert(node, self.planned.len());
        self.planned.push(Planned {
            node,
            kernel,
            needs,
            share,
            barrier: barrier && !moved,
            epoch: self.epoch,
            scratch,
        });
    }

    /// The best share of a node as things stand, and whether it needs a barrier first.
    fn choose(&self, node: usize) -> (Share, bool) {
        let workers = self.workers(node);
        let moved = self.device.is_some_and(|d| d != self.program.nodes[node].device);
        let options = self.shares(node, workers);
        let free = options.iter().find(|s| moved || !self.needs_barrier(node, **s, workers));
        if let Some(share) = free {
            return (*share, false);
        }
        let Candidate { rows, .. } = self.candidates[node];
        let by_rows = options.iter().find(|s| matches!(s, Share::Rows { .. }) && rows >= 4 * workers);
        let first = options.iter().find(|s| **s == Share::Each).or(by_rows).or(options.first());
        (first.copied().unwrap_or(Share::Whole), true)
    }

    /// The ways to divide a node's output, best first.
    fn shares(&self, node: usize, workers: usize) -> Vec<Share> {
        let Candidate { cut, .. } = self.candidates[node];
        if workers == 1 {
            return vec![Share::Whole];
        }
        let mut shares = Vec::new();
        if cut.each {
            shares.push(Share::Each);
        }
        if cut.cols > 0 {
            shares.push(Share::Cols { grain: cut.cols });
        }
        if cut.rows > 0 {
            shares.extend(self.inherited_rows(node, cut.rows));
            shares.push(Share::Rows { grain: cut.rows, deal: cut.deal });
        }
        if shares.is_empty() {
            shares.push(Share::Whole);
        }
        shares
    }

    /// The division by rows of a producer in this epoch that the node could follow.
    fn inherited_rows(&self, node: usize, grain: usize) -> Option<Share> {
        self.producers(node).find_map(|(_, p)| match p.share {
            Share::Rows { grain: g, deal } if g.is_multiple_of(grain) => Some(Share::Rows { grain: g, deal }),
            _ => None,
        })
    }

    /// The inputs that were computed in this epoch.
    fn producers(&self, node: usize) -> impl Iterator<Item = (usize, &Planned)> {
        self.program.nodes[node].inputs.iter().enumerate().filter_map(|(i, source)| {
            let Source::Node { node, .. } = source else { return None };
            let planned = &self.planned[*self.done.get(node)?];
            (planned.epoch == self.epoch).then_some((i, planned))
        })
    }

    fn needs_barrier(&self, node: usize, share: Share, workers: usize) -> bool {
        if workers == 1 {
            return false;
        }
        self.producers(node).any(|(i, p)| !self.flows(node, i, share, p)) || self.disturbs_readers(node)
    }

    /// Whether what a tile of the node reads of input `i` was written by the same worker.
    fn flows(&self, node: usize, i: usize, share: Share, producer: &Planned) -> bool {
        let reader = &self.program.nodes[node];
        if reader.input_types[i].state().is_some() {
            return false;
        }
        if producer.share == Share::Each {
            return true;
        }
        let (from, to) = (&self.candidates[producer.node], &self.candidates[node]);
        match (producer.share, share, self.candidates[node].needs[i]) {
            (Share::Whole, Share::Whole, _) => true,
            (Share::Rows { .. }, Share::Rows { .. }, Need::Rows | Need::Tile) => {
                producer.share == share && same_rows(&self.program.nodes[producer.node].outputs[0], &reader.outputs[0])
            }
            (Share::Cols { grain: a }, Share::Cols { grain: b }, Need::Tile) => {
                (a == b && from.cols == to.cols)
                    || (from.cols.is_multiple_of(a) && to.cols.is_multiple_of(b) && from.cols / a == to.cols / b)
            }
            _ => false,
        }
    }

    /// Whether the node advances a state that another one reads in this epoch.
    fn disturbs_readers(&self, node: usize) -> bool {
        let writer = &self.program.nodes[node];
        writer.op.advances().iter().any(|(input, _)| {
            let version = writer.inputs[*input];
            self.planned
                .iter()
                .rev()
                .take_while(|p| p.epoch == self.epoch)
                .any(|p| self.program.nodes[p.node].inputs.contains(&version))
        })
    }

    /// Lets ops that hand columns on to each other be divided alike, so that no barrier is needed between them.
    fn join_columns(&mut self) {
        let mut groups = Groups::new(self.candidates.iter().map(|c| (c.cols, c.cut.cols)));
        for (node, consumer) in self.program.nodes.iter().enumerate() {
            let workers = self.workers(node);
            for (i, source) in consumer.inputs.iter().enumerate() {
                let Source::Node { node: producer, .. } = *source else { continue };
                let cuts = |n: usize| self.candidates[n].cut.cols > 0;
                let same_device = self.program.nodes[producer].device == consumer.device;
                if self.candidates[node].needs[i] == Need::Tile && cuts(node) && cuts(producer) && same_device {
                    groups.join(producer, node, workers);
                }
            }
        }
        for node in 0..self.candidates.len() {
            if self.candidates[node].cut.cols > 0 {
                self.candidates[node].cut.cols = groups.grain(node);
            }
        }
    }
}

/// Whether two outputs have the same rows, by symbol: two symbols with equal maxima are not the same.
fn same_rows(a: &ValueType, b: &ValueType) -> bool {
    Rows::of(a) == Rows::of(b)
}
