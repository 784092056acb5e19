//! The verifier against planners that make mistakes: each mistake is made in a finished plan.

mod places;

use super::{Rule, area};
use crate::kernel::Need;
use crate::op::{Add, MatmulBt, Mul, Silu};
use crate::plan::program::Source;
use crate::plan::step::{Part, Place, Step};
use crate::plan::{Options, Plan, Share};
use crate::toy::model::{put, weight};
use crate::toy::{self, model};
use crate::{DType, Desc, Graph, Sizes, Sym, Value};

fn plan(style: usize) -> Plan {
    plan_for(2, style)
}

fn plan_for(workers: usize, style: usize) -> Plan {
    let sizes = Sizes { t: 6, r: 6 };
    Plan::new(&model::model(2).unwrap(), &toy::registry(workers, style), &Options::new("toy", sizes)).unwrap()
}

fn steps(plan: &mut Plan) -> &mut Vec<Step> {
    match &mut plan.schedules[0].parts[0] {
        Part::Segment(segment) => &mut segment.steps,
        Part::Copy(_) => panic!("a copy"),
    }
}

fn broken(plan: &Plan) -> Option<Rule> {
    plan.verify().err().map(|v| v.rule)
}

/// A value with what happens to it: the steps that write and read it.
struct Life {
    value: Source,
    place: Place,
    writer: usize,
    readers: Vec<usize>,
    /// Whether it takes over memory, or its own is taken over.
    chained: bool,
}

fn lives(plan: &mut Plan) -> Vec<Life> {
    let nodes = plan.program.nodes.clone();
    let steps = steps(plan);
    let mut lives = Vec::new();
    for (writer, step) in steps.iter().enumerate() {
        let value = Source::Node { node: step.node, output: 0 };
        let reads = |s: &Step| nodes[s.node].inputs.contains(&value);
        let readers: Vec<usize> = (0..steps.len()).filter(|i| reads(&steps[*i])).collect();
        let taken = |s: &Step| s.in_place.is_some_and(|i| nodes[s.node].inputs[i] == value);
        let chained = step.in_place.is_some() || steps.iter().any(taken);
        let place = step.outputs[0].place;
        if matches!(place, Place::Arena { .. }) && !readers.is_empty() {
            lives.push(Life { value, place, writer, readers, chained });
        }
    }
    lives
}

/// Puts a value elsewhere, for its writer and all its readers.
fn relocate(plan: &mut Plan, value: Source, place: Place) {
    let nodes = plan.program.nodes.clone();
    for step in steps(plan) {
        for (i, _) in nodes[step.node].inputs.iter().enumerate().filter(|(_, s)| **s == value) {
            step.inputs[i].place = place;
        }
        if (Source::Node { node: step.node, output: 0 }) == value {
            step.outputs[0].place = place;
        }
    }
}

/// Makes the same mistake wherever it can be made; each must be caught, by one of the rules.
fn all_caught(styles: &[usize], rules: &[Rule], mutate: impl Fn(&mut Plan, usize) -> Option<bool>) {
    let mut made = 0;
    for style in styles {
        let mut plan = plan(*style);
        for site in 0.. {
            match mutate(&mut plan, site) {
                None => break,
                Some(false) => {}
                Some(true) => {
                    made += 1;
                    let rule = broken(&plan);
                    assert!(rule.is_some_and(|r| rules.contains(&r)), "style {style}, site {site}: {rule:?}");
                    plan = self::plan(*style);
                }
            }
        }
    }
    assert!(made > 0, "the mistake was never made");
}

/// Pairs of values: the first is put where the second lies, if `wanted` says so of their lives and steps.
fn misplace(plan: &mut Plan, site: usize, wanted: impl Fn(&Life, &Life, &[Step]) -> bool) -> Option<bool> {
    let lives = lives(plan);
    let (a, b) = (lives.get(site / lives.len())?, &lives[site % lives.len()]);
    let shared = |l: &Life| matches!(l.place, Place::Arena { own: 0, .. });
    let fits =
        a.value != b.value && a.place != b.place && !a.chained && shared(a) && shared(b) && wanted(a, b, steps(plan));
    let (value, place) = (a.value, b.place);
    if fits {
        relocate(plan, value, place);
    }
    Some(fits)
}

/// Whether two workers have parts of different rows or columns to do.
fn divided(step: &Step) -> bool {
    let sizes = Sizes { t: 6, r: 6 };
    step.share != Share::Each && area::tiles(step, 2, &sizes).iter().all(|t| !t.is_empty())
}

