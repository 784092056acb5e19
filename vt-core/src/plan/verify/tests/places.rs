//! Operands that lie elsewhere than the plan says, and copies between memories that are missing or wrong.

use std::sync::Arc;

use super::super::samples;
use super::*;
use crate::Registry;
use crate::plan::Fallback;
use crate::registry::Builder;
use crate::toy::Threads;

#[test]
fn plans_are_checked_where_t_and_r_differ() {
    let of = |t, r| samples(Sizes { t, r }).iter().map(|s| (s.t, s.r)).collect::<Vec<_>>();
    assert_eq!(of(8, 6), [(8, 6), (7, 6), (8, 5), (4, 2), (1, 1), (8, 0)]);
    assert_eq!(of(1, 1), [(1, 1), (0, 1), (1, 0), (0, 0)]);
    assert_eq!(of(0, 0), [(0, 0)]);
}

#[test]
fn a_violation_says_where_it_is() {
    let mut plan = plan(0);
    plan.scratch = 8;
    let found = plan.verify().unwrap_err().to_string();
    assert!(found.starts_with("rms_norm (step 1) breaks the rule Bounds at Sizes { t: 6, r: 6 }"), "{found}");
}

/// Every input of every step is taken from another place of its kind.
#[test]
fn an_input_that_is_another_one() {
    let mut site = 0;
    let mut kinds = [0; 4];
    loop {
        let mut plan = plan(0);
        let inputs = steps(&mut plan).iter_mut().flat_map(|s| &mut s.inputs);
        let Some(operand) = inputs.into_iter().nth(site) else { break };
        let (kind, place) = match operand.place {
            Place::Arena { offset, own } => (0, Place::Arena { offset: offset + 64, own }),
            Place::Input(i) => (1, Place::Input(i + 1)),
            Place::Weight(i) => (2, Place::Weight(i + 1)),
            Place::State(i) => (3, Place::State(i + 1)),
        };
        operand.place = place;
        kinds[kind] += 1;
        let expected = if kind == 3 { Rule::State } else { Rule::Written };
        let found = broken(&plan).unwrap();
        assert!(found == expected || (kind == 0 && found == Rule::InPlace), "{site}: {place:?} {found:?}");
        site += 1;
    }
    assert!(kinds.iter().all(|n| *n > 0), "{kinds:?}");
}

#[test]
fn an_operand_whose_rows_are_longer() {
    all_caught(&[0, 1, 2, 3], &[Rule::Written], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let operand = step.inputs.iter_mut().find(|o| matches!(o.place, Place::Arena { .. }));
        operand.map(|o| o.row_bytes += 4).map(|()| true).or(Some(false))
    });
}

#[test]
fn shared_memory_that_is_read_as_copies() {
    all_caught(&[0, 1, 2, 3], &[Rule::Written, Rule::InPlace], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let shared = |o: &&mut crate::plan::step::Operand| matches!(o.place, Place::Arena { own: 0, .. });
        let Some(operand) = step.inputs.iter_mut().find(shared) else { return Some(false) };
        let Place::Arena { offset, .. } = operand.place else { return Some(false) };
        operand.place = Place::Arena { offset, own: 64 };
        Some(true)
    });
}

#[test]
fn taking_over_what_the_op_may_not() {
    // A sum may overwrite either input; a product of matrices none, and an output of another type none.
    all_caught(&[0, 1, 3], &[Rule::InPlace], |plan, site| {
        let step = steps(plan).get_mut(site)?;
        let arena = |o: &crate::plan::step::Operand| matches!(o.place, Place::Arena { .. });
        let fits = step.op == "matmul_bt" && step.in_place.is_none() && arena(&step.inputs[0]);
        step.in_place = step.in_place.or(fits.then_some(0));
        Some(fits)
    });
}

/// A plan for a device with memory of its own, in which most ops run in the host's.
fn copying() -> Plan {
    let devices = |b: &mut Builder| {
        toy::register_private(b);
        b.device(Arc::new(Threads { name: "toy", workers: 2 }));
        toy::register(b, "toy", 0);
    };
    let registry = Arc::new(Registry::builder().with(devices).build().unwrap());
    let options = Options::new("private", Sizes { t: 6, r: 6 });
    let options = Options { fuse: false, fallback: Fallback::Reference, ..options };
    Plan::new(&model::model(2).unwrap(), &registry, &options).unwrap()
}

fn copies(plan: &Plan) -> Vec<usize> {
    let parts = plan.schedules[0].parts.iter().enumerate();
    parts.filter(|(_, p)| matches!(p, Part::Copy(_))).map(|(i, _)| i).collect()
}

#[test]
fn a_missing_copy() {
    let found = copies(&copying());
    assert!(found.len() > 4);
    for at in found {
        let mut plan = copying();
        plan.schedules[0].parts.remove(at);
        assert_eq!(broken(&plan), Some(Rule::Written), "{at}");
    }
}

/// Each copy reads or writes 64 bytes further on.
#[test]
fn a_copy_between_other_places() {
    for at in copies(&copying()) {
        for end in 0..2 {
            let mut plan = copying();
            let Part::Copy(copy) = &mut plan.schedules[0].parts[at] else { panic!("no copy") };
            let operand = if end == 0 { &mut copy.from.1 } else { &mut copy.to.1 };
            let Place::Arena { offset, own } = operand.place else { continue };
            operand.place = Place::Arena { offset: offset + 64, own };
            let rule = broken(&plan);
            assert!(matches!(rule, Some(Rule::Written | Rule::Overlap | Rule::Bounds)), "{at} {end}: {rule:?}");
        }
    }
}

#[test]
fn a_copy_onto_a_living_value() {
    let mut overlaps = 0;
    let all = copies(&copying());
    for (from, to) in all.iter().flat_map(|a| all.iter().filter(move |b| *b > a).map(move |b| (*a, *b))) {
        let mut plan = copying();
        let target = |p: &Part| if let Part::Copy(c) = p { Some((c.to.0, c.to.1.place)) } else { None };
        let parts = &mut plan.schedules[0].parts;
        let (first, second) = (target(&parts[from]), target(&parts[to]));
        let (Some((domain, place)), Part::Copy(copy)) = (first, &mut parts[to]) else { panic!("no copy") };
        if copy.to.0 == domain && second != first {
            copy.to.1.place = place;
            let rule = broken(&plan);
            assert!(matches!(rule, Some(Rule::Overlap | Rule::Written | Rule::Bounds)), "{from} {to}: {rule:?}");
            overlaps += usize::from(rule == Some(Rule::Overlap));
        }
    }
    assert!(overlaps > 0);
}
