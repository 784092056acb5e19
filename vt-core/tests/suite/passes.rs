//! Passes: what they refuse, what they count, and that a failed one does no harm.

use vt_core::plan::{Feed, Memory, Options, Outputs, Pass, Plan, Sequence, Span};
use vt_core::{DType, RunError, Sizes, StateSpec, Tensor};

use crate::toy::{self, model};

fn plan(workers: usize) -> Plan {
    let classes = vec![Sizes { t: 1, r: 1 }, Sizes { t: 8, r: 1 }, Sizes { t: 8, r: 8 }];
    let options = Options { classes, ..Options::new("toy", Sizes { t: 0, r: 0 }) };
    Plan::new(&model::model(1).unwrap(), &toy::registry(workers, 0), &options).unwrap()
}

fn sequence(plan: &Plan) -> Sequence {
    Sequence::new(plan.states(), 10).unwrap()
}

fn span(sequence: usize, position: usize, rows: usize) -> Span {
    Span { sequence, position, rows }
}

/// What is wrong with a pass of these inputs and spans over two sequences.
fn refusal(inputs: &[Feed<'_>], spans: &[Span], sizes: Sizes) -> String {
    let plan = plan(1);
    let (mut a, mut b) = (sequence(&plan), sequence(&plan));
    let mut memory = plan.memory().unwrap();
    let pass = &mut Pass { inputs, spans, sequences: &mut [&mut a, &mut b], sizes };
    match plan.run(&mut memory, pass) {
        Err(RunError::Pass { what, .. }) => what.to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn passes_that_do_not_fit_are_refused() {
    let ids = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    let sizes = |t, r| Sizes { t, r };
    let of = |t: usize, spans: &[Span]| refusal(&[Feed::ids(&ids[..t]), Feed::ids(&ids[..1])], spans, sizes(t, 1));
    assert_eq!(of(9, &[span(0, 0, 9)]), "rows of the pass");
    assert_eq!(of(2, &[span(0, 0, 1)]), "rows of the spans");
    assert_eq!(of(2, &[span(0, 0, usize::MAX), span(1, 0, 3)]), "rows of the spans");
    assert_eq!(of(2, &[span(2, 0, 2)]), "a span's sequence");
    assert_eq!(of(2, &[span(0, 0, 1), span(0, 1, 1)]), "spans of a sequence");
    assert_eq!(of(2, &[span(0, 1, 2)]), "a span's position");
    assert_eq!(of(2, &[span(0, usize::MAX, 2)]), "a span's position");
    assert_eq!(refusal(&[Feed::ids(&ids[..1])], &[span(0, 0, 1)], sizes(1, 1)), "inputs");
    let floats = [1.0];
    let spans = [span(0, 0, 1)];
    assert_eq!(refusal(&[Feed::floats(&floats), Feed::ids(&ids[..1])], &spans, sizes(1, 1)), "an input");
    assert_eq!(refusal(&[Feed::ids(&ids[..2]), Feed::ids(&ids[..1])], &spans, sizes(1, 1)), "an input");
}

#[test]
fn a_tensor_is_fed_as_its_elements() {
    let plan = plan(1);
    let ids = Tensor::from_slice(DType::I32, &[3], &[4, 5, 6]).unwrap();
    let wanted = Tensor::from_slice(DType::I32, &[3], &[0, 1, 2]).unwrap();
    let inputs = [Feed::tensor(&ids).unwrap(), Feed::tensor(&wanted).unwrap()];
    let (mut s, mut memory) = (sequence(&plan), plan.memory().unwrap());
    let (spans, sizes) = ([span(0, 0, 3)], Sizes { t: 3, r: 3 });
    let pass = &mut Pass { inputs: &inputs, spans: &spans, sequences: &mut [&mut s], sizes };
    let found = plan.run(&mut memory, pass).unwrap().tensor(0).unwrap();
    let mut other = sequence(&plan);
    let expected = model::run(&plan, &mut memory, &[(spans[0], &[4, 5, 6])], &mut [&mut other]).unwrap();
    assert_eq!((found.shape(), found.as_slice::<f32>().unwrap()), (&[3, model::VOCABULARY][..], &expected[..]));
}

#[test]
fn memory_and_sequences_belong_to_their_plans() {
    let (plan, other) = (plan(1), plan(1));
    let mut own = sequence(&plan);
    let error = model::run(&plan, &mut other.memory().unwrap(), &[(span(0, 0, 1), &[1])], &mut [&mut own]).unwrap_err();
    assert_eq!(error.to_string(), "memory: expected that of the plan, found another plan's");
    let mut foreign = Sequence::new(&[StateSpec::Fixed { rows: 1, cols: 1 }], 10).unwrap();
    let error = model::run(&plan, &mut plan.memory().unwrap(), &[(span(0, 0, 1), &[1])], &mut [&mut foreign]);
    assert!(error.unwrap_err().to_string().starts_with("a sequence's state"));
}

#[test]
fn a_sequence_ends_where_its_room_does() {
    let plan = plan(2);
    let (mut s, mut memory) = (sequence(&plan), plan.memory().unwrap());
    let mut go =
        |position, ids: &[i32]| model::run(&plan, &mut memory, &[(span(0, position, ids.len()), ids)], &mut [&mut s]);
    go(0, &[1; 8]).unwrap();
    assert!(go(8, &[1; 3]).unwrap_err().to_string().starts_with("positions of a sequence"));
    go(8, &[1; 2]).unwrap();
    assert!(go(10, &[1]).is_err());
}

#[test]
fn nothing_to_do_is_fine() {
    for workers in 1..4 {
        let plan = plan(workers);
        let (mut s, mut memory) = (sequence(&plan), plan.memory().unwrap());
        assert!(model::run(&plan, &mut memory, &[], &mut []).unwrap().is_empty());
        let first = model::run(&plan, &mut memory, &[(span(0, 0, 3), &[1, 2, 3])], &mut [&mut s]).unwrap();
        s.clear();
        let inputs = [Feed::ids(&[1, 2, 3]), Feed::ids(&[])];
        let pass = &mut Pass {
            inputs: &inputs,
            spans: &[span(0, 0, 3)],
            sequences: &mut [&mut s],
            sizes: Sizes { t: 3, r: 0 },
        };
        let outputs: Outputs<'_> = plan.run(&mut memory, pass).unwrap();
        assert_eq!((outputs.len(), outputs.bytes(0).len(), outputs.rows::<f32>(0).unwrap().rows()), (1, 0, 0));
        assert!(outputs.rows::<i32>(0).is_err());
        assert_eq!(s.len(), 3);
        s.clear();
        let again = model::run(&plan, &mut memory, &[(span(0, 0, 3), &[1, 2, 3])], &mut [&mut s]).unwrap();
        assert_eq!(first, again);
        assert_eq!((memory.counters.passes, memory.counters.fallbacks, memory.counters.copies), (4, 0, 0));
        assert!(memory.counters.steps > 40);
    }
}

#[test]
fn sequences_in_one_pass_do_not_touch_each_other() {
    let plan = plan(3);
    let mut memory = plan.memory().unwrap();
    let alone = |ids: &[i32], memory: &mut Memory| {
        model::run(&plan, memory, &[(span(0, 0, ids.len()), ids)], &mut [&mut sequence(&plan)]).unwrap()
    };
    let (x, y) = (alone(&[1, 2, 3, 4], &mut memory), alone(&[9, 8, 7], &mut memory));
    let (mut a, mut b) = (sequence(&plan), sequence(&plan));
    let both = [(span(1, 0, 2), &[9, 8][..]), (span(0, 0, 4), &[1, 2, 3, 4])];
    let first = model::run(&plan, &mut memory, &both, &mut [&mut a, &mut b]).unwrap();
    let second = model::run(&plan, &mut memory, &[(span(1, 2, 1), &[7])], &mut [&mut a, &mut b]).unwrap();
    let n = model::VOCABULARY;
    assert_eq!(first[..2 * n], y[..2 * n]);
    assert_eq!(first[2 * n..], x);
    assert_eq!(second, y[2 * n..]);
}

#[test]
fn a_snapshot_brings_a_sequence_back() {
    let plan = plan(2);
    let (mut s, mut memory) = (sequence(&plan), plan.memory().unwrap());
    let mut go = |s: &mut Sequence, ids: &[i32]| {
        let at = s.len();
        model::run(&plan, &mut memory, &[(span(0, at, ids.len()), ids)], &mut [s]).unwrap()
    };
    go(&mut s, &[1, 2, 3]);
    let kept = s.snapshot();
    let expected = go(&mut s, &[4, 5]);
    assert!(s.cut(4).is_err(), "recurrent state cannot be cut");
    s.restore(&kept).unwrap();
    assert_eq!(go(&mut s, &[4, 5]), expected);
    let mut other = sequence(&plan);
    other.restore(&kept).unwrap();
    assert_eq!(go(&mut other, &[4, 5]), expected);
}

#[test]
fn a_failed_pass_leaves_the_plan_usable() {
    for workers in 1..4 {
        let plan = plan(workers);
        let (mut s, mut memory) = (sequence(&plan), plan.memory().unwrap());
        let mut go = |s: &mut Sequence, ids: &[i32]| {
            let at = s.len();
            model::run(&plan, &mut memory, &[(span(0, at, ids.len()), ids)], &mut [s])
        };
        let expected = go(&mut s, &[1, 2, 3]).unwrap();
        for (bad, message) in [
            (-1, "embed (toy): row 1 of `ids`: -1 is not in 0..40"),
            (40, "embed (toy): row 1 of `ids`: 40 is not in 0..40"),
            (77, "embed (toy) panicked: the id that panics"),
        ] {
            assert_eq!(go(&mut s, &[1, bad]).unwrap_err().to_string(), message);
            assert_eq!(s.len(), 3);
            assert!(go(&mut s, &[1]).unwrap_err().to_string().contains("left half-way"), "its recurrent state is lost");
            s.clear();
            assert_eq!(go(&mut s, &[1, 2, 3]).unwrap(), expected);
        }
    }
}
