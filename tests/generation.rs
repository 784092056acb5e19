//! Generation with tiny models: sampled text is the same everywhere and for ever, and stop texts end it.

mod tiny;

use std::ops::ControlFlow;
use std::sync::Arc;

use tiny::run::{self, Setup};
use vt::cpu::TierName;
use vt::gguf::Gguf;
use vt::models::generate::{FinishReason, Generation, Request, generate};
use vt::models::load::vocab;
use vt::models::sample::{Candidates, LogitsProcessor, Sampler, SamplerConfig, Selection};
use vt::models::tokenizer::{EncodeOptions, Tokenizer};
use vt::models::{Model, Runner};

const PROMPT: &str = "on the string";

/// A model with its tokenizer.
struct Loaded {
    model: Arc<Model>,
    tokenizer: Tokenizer,
}

impl Loaded {
    fn new(gguf: &Gguf, setup: Setup) -> Self {
        Self { model: setup.load(gguf), tokenizer: Tokenizer::new(vocab(gguf).unwrap()).unwrap() }
    }

    fn prompt(&self) -> Vec<u32> {
        self.tokenizer.encode(PROMPT, EncodeOptions { add_bos: true, special: false })
    }

    /// What comes after the prompt, and its text.
    fn generate(&self, sampler: &mut Sampler, most: Option<usize>, room: usize, stop: &[&str]) -> (Generation, String) {
        let (prompt, mut text) = (self.prompt(), String::new());
        let stop: Vec<String> = stop.iter().map(|stop| (*stop).to_owned()).collect();
        let request = Request { prompt: &prompt, max_tokens: most, stop: &stop, special: false };
        let mut runner = Runner::new(&self.model).unwrap();
        let mut sequence = self.model.sequence(prompt.len() + room).unwrap();
        let made = generate(&mut runner, &self.tokenizer, &mut sequence, sampler, &request, |piece| {
            text.push_str(piece);
            ControlFlow::Continue(())
        });
        (made.unwrap(), text)
    }
}

/// Every sampler of the default chain takes part.
fn everything(seed: u64) -> SamplerConfig {
    SamplerConfig {
        temperature: 1.1,
        top_k: 60,
        top_p: 0.97,
        min_p: 0.02,
        repeat_penalty: 1.2,
        repeat_last_n: 12,
        presence_penalty: 0.3,
        frequency_penalty: 0.2,
        logit_bias: vec![(tiny::tokenizer::EOS, f32::NEG_INFINITY), (u32::from(b'e'), 2.0), (u32::from(b' '), 1.5)],
        seed,
    }
}

fn sampled(gguf: &Gguf, setup: Setup, seed: u64) -> (Vec<u32>, String) {
    let loaded = Loaded::new(gguf, setup);
    let mut sampler = Sampler::new(&everything(seed), tiny::VOCAB).unwrap();
    let (made, text) = loaded.generate(&mut sampler, Some(32), 32, &[]);
    (made.tokens, text)
}

#[test]
fn a_seed_gives_the_same_text_on_every_tier_and_number_of_threads() {
    for name in ["llama-mixed", "qwen2-mixed", "qwen2-bf16", "llama-f32"] {
        let gguf = run::open(tiny::find(name).file());
        let defined = Setup { threads: 1, tier: Some(TierName::Portable), fuse: false, ..Setup::default() };
        let expected = sampled(&gguf, defined, 7);
        assert_ne!(expected.0, sampled(&gguf, defined, 8).0);
        for tier in TierName::available() {
            for threads in 1..=4 {
                let found = sampled(&gguf, Setup { threads, tier: Some(tier), ..Setup::default() }, 7);
                assert_eq!(found, expected, "{name}, {}, {threads} threads", tier.name());
            }
        }
    }
}

#[test]
fn a_seed_gives_the_same_tokens_for_ever() {
    let gguf = run::open(tiny::find("llama-mixed").file());
    assert_eq!(sampled(&gguf, Setup::default(), 7).0, [20, 265, 235, 28, 197, 288, 59, 190, 96, 268]);
}

#[test]
fn penalties_see_the_prompt() {
    let loaded = Loaded::new(&run::open(tiny::find("llama-f32").file()), Setup::default());
    let logit_bias = vec![(tiny::tokenizer::EOS, f32::NEG_INFINITY)];
    let config = SamplerConfig { presence_penalty: 1e6, repeat_last_n: 1000, logit_bias, ..SamplerConfig::greedy() };
    let mut sampler = Sampler::new(&config, tiny::VOCAB).unwrap();
    let (made, _) = loaded.generate(&mut sampler, Some(200), 200, &[]);
    let mut all = [loaded.prompt(), made.tokens].concat();
    let once = |ids: &[u32]| ids.iter().collect::<std::collections::HashSet<_>>().len();
    let prompt = loaded.prompt();
    assert!(all.len() > prompt.len() + 20);
    all.sort_unstable();
    // Nothing comes twice but what the prompt itself repeats.
    assert_eq!(all.len() - once(&all), prompt.len() - once(&prompt));
}