/// Whether each worker reads whole rows of what lies there.
fn whole_rows(step: &Step, place: Place) -> bool {
    let rows = step.inputs.iter().any(|o| o.place == place && o.need != Need::Tile);
    rows && matches!(step.share, Share::Cols { .. })
}

#[test]
fn sound_plans_pass() {
    for workers in 1..5 {
        for style in 0..4 {
            assert_eq!(plan_for(workers, style).verify(), Ok(()), "{workers} workers, style {style}");
        }
    }
}

#[test]
fn a_missing_barrier() {
    all_caught(&[0, 1, 2, 3], &[Rule::Written, Rule::Race, Rule::State], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        Some(std::mem::take(&mut step.barrier))
    });
}

#[test]
fn memory_reused_one_epoch_early() {
    // Every worker reads whole rows of `b` in the epoch in which `a` is written.
    all_caught(&[0, 3], &[Rule::Race, Rule::Overlap], |plan, site| {
        misplace(plan, site, |a, b, steps| {
            let last = *b.readers.last().unwrap();
            whole_rows(&steps[last], b.place) && steps[last].epoch == steps[a.writer].epoch && last != a.writer
        })
    });
}

/// Two products of two values that both live in one epoch.
fn products() -> Plan {
    let g = Graph::new();
    let x = g.input("x", Desc::rows(DType::F32, Sym::T, 8));
    let (a, b) = (put(&g, Silu, &[&x]).unwrap(), put(&g, Mul, &[&x, &x]).unwrap());
    let product = |v: &Value, name: &str| put(&g, MatmulBt, &[v, &weight(name, &[8, 8])]).unwrap();
    let (p, q) = (product(&a, "p"), product(&b, "q"));
    g.output(&put(&g, Add, &[&p, &q]).unwrap()).unwrap();
    Plan::new(&g, &toy::registry(2, 3), &Options::new("toy", Sizes { t: 4, r: 4 })).unwrap()
}

#[test]
fn liveness_by_step_instead_of_epoch() {
    // By steps `b` is dead when `a` is written, but the other worker may still read it.
    let by_step = |plan: &mut Plan, site| {
        misplace(plan, site, |a, b, steps| {
            let last = *b.readers.last().unwrap();
            steps[last].epoch == steps[a.writer].epoch && last < a.writer && divided(&steps[a.writer])
        })
    };
    let plans = (0..).map_while(|site| {
        let mut plan = products();
        by_step(&mut plan, site).map(|made| made.then_some(plan))
    });
    let rules: Vec<_> = plans.flatten().map(|plan| broken(&plan)).collect();
    assert!(!rules.is_empty() && rules.iter().all(|r| *r == Some(Rule::Race)), "{rules:?}");
}

#[test]
fn two_living_values_in_one_place() {
    all_caught(&[0, 1, 2], &[Rule::Overlap, Rule::Race], |plan, site| {
        misplace(plan, site, |a, b, steps| {
            let later = |x: usize, y: usize| steps[x].epoch > steps[y].epoch;
            later(a.writer, b.writer) && later(*b.readers.last().unwrap(), a.writer)
        })
    });
}

#[test]
fn in_place_of_a_living_value() {
    all_caught(&[0, 1, 3], &[Rule::InPlace], |plan, site| {
        let nodes = plan.program.nodes.clone();
        let lives = lives(plan);
        let step = steps(plan).get_mut(site)?;
        let node = &nodes[step.node];
        let living = |i: &usize| {
            let life = lives.iter().find(|l| l.value == node.inputs[*i]);
            life.is_some_and(|l| *l.readers.last().unwrap() > site) && node.input_types[*i] == node.outputs[0]
        };
        let input = node.op.in_place().iter().map(|(i, _)| *i).find(living);
        let shared = |p: Place| matches!(p, Place::Arena { own: 0, .. });
        let fits =
            |i: &usize| step.in_place.is_none() && shared(step.inputs[*i].place) && shared(step.outputs[0].place);
        let Some(input) = input.filter(fits) else { return Some(false) };
        step.in_place = Some(input);
        let (value, place) = (Source::Node { node: step.node, output: 0 }, step.inputs[input].place);
        relocate(plan, value, place);
        Some(true)
    });
}

#[test]
fn in_place_without_equal_tiles() {
    all_caught(&[0, 1, 2, 3], &[Rule::InPlace, Rule::Need, Rule::Written, Rule::Race], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let Some(input) = step.in_place.filter(|_| divided(step)) else { return Some(false) };
        step.inputs[input].need = Need::All;
        Some(true)
    });
}

