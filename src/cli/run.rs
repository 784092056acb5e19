//! `vt run`: the continuation of a text.

use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ArgGroup;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Value, json};
use vt::config::Config;
use vt_models::ModelError;
use vt_models::generate::{FinishReason, Generation, Request, generate};
use vt_models::sample::Sampler;
use vt_models::tokenizer::EncodeOptions;

use super::interrupt::{INTERRUPTED, Interrupt};
use super::model::ModelArgs;
use super::sampling::SamplingArgs;
use super::stop::Stop;
use super::{json_text, memory, text};

/// Continue a text as it stands, without a template
#[derive(clap::Args)]
#[command(group = ArgGroup::new("input").required(true).args(["prompt", "file"]))]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The text
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<OsString>,
    /// A file with the text; `-` for standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The most tokens to generate [default: until the model ends or the context is full]
    #[arg(short, long, value_name = "N")]
    n_predict: Option<usize>,
    /// The most tokens of text and continuation [default: as many as the model was made for]
    #[arg(short, long, value_name = "CTX")]
    ctx_size: Option<usize>,
    /// Recognise special tokens in the text, and show those that come
    #[arg(long)]
    special: bool,
    /// A text that ends the continuation; may be repeated
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new(), allow_hyphen_values = true)]
    stop: Vec<String>,
    /// Print one object with prompt, tokens, text, reason of the end and times
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sampling: SamplingArgs,
}

impl Args {
    fn text(&self) -> Result<Vec<u8>, Stop> {
        match (&self.prompt, &self.file) {
            (Some(prompt), _) => Ok(prompt.as_encoded_bytes().to_vec()),
            (None, Some(path)) => text::read(path),
            (None, None) => Ok(Vec::new()),
        }
    }
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let sampling = args.sampling.config()?;
    let text = args.text()?;
    let start = Instant::now();
    let gguf = args.model.open(config)?;
    let tokenizer = args.model.tokenizer(&gguf)?;
    let model = args.model.load(&gguf, &args.model.target(config)?, config, 1, args.ctx_size)?;
    let mut runner = args.model.runner(&model)?;
    let mut sampler = Sampler::new(&sampling, model.hparams().vocab)?;
    let load = start.elapsed();
    let prompt = tokenizer.encode(&text, EncodeOptions { add_bos: true, special: args.special });
    if prompt.is_empty() {
        return Err(without_tokens(&text));
    }
    let mut sequence = model.sequence(context(args, prompt.len(), model.hparams().context)?)?;
    let request = Request { prompt: &prompt, max_tokens: args.n_predict, stop: &args.stop, special: args.special };
    let interrupt = if args.json { None } else { Some(Interrupt::new(INTERRUPTED)?) };
    let mut shown = Shown { interrupt, all: String::new(), failed: None };
    let made = generate(&mut runner, &tokenizer, &mut sequence, &mut sampler, &request, |piece| shown.add(piece))?;
    if let Some(error) = shown.failed {
        return Err(error.into());
    }
    if args.json {
        let object = json!({
            "prompt_tokens": prompt,
            "tokens": made.tokens,
            "text": shown.all,
            "finish_reason": if made.finish == FinishReason::Stop { "stop" } else { "length" },
            "timings": timings(load, prompt.len(), &made),
        });
        text::show(json_text::line(&object).as_bytes())?;
    } else {
        text::end_before_report(&shown.all)?;
    }
    report(load, prompt.len(), &made);
    if made.finish == FinishReason::Cancelled { Err(Stop::Interrupted) } else { Ok(()) }
}

/// Why a text is nothing that a model could continue.
fn without_tokens(text: &[u8]) -> Stop {
    Stop::failed(match text.len() {
        0 => "the prompt has no tokens: it is empty, and the model's texts start with no token of their own".to_owned(),
        bytes => format!("the prompt has no tokens: the vocabulary has none for any of its {bytes} bytes"),
    })
}

/// The positions to reserve: no more than are used if the number of tokens is limited.
fn context(args: &Args, prompt: usize, model: usize) -> Result<usize, Stop> {
    let limit = args.ctx_size.unwrap_or(model);
    if prompt > limit {
        let error = ModelError::ContextFull { needed: prompt, capacity: limit };
        return Err(Stop::failed(format!("the prompt: {error}; -c sets another size")));
    }
    Ok(args.n_predict.and_then(|n| prompt.checked_add(n)).map_or(limit, |used| used.min(limit)))
}

/// Text on its way out: at once until it is interrupted, or collected.
struct Shown {
    interrupt: Option<Interrupt>,
    all: String,
    failed: Option<io::Error>,
}

impl Shown {
    fn add(&mut self, piece: &str) -> ControlFlow<()> {
        self.all.push_str(piece);
        let Some(interrupt) = &self.interrupt else { return ControlFlow::Continue(()) };
        interrupt.writing();
        if self.failed.is_none() {
            self.failed = text::show(piece.as_bytes()).err();
        }
        let stop = self.failed.is_some() || interrupt.is_stopping();
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// How many a second; `None` if there are none to measure.
fn per_second(count: usize, time: Duration) -> Option<f64> {
    (count > 0 && !time.is_zero()).then(|| count as f64 / time.as_secs_f64())
}

/// A speed in tokens per second.
pub(super) fn speed(count: usize, time: Duration) -> String {
    per_second(count, time).map_or("-".to_owned(), |speed| format!("{speed:.1} t/s"))
}

fn timings(load: Duration, prompt: usize, made: &Generation) -> Value {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    json!({
        "load_ms": ms(load),
        "prompt_ms": ms(made.prompt_time),
        "gen_ms": ms(made.generation_time),
        "prompt_tok_s": per_second(prompt, made.prompt_time),
        "gen_tok_s": per_second(made.passes, made.generation_time),
    })
}

/// The line at the end, on standard error.
fn report(load: Duration, prompt: usize, made: &Generation) {
    let (in_speed, out_speed) = (speed(prompt, made.prompt_time), speed(made.passes, made.generation_time));
    let peak = memory::peak().map(|bytes| format!(" | peak RSS {:.1} MiB", bytes as f64 / (1 << 20) as f64));
    // There is no one to tell if this fails.
    let _ = writeln!(
        io::stderr(),
        "prompt {prompt} tok {in_speed} | gen {} tok {out_speed} | load {:.2} s{}",
        made.tokens.len(),
        load.as_secs_f64(),
        peak.unwrap_or_default()
    );
}
