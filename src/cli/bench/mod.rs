//! `vt bench`: how fast a model is.

mod report;

use std::time::{Duration, Instant, SystemTime};

use clap::ValueEnum;
use vt::config::Config;
use vt_core::plan::Sequence;
use vt_models::{Batch, ModelError, Runner, Wanted};

use super::model::{ModelArgs, ROWS};
use super::stop::Stop;
use report::{About, Row};

/// Measure the speed of prompts and of generation; no tokenizing and no sampling is in the times
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Tokens of the prompt; 0 for no such test
    #[arg(short = 'p', long, value_name = "P", default_value_t = 512)]
    n_prompt: usize,
    /// Tokens to generate; 0 for no such test
    #[arg(short = 'n', long, value_name = "N", default_value_t = 128)]
    n_gen: usize,
    /// Tokens that are in the cache when the time starts
    #[arg(short = 'd', long, value_name = "DEPTH", default_value_t = 0)]
    n_depth: usize,
    /// How often each test is repeated
    #[arg(short, long, value_name = "R", default_value_t = 5)]
    repetitions: usize,
    /// What is printed
    #[arg(short, long, value_name = "FORM", default_value = "md")]
    output: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A table
    Md,
    /// llama-bench's keys, and first_token_s: from the start to the end of a prompt of 5 tokens
    Json,
}

/// The tokens of the prompt for the time to the first token.
const FIRST_PROMPT: usize = 5;

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    if args.repetitions == 0 || (args.n_prompt == 0 && args.n_gen == 0) {
        return Err(Stop::usage("nothing to measure: -r, and one of -p and -n, must be at least 1"));
    }
    let start = Instant::now();
    let gguf = args.model.open(config)?;
    let target = args.model.target(config)?;
    let mut bench = Bench::new(args, Runner::new(&args.model.load(&gguf, &target, config, 1, None)?)?)?;
    bench.feed(FIRST_PROMPT)?;
    let first_token = start.elapsed();
    bench.warm_up(args)?;
    let mut rows = Vec::new();
    for (prompt, generate) in [(args.n_prompt, 0), (0, args.n_gen)] {
        if prompt + generate > 0 {
            let time = SystemTime::now();
            let samples = bench.samples(args, prompt, generate)?;
            rows.push(Row { prompt, generate, depth: args.n_depth, time, samples });
        }
    }
    let about = About::new(&args.model, &gguf, &target, first_token);
    match args.output {
        Form::Md => report::table(&about, &rows),
        Form::Json => report::json(&about, &rows),
    }
}

/// A model with a sequence that is as long as the longest test.
struct Bench {
    runner: Runner,
    sequence: Sequence,
    tokens: Vec<u32>,
}

impl Bench {
    fn new(args: &Args, runner: Runner) -> Result<Self, Stop> {
        let longest = args.n_depth.checked_add(args.n_prompt.max(args.n_gen)).map(|n| n.max(FIRST_PROMPT));
        let longest = longest.ok_or_else(|| Stop::usage("a test is too long"))?;
        let sequence = runner.model().sequence(longest)?;
        let vocab = runner.model().hparams().vocab;
        Ok(Self { runner, sequence, tokens: random_tokens(longest, vocab) })
    }

    /// Feeds the next tokens in chunks.
    fn feed(&mut self, count: usize) -> Result<(), ModelError> {
        let from = self.sequence.len();
        let tokens = &self.tokens[from..from + count];
        self.runner.feed(&mut self.sequence, tokens, Wanted::Last, ROWS, |_, _| ())
    }

    /// One pass of each kind, untimed.
    fn warm_up(&mut self, args: &Args) -> Result<(), ModelError> {
        self.rewind(0)?;
        self.feed(args.n_prompt.min(ROWS))?;
        self.rewind(0)?;
        self.feed(args.n_gen.min(1))?;
        self.rewind(0)
    }

    /// The times of a test.
    fn samples(&mut self, args: &Args, prompt: usize, generate: usize) -> Result<Vec<Duration>, ModelError> {
        let mut batch = Batch::with_capacity(1);
        let mut samples = Vec::new();
        for _ in 0..args.repetitions {
            self.rewind(args.n_depth)?;
            let start = Instant::now();
            self.feed(prompt)?;
            for _ in 0..generate {
                let position = self.sequence.len();
                batch.clear();
                batch.add(0, position, &self.tokens[position..=position], Wanted::Last);
                self.runner.forward(&batch, &mut [&mut self.sequence])?;
            }
            samples.push(start.elapsed());
        }
        Ok(samples)
    }

    /// Goes to `depth` tokens: back where the state allows it, otherwise from the start.
    fn rewind(&mut self, depth: usize) -> Result<(), ModelError> {
        if self.sequence.len() < depth || self.sequence.cut(depth).is_err() {
            self.sequence.clear();
        }
        self.feed(depth - self.sequence.len())
    }
}

/// Tokens below `vocab`, always the same ones: a linear congruential generator's high bits (Knuth's MMIX).
pub(super) fn random_tokens(count: usize, vocab: usize) -> Vec<u32> {
    let mut state = 0u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % vocab.max(1) as u64) as u32
    };
    (0..count).map(|_| next()).collect()
}
