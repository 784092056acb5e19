//! A walk over a schedule that keeps account of what lies where.

use std::collections::HashMap;

use super::area::{self, Access, Area};
use super::held::{Held, StateUse, last_uses, union, whole};
use super::{Rule, Violation};
use crate::Sizes;
use crate::kernel::{Need, Tile};
use crate::plan::Share;
use crate::plan::arena::Domain;
use crate::plan::assemble::Schedule;
use crate::plan::plan::Plan;
use crate::plan::program::{ProgramNode, Source};
use crate::plan::step::{Copy, Operand, Part, Place, Segment, Step};

pub(super) struct Checker<'p> {
    plan: &'p Plan,
    schedule: &'p Schedule,
    sizes: Sizes,
    /// When each value is read for the last time.
    last_use: HashMap<(Source, Domain), usize>,
    held: Vec<Held>,
    /// The version of each slot.
    states: Vec<Source>,
    epoch: usize,
    at: usize,
    reads: Vec<Access>,
    writes: Vec<Access>,
    state_uses: Vec<StateUse>,
}

type Checked<T = ()> = Result<T, Violation>;

impl<'p> Checker<'p> {
    pub(super) fn new(plan: &'p Plan, schedule: &'p Schedule, sizes: Sizes) -> Self {
        Self {
            plan,
            schedule,
            sizes,
            last_use: last_uses(plan, schedule),
            held: Vec::new(),
            states: (0..plan.program.states.len()).map(Source::State).collect(),
            epoch: 0,
            at: 0,
            reads: Vec::new(),
            writes: Vec::new(),
            state_uses: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Checked {
        for part in &self.schedule.parts {
            self.next_epoch();
            match part {
                Part::Copy(copy) => self.copy(copy)?,
                Part::Segment(segment) => {
                    for step in &segment.steps {
                        self.step(segment, step)?;
                    }
                }
            }
        }
        self.next_epoch();
        for (source, operand) in self.plan.program.outputs.iter().zip(&self.schedule.outputs) {
            self.reader(&[(0, whole(operand, &self.sizes))], "output", (*source, 0), operand)?;
        }
        self.require(self.plan.program.outputs.len() == self.schedule.outputs.len(), Rule::Written, "output")
    }

    fn require(&self, holds: bool, rule: Rule, op: &'static str) -> Checked {
        if holds { Ok(()) } else { Err(Violation { rule, op, at: self.at, sizes: self.sizes }) }
    }

    fn next_epoch(&mut self) {
        self.epoch += 1;
        self.reads.clear();
        self.writes.clear();
        self.state_uses.clear();
    }

    fn copy(&mut self, copy: &Copy) -> Checked {
        let (from, source) = &copy.from;
        let (to, target) = &copy.to;
        if matches!(source.place, Place::Arena { .. }) {
            self.reader(&[(0, whole(source, &self.sizes))], "copy", (copy.source, *from), source)?;
        }
        self.overwrite("copy", (copy.source, *to), target, vec![whole(target, &self.sizes)], None)?;
        self.at += 1;
        Ok(())
    }

    fn step(&mut self, segment: &Segment, step: &Step) -> Checked {
        if step.barrier {
            self.next_epoch();
        }
        let node = &self.plan.program.nodes[step.node];
        let domain = self.plan.domains[segment.device];
        let tiles = area::tiles(step, segment.workers, &self.sizes);
        self.require(step.scratch <= self.plan.scratch, Rule::Bounds, step.op)?;
        for i in 0..step.inputs.len() {
            self.input(step, node, domain, &tiles, i)?;
        }
        for i in 0..step.outputs.len() {
            self.output(step, node, domain, &tiles, i)?;
        }
        self.at += 1;
        let (at, last_use) = (self.at, &self.last_use);
        self.held.retain(|h| last_use.get(&h.value).is_some_and(|last| *last >= at));
        Ok(())
    }

    fn input(&mut self, step: &Step, node: &ProgramNode, domain: Domain, tiles: &[Vec<Tile>], i: usize) -> Checked {
        let (operand, source) = (&step.inputs[i], node.inputs[i]);
        let out = &step.outputs[0];
        let belong = operand.rows.per(out.rows).is_some();
        let enough = match (step.bound.need(i), operand.need) {
            (_, Need::All) => true,
            (Need::Rows, Need::Rows) => belong,
            (Need::Tile, Need::Tile) => belong || operand.rows.single(),
            _ => false,
        };
        self.require(enough, Rule::Need, step.op)?;
        let mut areas = Vec::new();
        for (worker, tiles) in tiles.iter().enumerate() {
            let parts: Vec<Tile> = tiles.iter().map(|t| step.input_part(i, t, &self.sizes)).collect();
            let area = union(operand, &parts, &self.sizes);
            self.require(area.is_some(), Rule::Need, step.op)?;
            areas.extend(area.map(|a| (worker, a)));
        }
        match operand.place {
            Place::Arena { .. } => self.reader(&areas, step.op, (source, domain), operand),
            Place::State(slot) => self.state(step, node, tiles, i, slot),
            Place::Input(n) => self.require(source == Source::Input(n), Rule::Written, step.op),
            Place::Weight(n) => self.require(source == Source::Weight(n), Rule::Written, step.op),
        }
    }

    /// Each worker reads a part of a value in an arena.
    fn reader(
        &mut self,
        areas: &[(usize, Area)],
        op: &'static str,
        value: (Source, Domain),
        operand: &Operand,
    ) -> Checked {
        let Place::Arena { offset, own } = operand.place else { return self.require(false, Rule::Written, op) };
        let Some(held) = self.held.iter().find(|h| h.value == value) else {
            return self.require(false, Rule::Written, op);
        };
        let bytes = operand.rows.count(&self.sizes) * operand.row_bytes;
        let same = held.bytes == bytes
            && held.start == offset
            && held.row_bytes == operand.row_bytes
            && (own == 0 || own == held.own);
        self.require(same, Rule::Written, op)?;
        for (worker, area) in areas.iter().filter(|(_, a)| !a.is_empty()) {
            let writer = if held.own == 0 || own > 0 { *worker } else { 0 };
            let here = held.areas.get(writer).is_some_and(|a| a.holds(area));
            let known = if held.epoch == self.epoch { here && writer == *worker } else { own == 0 || here };
            self.require(known, Rule::Written, op)?;
        }
        for (worker, area) in areas {
            let start = offset + worker * own;
            let access = Access { worker: *worker, start, row_bytes: operand.row_bytes, area: area.clone() };
            self.require(!self.writes.iter().any(|w| w.clashes(&access)), Rule::Race, op)?;
            self.reads.push(access);
        }
        Ok(())
    }

    fn state(&mut self, step: &Step, node: &ProgramNode, tiles: &[Vec<Tile>], i: usize, slot: usize) -> Checked {
        self.require(self.states.get(slot) == Some(&node.inputs[i]), Rule::State, step.op)?;
        let next = node.op.advances().iter().find(|(input, _)| *input == i).map(|(_, output)| *output);
        for worker in (0..tiles.len()).filter(|w| !tiles[*w].is_empty()) {
            let new = StateUse { slot, worker, at: self.at, writes: next.is_some() };
            let clash =
                |u: &StateUse| u.slot == slot && u.worker != worker && u.at != new.at && (u.writes || new.writes);
            self.require(!self.state_uses.iter().any(clash), Rule::State, step.op)?;
            self.state_uses.push(new);
        }
        if let Some(output) = next {
            self.states[slot] = Source::Node { node: step.node, output };
        }
        Ok(())
    }

    fn output(&mut self, step: &Step, node: &ProgramNode, domain: Domain, tiles: &[Vec<Tile>], i: usize) -> Checked {
        let operand = &step.outputs[i];
        let mut areas = Vec::new();
        for tiles in tiles {
            let parts: Vec<Tile> = tiles.iter().map(|t| step.output_part(i, t, &self.sizes)).collect();
            let area = union(operand, &parts, &self.sizes);
            self.require(area.is_some(), Rule::Division, step.op)?;
            areas.extend(area);
        }
        let whole = whole(operand, &self.sizes);
        let (rows, bytes) = (operand.rows.count(&self.sizes), whole.bytes.end);
        let own = matches!(operand.place, Place::Arena { own, .. } if own > 0);
        let divided = match own {
            true => areas.iter().all(|a| a.holds(&whole)),
            false => area::divide(&areas, rows, bytes),
        };
        self.require(
            divided && own == (step.share == Share::Each && operand.ty.tensor().is_some()),
            Rule::Division,
            step.op,
        )?;
        if let Place::State(slot) = operand.place {
            let version = Source::Node { node: step.node, output: i };
            return self.require(self.states.get(slot) == Some(&version), Rule::State, step.op);
        }
        let taken = step.in_place.filter(|_| i == 0);
        if let Some(input) = taken {
            self.takes_over(step, node, domain, input)?;
        }
        let replaced = taken.map(|input| node.inputs[input]);
        self.overwrite(step.op, (Source::Node { node: step.node, output: i }, domain), operand, areas, replaced)
    }

    /// The first output lies where an input does.
    fn takes_over(&self, step: &Step, node: &ProgramNode, domain: Domain, input: usize) -> Checked {
        let (from, to) = (&step.inputs[input], &step.outputs[0]);
        let value = (node.inputs[input], domain);
        let dead = self.last_use.get(&value) == Some(&self.at);
        let once = node.inputs.iter().filter(|s| **s == value.0).count() == 1;
        let tiled = match step.share {
            Share::Each | Share::Whole => true,
            Share::Rows { .. } => from.need != Need::All,
            Share::Cols { .. } => from.need == Need::Tile,
        };
        let allowed = node.op.in_place().contains(&(input, 0));
        let same = from.place == to.place && node.input_types[input] == node.outputs[0];
        self.require(dead && once && tiled && allowed && same, Rule::InPlace, step.op)
    }

    /// A value is written. `replaced` is the one whose memory it takes over.
    fn overwrite(
        &mut self,
        op: &'static str,
        value: (Source, Domain),
        operand: &Operand,
        areas: Vec<Area>,
        replaced: Option<Source>,
    ) -> Checked {
        let Place::Arena { offset: start, own } = operand.place else { return self.require(false, Rule::Bounds, op) };
        let bytes = operand.rows.count(&self.sizes) * operand.row_bytes;
        for (worker, area) in areas.iter().enumerate() {
            let access =
                Access { worker, start: start + worker * own, row_bytes: operand.row_bytes, area: area.clone() };
            let race = self.reads.iter().chain(&self.writes).any(|other| other.clashes(&access));
            self.require(!race, Rule::Race, op)?;
            self.writes.push(access);
        }
        let new = Held { value, start, own, bytes, row_bytes: operand.row_bytes, epoch: self.epoch, areas };
        let range = new.range();
        self.require(own == 0 || own >= bytes, Rule::Overlap, op)?;
        self.require(self.plan.arenas.get(value.1).is_some_and(|a| range.end <= *a), Rule::Bounds, op)?;
        let meets = |h: &Held| h.value.1 == value.1 && h.range().start < range.end && range.start < h.range().end;
        let needed = |h: &Held| self.last_use.get(&h.value).is_some_and(|last| *last >= self.at);
        let clash = self.held.iter().any(|h| meets(h) && needed(h) && Some(h.value.0) != replaced);
        self.require(!clash, Rule::Overlap, op)?;
        self.held.retain(|h| !meets(h));
        self.held.push(new);
        Ok(())
    }
}
