//! `vt profile`: where the time goes.

mod phase;
mod report;
mod trace;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use vt::config::Config;
use vt::measure::Recorder;
use vt_core::Sizes;
use vt_core::plan::{Description, Observer, Sequence, Span};
use vt_models::{Batch, Runner, Wanted};

use super::model::{ModelArgs, ROWS};
use super::stop::Stop;
use super::{bench, limits, text};
use phase::Phase;
use trace::Trace;

/// Show the time of each op and kernel of a prompt and of generation, beside this machine's limits
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Tokens of the prompt; 0 for none
    #[arg(short = 'p', long, value_name = "P", default_value_t = 512)]
    n_prompt: usize,
    /// Tokens to generate after it; 0 for none
    #[arg(short = 'n', long, value_name = "N", default_value_t = 32)]
    n_gen: usize,
    /// Print {"limits", "phases": [{"phase", "tokens", "passes", "seconds", "worker_seconds", "kernels", "waiting_seconds",
    /// "other_seconds"}]}
    #[arg(long)]
    json: bool,
    /// Write what each worker did when, in the trace event format that Perfetto and Chrome open
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    if args.n_prompt == 0 && args.n_gen == 0 {
        return Err(Stop::usage("nothing to measure: one of -p and -n must be at least 1"));
    }
    let longest = args.n_prompt.checked_add(args.n_gen).ok_or_else(|| Stop::usage("-p and -n are too large"))?;
    let gguf = args.model.open(config)?;
    if let Some(path) = &args.trace {
        args.model.refuse_overwriting(&gguf, path)?;
    }
    let target = args.model.target(config)?;
    let runner = Runner::new(&args.model.load(&gguf, &target, config, 1, None)?)?;
    let trace = args.trace.as_deref().map(Trace::create).transpose()?;
    let limits = limits::measure(args.model.cpu(config))?;
    let mut profile = Profile::new(runner, limits.threads, longest, trace)?;
    profile.warm_up(args)?;
    let mut phases = Vec::new();
    for (name, tokens, rows) in [("prompt", args.n_prompt, ROWS), ("generation", args.n_gen, 1)] {
        if tokens > 0 {
            phases.push(profile.phase(name, tokens, rows)?);
        }
    }
    if let Some(trace) = profile.trace {
        trace.write(&profile.plan, profile.workers)?;
    }
    let out = if args.json { report::json(&limits, &phases) } else { report::table(&limits, &phases) };
    Ok(text::show(out.as_bytes())?)
}

/// A model whose passes are watched.
struct Profile {
    runner: Runner,
    plan: Description,
    recorder: Arc<Recorder>,
    workers: usize,
    sequence: Sequence,
    tokens: Vec<u32>,
    trace: Option<Trace>,
}

impl Profile {
    /// With room for `longest` tokens.
    fn new(mut runner: Runner, workers: usize, longest: usize, trace: Option<Trace>) -> Result<Self, Stop> {
        let model = runner.model().clone();
        let recorder = Arc::new(Recorder::new(workers));
        runner.observe(Some(recorder.clone() as Arc<dyn Observer>));
        Ok(Self {
            runner,
            plan: model.plan().describe(),
            recorder,
            workers,
            sequence: model.sequence(longest)?,
            tokens: bench::random_tokens(longest, model.hparams().vocab),
            trace,
        })
    }

    /// One pass of each kind that is not counted: it finds memory that was never touched.
    fn warm_up(&mut self, args: &Args) -> Result<(), Stop> {
        for rows in [args.n_prompt.min(ROWS), args.n_gen.min(1)] {
            self.sequence.clear();
            self.pass(rows, Wanted::Last)?;
        }
        self.sequence.clear();
        self.recorder.take();
        Ok(())
    }

    /// Feeds so many tokens, up to `most` a pass.
    fn phase(&mut self, name: &'static str, tokens: usize, most: usize) -> Result<Phase, Stop> {
        let mut phase = Phase::new(name, self.workers);
        while phase.tokens < tokens {
            let rows = (tokens - phase.tokens).min(most);
            let wanted = if most == 1 || phase.tokens + rows == tokens { Wanted::Last } else { Wanted::None };
            let span = Span { sequence: 0, position: self.sequence.len(), rows };
            let start = Instant::now();
            let sizes = self.pass(rows, wanted)?;
            let end = Instant::now();
            let events = self.recorder.take();
            let class = events.first().map_or(0, |event| event.schedule);
            let costs = self.runner.model().plan().costs(class, sizes, &[span]);
            let steps = self.plan.schedules.get(class).map_or(&[][..], |schedule| &schedule.steps);
            phase.add(rows, end - start, &events, steps, &costs);
            if let Some(trace) = &mut self.trace {
                trace.add(name, span, start..end, events);
            }
        }
        Ok(phase)
    }

    /// Feeds the next tokens.
    fn pass(&mut self, rows: usize, wanted: Wanted) -> Result<Sizes, Stop> {
        let position = self.sequence.len();
        let mut batch = Batch::with_capacity(rows);
        batch.add(0, position, &self.tokens[position..position + rows], wanted);
        let sizes = Sizes { t: batch.rows(), r: batch.wanted() };
        if rows > 0 {
            self.runner.forward(&batch, &mut [&mut self.sequence])?;
        }
        Ok(sizes)
    }
}
