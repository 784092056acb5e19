//! Continues a text with a model: the shortest way from a GGUF file to text.
//!
//! `cargo run --release --example generate MODEL.gguf "Once upon a time"`

use std::env;
use std::error::Error;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use vt::gguf::Gguf;
use vt::models::generate::{Request, generate};
use vt::models::load::{Target, vocab};
use vt::models::sample::{Sampler, SamplerConfig};
use vt::models::tokenizer::{EncodeOptions, Tokenizer};
use vt::models::{LoadOptions, Model, Runner};

const TOKENS: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (file, text) = arguments.next().zip(arguments.next()).ok_or("a GGUF file and a text are needed")?;

    let gguf = Gguf::open(file)?;
    let registry = vt::default_registry(vt::cpu::Config::default())?;
    let target = Target { registry, device: vt::cpu::CPU.to_owned() };
    let model = Arc::new(Model::load(&gguf, &target, &LoadOptions::default())?);
    let tokenizer = Tokenizer::new(vocab(&gguf)?)?;
    let prompt = tokenizer.encode(&text, EncodeOptions { add_bos: true, special: false });

    let mut runner = Runner::new(&model)?;
    let mut sequence = model.sequence(prompt.len() + TOKENS)?;
    let mut sampler = Sampler::new(&SamplerConfig { seed: 1, ..SamplerConfig::default() }, model.hparams().vocab)?;
    let request = Request { prompt: &prompt, max_tokens: Some(TOKENS), stop: &[], special: false };
    print!("{text}");
    generate(&mut runner, &tokenizer, &mut sequence, &mut sampler, &request, |piece| {
        print!("{piece}");
        // It ends where nobody reads any more.
        if io::stdout().flush().is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    println!();
    Ok(())
}
