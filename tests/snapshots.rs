//! Sequences go back to where they were: by a cut where there are only caches, by a snapshot, or from nothing.

mod tiny;

use std::sync::Arc;

use tiny::run::{self, Setup};
use vt::core::RunError;
use vt::core::plan::Sequence;
use vt::models::{Model, Runner, Wanted};

fn load(name: &str) -> Arc<Model> {
    Setup::default().load(&run::open(tiny::find(name).file()))
}

/// The bits of the logits after each of more tokens.
fn feed(runner: &mut Runner, sequence: &mut Sequence, tokens: &[u32]) -> Vec<u32> {
    let mut bits = Vec::new();
    let keep = |_: usize, logits: vt::core::View<'_, f32>| {
        (0..logits.rows()).for_each(|row| bits.extend(logits.row(row).iter().map(|x| x.to_bits())));
    };
    runner.feed(sequence, tokens, Wanted::All, usize::MAX, keep).unwrap();
    bits
}

const HYBRIDS: [&str; 4] = ["qwen35-f32", "qwen35-q8_0", "qwen35-bf16", "qwen35-mixed"];

#[test]
fn a_sequence_continues_from_a_snapshot_with_equal_bytes() {
    for name in HYBRIDS.into_iter().chain(["llama-mixed"]) {
        let model = load(name);
        let mut runner = Runner::new(&model).unwrap();
        let [start, next, other] = [(1, 19), (2, 7), (3, 5)].map(|(seed, count)| tiny::tokens(seed, count));
        let mut sequence = model.sequence(40).unwrap();
        feed(&mut runner, &mut sequence, &start);
        let kept = sequence.snapshot();
        assert_eq!((kept.len(), kept.bytes() > 0), (start.len(), true));
        let expected = feed(&mut runner, &mut sequence, &next);
        assert_ne!(feed(&mut runner, &mut sequence, &other), expected);
        sequence.restore(&kept).unwrap();
        assert_eq!(sequence.len(), start.len());
        assert!(feed(&mut runner, &mut sequence, &next) == expected, "{name}");

        // In another sequence with other room, and from nothing.
        let mut second = model.sequence(26).unwrap();
        feed(&mut runner, &mut second, &other);
        second.restore(&kept).unwrap();
        assert!(feed(&mut runner, &mut second, &next) == expected, "{name}");
        sequence.clear();
        feed(&mut runner, &mut sequence, &start);
        assert!(feed(&mut runner, &mut sequence, &next) == expected, "{name}");
    }
}

#[test]
fn recurrent_state_is_not_cut_and_goes_on_as_if_it_had_not_been_asked() {
    for name in HYBRIDS {
        let model = load(name);
        let mut runner = Runner::new(&model).unwrap();
        let (start, next) = (tiny::tokens(1, 11), tiny::tokens(2, 3));
        let mut sequence = model.sequence(20).unwrap();
        feed(&mut runner, &mut sequence, &start);
        assert!(matches!(sequence.cut(7), Err(RunError::CannotCut { from: 11, to: 7 })), "{name}");
        assert!(sequence.cut(11).is_ok() && sequence.len() == 11);
        let found = feed(&mut runner, &mut sequence, &next);
        sequence.cut(0).unwrap();
        feed(&mut runner, &mut sequence, &start);
        assert!(feed(&mut runner, &mut sequence, &next) == found, "{name}");
    }
}

#[test]
fn a_sequence_takes_rows_at_its_end_only() {
    let model = load("qwen35-f32");
    let mut runner = Runner::new(&model).unwrap();
    let mut sequence = model.sequence(20).unwrap();
    feed(&mut runner, &mut sequence, &tiny::tokens(1, 6));
    let mut batch = vt::models::Batch::with_capacity(4);
    batch.add(0, 4, &[1], Wanted::Last);
    let error = runner.forward(&batch, &mut [&mut sequence]).unwrap_err();
    assert!(error.to_string().contains("6 positions so far"), "{error}");
}
