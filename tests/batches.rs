//! Several sequences in a pass.

mod tiny;

use tiny::run::{self, Setup};
use vt::core::plan::{Counters, Sequence};
use vt::models::{Batch, Runner, Wanted};

/// The work of decoding ten tokens of each of `count` sequences together.
fn work(name: &str, count: usize) -> Counters {
    let model = Setup::default().load(&run::open(tiny::find(name).file()));
    let mut runner = Runner::new(&model).unwrap();
    let mut owned: Vec<Sequence> = (0..count).map(|_| model.sequence(10).unwrap()).collect();
    let mut sequences: Vec<&mut Sequence> = owned.iter_mut().collect();
    let mut batch = Batch::default();
    for token in 0..10 {
        batch.clear();
        (0..count).for_each(|i| batch.add(i, sequences[i].len(), &[token + i as u32], Wanted::Last));
        assert_eq!(runner.forward(&batch, &mut sequences).unwrap().rows(), count);
    }
    runner.memory().counters
}

#[test]
fn eight_sequences_take_the_passes_and_steps_of_one() {
    for name in ["llama-mixed", "qwen3-mixed", "gemma3-mixed"] {
        let (one, eight) = (work(name, 1), work(name, 8));
        assert_eq!(one.passes, 10);
        assert!(one.steps > 0 && one.fallbacks == 0 && one.copies == 0);
        assert_eq!(one, eight, "{name}");
    }
}

#[test]
fn who_watches_learns_how_far_a_prompt_is() {
    let model = Setup::default().load(&run::open(tiny::find("llama-mixed").file()));
    let mut runner = Runner::new(&model).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    runner.watch(move |fed, all| tell.send((fed, all)).unwrap());
    for (chunk, expected) in [(4, vec![(0, 10), (4, 10), (8, 10), (10, 10)]), (10, vec![]), (usize::MAX, vec![])] {
        let mut sequence = model.sequence(10).unwrap();
        runner.feed(&mut sequence, &[1; 10], Wanted::Last, chunk, |_, _| {}).unwrap();
        assert_eq!(told.try_iter().collect::<Vec<_>>(), expected);
    }
}