#[test]
fn prompt_and_continuation_fill_the_context_exactly() {
    let loaded = Loaded::new(&run::open(tiny::find("llama-f32").file()), Setup::default());
    for room in [0, 1, 5] {
        for most in [None, Some(room), Some(room + 3)] {
            let mut sampler = Sampler::new(&everything(1), tiny::VOCAB).unwrap();
            let (made, _) = loaded.generate(&mut sampler, most, room, &[]);
            assert_eq!((made.tokens.len(), made.finish), (room, FinishReason::Length), "{room}, {most:?}");
        }
    }
}

/// Leaves one token after another of a list.
#[derive(Debug)]
struct Script {
    tokens: std::vec::IntoIter<u32>,
}

impl LogitsProcessor for Script {
    fn process(&mut self, candidates: &mut Candidates) {
        let next = self.tokens.next();
        candidates.retain(|candidate| Some(candidate.id) == next);
    }
}

/// The text of a model that says `tokens`, why it ended, and how many tokens it took.
fn said(loaded: &Loaded, tokens: &[u32], stop: &[&str]) -> (String, FinishReason, usize) {
    let script = Script { tokens: Vec::from(tokens).into_iter() };
    let mut sampler = Sampler::with_chain(vec![Box::new(script)], Selection::Largest, tiny::VOCAB).unwrap();
    let (made, text) = loaded.generate(&mut sampler, Some(tokens.len()), tokens.len(), stop);
    (text, made.finish, made.tokens.len())
}

/// One token a byte.
fn bytes(text: &str) -> Vec<u32> {
    text.bytes().map(u32::from).collect()
}

#[test]
fn stop_texts_end_generation_wherever_tokens_are_cut() {
    use FinishReason::{Length, Stop};
    let loaded = Loaded::new(&run::open(tiny::find("llama-f32").file()), Setup::default());
    let end = |text: &str| [bytes(text), vec![tiny::tokenizer::EOS]].concat();
    /// Tokens, stop texts, then the text, why it ended and after how many tokens.
    type Case = (Vec<u32>, &'static [&'static str], &'static str, FinishReason, usize);
    let cases: [Case; 13] = [
        (bytes("one. two"), &[], "one. two", Length, 8),
        // Across tokens, and the first of several.
        (bytes("one. two"), &["two", ". t"], "one", Stop, 6),
        (bytes("one. two"), &[" two", ". t"], "one", Stop, 6),
        // Overlapping: the one that is complete first.
        (bytes("ababac"), &["abac"], "ab", Stop, 6),
        (bytes("ababac"), &["babac", "aba"], "", Stop, 3),
        // Complete with the last token, and incomplete there.
        (bytes("one STOP"), &["STOP"], "one ", Stop, 8),
        (bytes("one STO"), &["STOP"], "one STO", Length, 7),
        (end("one STO"), &["STOP"], "one STO", Stop, 8),
        // Inside and at the edges of characters of several bytes.
        (bytes("né à"), &["é"], "n", Stop, 3),
        (bytes("né à"), &["é x", "à"], "né ", Stop, 6),
        (bytes("n€€é"), &["€é"], "n€", Stop, 9),
        // An unfinished character at the end.
        (bytes("n€")[..3].to_vec(), &["€"], "n\u{fffd}", Length, 3),
        (bytes("n€")[..3].to_vec(), &["\u{fffd}"], "n", Stop, 3),
    ];
    for (tokens, stop, text, finish, count) in cases {
        assert_eq!(said(&loaded, &tokens, stop), (text.to_owned(), finish, count), "{stop:?} in {tokens:?}");
    }
}

#[test]
fn a_token_may_hold_more_than_a_stop_text() {
    let loaded = Loaded::new(&run::open(tiny::find("llama-f32").file()), Setup::default());
    let tokens = loaded.tokenizer.encode(" the", EncodeOptions { add_bos: false, special: false });
    assert_eq!(tokens.len(), 1);
    assert_eq!(said(&loaded, &[tokens[0], tokens[0]], &["h"]), (" t".to_owned(), FinishReason::Stop, 1));
    assert_eq!(said(&loaded, &[tokens[0], tokens[0]], &["e t"]), (" th".to_owned(), FinishReason::Stop, 2));
}
