//! Runs a model on the store, with what it lacks on the CPU, and compares with a run on the CPU alone.
//!
//! `cargo run --release -p vt-private-store --example run [MODEL.gguf]`; without a file, the model that
//! `vt pull smollm2` fetched.

use std::error::Error;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use vt::core::Registry;
use vt::core::plan::{Counters, Fallback};
use vt::gguf::Gguf;
use vt::models::generate::{Request, generate};
use vt::models::load::{Target, vocab};
use vt::models::sample::{Sampler, SamplerConfig};
use vt::models::tokenizer::{EncodeOptions, Tokenizer};
use vt::models::{LoadOptions, Model, Runner};
use vt::pull::Source;
use vt_private_store::STORE;

const PROMPT: &str = "The capital of France is";
const TOKENS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let gguf = Gguf::open(path()?)?;
    let cpu = vt::cpu::Config::default().backend()?;
    let builder = Registry::builder().with(vt::ops::register).with(cpu).with(vt_private_store::register);
    let registry = Arc::new(builder.build()?);

    let store = Target { registry: Arc::clone(&registry), device: STORE.to_owned() };
    let (tokens, runner) = run(&gguf, &store, Fallback::Reference)?;
    let Counters { passes, steps, fallbacks, copies, copied_bytes } = runner.memory().counters;
    println!(
        "{passes} passes: {fallbacks} of {steps} steps on another device, {copies} copies of {copied_bytes} bytes"
    );
    for fallback in runner.model().plan().fallbacks() {
        let (missing, device) = (&fallback.missing, fallback.device);
        println!("  {} x{} of ({}) on {device} {:?}", missing.op, missing.count, missing.inputs, missing.reasons);
    }

    let cpu = Target { registry, device: vt::cpu::CPU.to_owned() };
    let (expected, _) = run(&gguf, &cpu, Fallback::Error)?;
    if tokens != expected {
        return Err(format!("the CPU continues with {expected:?}, the store with {tokens:?}").into());
    }
    println!("the same {} tokens on both devices", tokens.len());
    Ok(())
}

fn path() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(path) = std::env::args_os().nth(1) {
        return Ok(path.into());
    }
    let models = vt::config::Config::from_env()?.models;
    let pulled = models.and_then(|models| Source::find("smollm2")?.installed(&models));
    Ok(pulled.ok_or("no file is named, and `vt pull smollm2` was not run")?)
}

/// Loads the model for a device, and prints how it continues the prompt.
fn run(gguf: &Gguf, target: &Target, fallback: Fallback) -> Result<(Vec<u32>, Runner), Box<dyn Error>> {
    let options = LoadOptions { rows: 32, wanted: 1, fallback, ..LoadOptions::default() };
    let model = Arc::new(Model::load(gguf, target, &options)?);
    let tokenizer = Tokenizer::new(vocab(gguf)?)?;
    let prompt = tokenizer.encode(PROMPT, EncodeOptions { add_bos: true, special: false });
    let mut runner = Runner::new(&model)?;
    let mut sequence = model.sequence(prompt.len() + TOKENS)?;
    let mut sampler = Sampler::new(&SamplerConfig::greedy(), model.hparams().vocab)?;
    let request = Request { prompt: &prompt, max_tokens: Some(TOKENS), stop: &[], special: false };
    print!("{}: {PROMPT}", target.device);
    let generation = generate(&mut runner, &tokenizer, &mut sequence, &mut sampler, &request, |text| {
        print!("{text}");
        // A terminal that is gone ends the generation.
        if std::io::stdout().flush().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    println!();
    Ok((generation.tokens, runner))
}