#[test]
fn own_copies_that_overlap() {
    all_caught(&[0], &[Rule::Overlap, Rule::Race], |plan, site| {
        let lives = lives(plan);
        let life = lives.get(site)?;
        let Place::Arena { offset, own } = life.place else { return Some(false) };
        if own == 0 {
            return Some(false);
        }
        relocate(plan, life.value, Place::Arena { offset, own: 4 });
        Some(true)
    });
}

#[test]
fn all_workers_write_the_same() {
    all_caught(&[0, 1, 2, 3], &[Rule::Division, Rule::Written, Rule::Race], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let before = std::mem::replace(&mut step.share, Share::Each);
        Some(before != Share::Each)
    });
}

#[test]
fn a_share_that_its_reader_does_not_follow() {
    all_caught(&[0, 1, 3], &[Rule::Written, Rule::Race], |plan, site| {
        let lives = lives(plan);
        let life = lives.get(site)?;
        let steps = steps(plan);
        let same_epoch = life.readers.iter().any(|r| steps[*r].epoch == steps[life.writer].epoch);
        let step = &mut steps[life.writer];
        if !same_epoch || !divided(step) || life.chained {
            return Some(false);
        }
        step.share = Share::Whole;
        Some(true)
    });
}

/// The worker wrote a part of what it reads now, and the rest is not known to be there: that is no mere race.
#[test]
fn a_need_that_is_too_wide() {
    all_caught(&[0, 1, 2, 3], &[Rule::Written], |plan, site| {
        let lives = lives(plan);
        let life = lives.get(site)?;
        let steps = steps(plan);
        let epoch = steps[life.writer].epoch;
        let reader = life.readers.iter().find(|r| steps[**r].epoch == epoch && divided(&steps[**r]));
        let Some(reader) = reader.filter(|_| divided(&steps[life.writer])) else { return Some(false) };
        let operand = steps[*reader].inputs.iter_mut().find(|o| o.place == life.place).unwrap();
        Some(std::mem::replace(&mut operand.need, Need::All) != Need::All)
    });
}

#[test]
fn a_need_that_is_too_narrow() {
    all_caught(&[0, 1], &[Rule::Need], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let operand = step.inputs.iter_mut().find(|o| o.need == Need::All);
        operand.map(|o| o.need = Need::Tile).map(|()| true).or(Some(false))
    });
}

#[test]
fn a_state_read_in_the_epoch_that_writes_it() {
    all_caught(&[0, 1, 2, 3], &[Rule::State], |plan, site| {
        let steps = steps(plan);
        let step = steps.get_mut(site)?;
        Some(step.op == "attend" && std::mem::take(&mut step.barrier))
    });
}

#[test]
fn a_state_read_before_it_is_written() {
    all_caught(&[0, 1], &[Rule::State], |plan, site| {
        let steps = steps(plan);
        let at = steps.get(site).map(|s| s.op == "kv_append")?;
        let reader = (site..steps.len()).find(|i| steps[*i].op == "attend");
        let (true, Some(reader)) = (at, reader) else { return Some(false) };
        let step = steps.remove(site);
        steps.insert(reader, step);
        Some(true)
    });
}

#[test]
fn rows_that_are_alike_only_when_t_and_r_are_equal() {
    all_caught(&[0, 1, 2, 3], &[Rule::Need, Rule::Written, Rule::Bounds], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let wanted = step.outputs[0].rows.sym == Some(Sym::R);
        if wanted {
            step.outputs[0].rows.sym = Some(Sym::T);
        }
        Some(wanted)
    });
    all_caught(&[0, 1, 2, 3], &[Rule::Written], |plan, site| {
        let steps = steps(plan);
        let step = steps.get_mut(site)?;
        let operand = step.inputs.iter_mut().find(|o| o.rows.sym == Some(Sym::T) && o.need == Need::All);
        let operand = operand.filter(|o| matches!(o.place, Place::Arena { .. }));
        operand.map(|o| o.rows.sym = Some(Sym::R)).map(|()| true).or(Some(false))
    });
}

#[test]
fn memory_that_is_too_small() {
    for style in 0..4 {
        let mut plan = plan(style);
        plan.scratch = 8;
        assert_eq!(broken(&plan), Some(Rule::Bounds));
        let mut plan = self::plan(style);
        plan.arenas[0] -= 64;
        assert_eq!(broken(&plan), Some(Rule::Bounds));
    }
}

#[test]
fn an_output_that_lies_elsewhere() {
    let mut plan = plan(0);
    plan.schedules[0].outputs[0].place = Place::Arena { offset: 1 << 20, own: 0 };
    assert_eq!(broken(&plan), Some(Rule::Written));
    plan.schedules[0].outputs.clear();
    assert_eq!(broken(&plan), Some(Rule::Written));
}
