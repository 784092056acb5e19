//! One defined result: equal bytes for every tier, number of threads, cut of the prompt, company and fusion.

mod tiny;

use sha2::{Digest, Sha256};
use tiny::Tiny;
use tiny::run::{self, Setup};
use vt::cpu::TierName;

/// Longer than the rows that the kernels for few rows take, and no multiple of anything.
const TOKENS: usize = 41;

fn bits(logits: &[f32]) -> Vec<u32> {
    logits.iter().map(|x| x.to_bits()).collect()
}

/// The bits of a model's logits, with the prompt in pieces of `chunk` tokens and beside `others`.
fn result(file: &[u8], setup: Setup, others: &[Vec<u32>], chunk: usize) -> Vec<u32> {
    let model = setup.load(&run::open(file.to_vec()));
    bits(&run::beside(&model, &tiny::tokens(1, TOKENS), others, chunk))
}

/// The defined result: the portable kernels on one thread, unfused, the prompt in one piece.
fn defined(file: &[u8]) -> Vec<u32> {
    let setup = Setup { threads: 1, tier: Some(TierName::Portable), fuse: false, ..Setup::default() };
    result(file, setup, &[], TOKENS)
}

fn check(models: &[Tiny], setups: &[Setup], others: &[Vec<u32>]) {
    for tiny in models {
        let file = tiny.file();
        let expected = defined(&file);
        for setup in setups {
            for chunk in [TOKENS, 7, 1] {
                let found = result(&file, *setup, others, chunk);
                assert!(found == expected, "{} in pieces of {chunk}, {setup:?}", tiny.name);
            }
        }
    }
}

fn tiers() -> Vec<Setup> {
    TierName::available().map(|tier| Setup { tier: Some(tier), ..Setup::default() }).collect()
}

#[test]
fn tiers_and_cuts_of_the_prompt_give_the_same_bytes() {
    check(tiny::ALL, &tiers(), &[]);
}

#[test]
fn threads_give_the_same_bytes() {
    let setups = [1, 2, 3, 4].map(|threads| Setup { threads, ..Setup::default() });
    check(tiny::ALL, &setups, &[]);
}

#[test]
fn company_in_the_same_passes_changes_nothing() {
    let others: Vec<Vec<u32>> = [(2, 90), (3, 31), (4, 5)].map(|(seed, len)| tiny::tokens(seed, len)).into();
    check(tiny::ALL, &[Setup::default()], &others);
    check(&["qwen2-mixed", "qwen3-mixed", "gemma3-mixed", "qwen35-mixed"].map(tiny::find), &tiers(), &others);
}

#[test]
fn fusion_changes_nothing() {
    check(tiny::ALL, &[Setup { fuse: false, ..Setup::default() }], &[]);
}

#[test]
fn different_models_differ() {
    let [a, b] = ["llama-q4_1", "llama-mixed"].map(|name| defined(&tiny::find(name).file()));
    assert!(a != b && a.len() == TOKENS * tiny::VOCAB);
}

/// The SHA-256 of the logits' bytes, made on x86-64: a line for each of some models. A test that
/// fails prints those that it found.
const DIGESTS: &str = include_str!("tiny/digests");

fn digest(logits: &[u32]) -> String {
    let hash = Sha256::digest(logits.iter().flat_map(|bits| bits.to_le_bytes()).collect::<Vec<u8>>());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn machines_give_the_same_bytes() {
    let models: Vec<Tiny> = DIGESTS.lines().map(|line| tiny::find(line.split(' ').next().unwrap())).collect();
    let found: Vec<String> = models
        .iter()
        .map(|tiny| format!("{} {}\n", tiny.name, digest(&result(&tiny.file(), Setup::default(), &[], TOKENS))))
        .collect();
    assert!(found.len() > 10 && found.concat() == DIGESTS, "found:\n{}", found.concat());
}
