//! Equal bytes however a prompt is cut, whatever else is in the batch, and whoever computes it.

use vt_core::Sizes;
use vt_core::plan::{Options, Plan, Sequence, Span};

use crate::toy::{self, model};

fn options(t: usize) -> Options {
    Options {
        classes: vec![Sizes { t: 1, r: 1 }, Sizes { t: 3, r: 3 }, Sizes { t, r: t }],
        ..Options::new("toy", Sizes { t, r: t })
    }
}

const PROMPT: [i32; 17] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2];

fn logits(plan: &Plan, chunk: usize) -> Vec<f32> {
    let mut memory = plan.memory().unwrap();
    let mut sequence = Sequence::new(plan.states(), 20).unwrap();
    let chunks = PROMPT.chunks(chunk).map(|ids| {
        let span = Span { sequence: 0, position: sequence.len(), rows: ids.len() };
        model::run(plan, &mut memory, &[(span, ids)], &mut [&mut sequence]).unwrap()
    });
    chunks.flatten().collect()
}

#[test]
fn chunks_workers_cuts_order_and_sharing_change_no_bit() {
    let graph = model::model(2).unwrap();
    let plain = Options { fuse: false, reorder: false, share_memory: false, ..options(17) };
    let expected = logits(&Plan::new(&graph, &toy::registry(1, 0), &plain).unwrap(), 17);
    assert!(expected.iter().all(|x| x.is_finite()) && expected.iter().any(|x| *x != 0.0));
    for workers in 1..5 {
        for style in 0..4 {
            let plan = Plan::new(&graph, &toy::registry(workers, style), &options(17)).unwrap();
            for chunk in [17, 7, 1] {
                assert_eq!(logits(&plan, chunk), expected, "{workers} workers, style {style}, chunks of {chunk}");
            }
        }
    }
}
