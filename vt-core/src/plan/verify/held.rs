//! What the checker keeps account of.

use std::collections::HashMap;
use std::ops::Range;

use super::area::Area;
use crate::Sizes;
use crate::kernel::Tile;
use crate::op::ValueType;
use crate::plan::arena::Domain;
use crate::plan::assemble::Schedule;
use crate::plan::plan::Plan;
use crate::plan::program::Source;
use crate::plan::step::{Operand, Part};

/// A value in an arena.
pub(super) struct Held {
    pub value: (Source, Domain),
    pub start: usize,
    /// The distance of workers' copies; 0 for a value that they share.
    pub own: usize,
    pub bytes: usize,
    pub row_bytes: usize,
    pub epoch: usize,
    /// What each worker wrote.
    pub areas: Vec<Area>,
}

impl Held {
    pub(super) fn range(&self) -> Range<usize> {
        let copies = if self.own == 0 { 1 } else { self.areas.len() };
        if self.bytes == 0 {
            self.start..self.start
        } else {
            self.start..self.start + self.own * (copies - 1) + self.bytes
        }
    }
}

/// A use of a state in an epoch.
pub(super) struct StateUse {
    pub slot: usize,
    pub worker: usize,
    pub at: usize,
    pub writes: bool,
}

/// All of an operand.
pub(super) fn whole(operand: &Operand, sizes: &Sizes) -> Area {
    let bytes = match &operand.ty {
        ValueType::Tensor(_) => operand.row_bytes,
        ValueType::State(spec) => spec.parts(),
    };
    let rows = operand.rows.count(sizes);
    Area { rows: std::iter::once(0..rows).filter(|r| !r.is_empty()).collect(), bytes: 0..bytes }
}

/// What several tiles read or write: those that read the same are one.
pub(super) fn union(operand: &Operand, parts: &[Tile], sizes: &Sizes) -> Option<Area> {
    let mut parts = parts.to_vec();
    parts.dedup();
    Area::of(operand, &parts, sizes)
}

/// When each value is read for the last time: outputs of the graph never cease to be read.
pub(super) fn last_uses(plan: &Plan, schedule: &Schedule) -> HashMap<(Source, Domain), usize> {
    let mut last = HashMap::new();
    let mut at = 0;
    for part in &schedule.parts {
        match part {
            Part::Copy(copy) => {
                last.insert((copy.source, copy.from.0), at);
                at += 1;
            }
            Part::Segment(segment) => {
                for step in &segment.steps {
                    let sources = &plan.program.nodes[step.node].inputs;
                    last.extend(sources.iter().map(|s| ((*s, plan.domains[segment.device]), at)));
                    at += 1;
                }
            }
        }
    }
    last.extend(plan.program.outputs.iter().map(|s| ((*s, 0), usize::MAX)));
    last
}
