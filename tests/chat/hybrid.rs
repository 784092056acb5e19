//! A conversation with a model whose state cannot be cut.

use std::ops::ControlFlow;

use vt::chat::{Answer, Session, Settings};
use vt::models::sample::SamplerConfig;

use crate::model::{self, Loaded};
use crate::tiny;

fn loaded() -> Loaded {
    Loaded::of(tiny::run::open(tiny::find("qwen35-q8_0").file()))
}

fn settings(seed: u64) -> Settings {
    let sampling = SamplerConfig { seed, ..SamplerConfig::default() };
    Settings { sampling, max_tokens: Some(8), stop: Vec::new() }
}

fn ask(session: &mut Session<'_>, question: &str) -> Answer {
    session.ask(question, model::now(), &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The sequence holds the first answer when the question is asked again, and cannot go back to before it.
#[test]
fn what_cannot_be_cut_is_computed_anew() {
    let loaded = loaded();
    let mut session = loaded.session(500, settings(3));
    let first = ask(&mut session, "one");
    let again = session.retry(model::now(), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((again.reused, again.read), (0, first.read));
    // Each answer has a seed of its own: this one's is the first of another session.
    let fresh = ask(&mut loaded.session(500, settings(4)), "one");
    assert_eq!((fresh.text, fresh.generated), (again.text, again.generated));
}

/// Of a long prompt all but the end is kept.
#[test]
fn a_long_prompt_is_not_read_again() {
    let loaded = loaded();
    let long = "one two three ".repeat(20);
    let mut session = loaded.session(500, settings(3));
    let first = ask(&mut session, &long);
    let again = session.retry(model::now(), &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(first.reused == 0 && first.read > 128, "{first:?}");
    assert!(again.reused > 0 && again.reused + again.read == first.read, "{again:?}");
    let fresh = ask(&mut loaded.session(500, settings(4)), &long);
    assert_eq!((fresh.text, fresh.generated), (again.text, again.generated));
    // Another start has nothing in common with what was kept.
    session.clear();
    let other = ask(&mut session, &"three two one ".repeat(20));
    assert!(other.reused < again.reused, "{other:?}");
}
