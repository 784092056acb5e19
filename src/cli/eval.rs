//! `vt eval`: the logits after each token.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ArgGroup;
use vt::config::Config;
use vt::npy;
use vt_core::View;
use vt_core::plan::Sequence;
use vt_models::{Batch, ModelError, Runner, Wanted};

use super::ids::Ids;
use super::model::{ModelArgs, ROWS};
use super::stop::Stop;

/// Write the logits after each token to an .npy file: float32 [tokens, vocabulary]
#[derive(clap::Args)]
#[command(group = ArgGroup::new("input").required(true).args(["tokens", "tokens_file"]))]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Token ids between commas, fed as they are
    #[arg(long, value_name = "IDS")]
    tokens: Option<Ids>,
    /// A file of token ids
    #[arg(long, value_name = "FILE")]
    tokens_file: Option<PathBuf>,
    /// Another sequence that runs in the same passes; may be repeated
    #[arg(long, value_name = "IDS")]
    beside: Vec<Ids>,
    /// The most tokens of the sequence in a pass
    #[arg(long, value_name = "C", default_value_t = ROWS)]
    chunk: usize,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let tokens = tokens(args)?;
    if tokens.is_empty() || args.beside.iter().any(|ids| ids.0.is_empty()) {
        return Err(Stop::usage("a sequence without tokens"));
    }
    if args.chunk == 0 || args.beside.len() >= ROWS {
        return Err(Stop::usage(format!("--chunk must be at least 1, and --beside be given less than {ROWS} times")));
    }
    let gguf = args.model.open(config)?;
    args.model.refuse_overwriting(&gguf, &args.out)?;
    let model = args.model.load(&gguf, &args.model.target(config)?, config, ROWS, None)?;
    // Before the file is made: what cannot be computed leaves no trace.
    let vocab = model.hparams().vocab;
    let mut all = tokens.iter().chain(args.beside.iter().flat_map(|ids| &ids.0));
    if let Some(id) = all.find(|id| usize::try_from(**id).is_ok_and(|id| id >= vocab)) {
        return Err(ModelError::Token { id: *id, vocab }.into());
    }
    let mut out = BufWriter::new(File::create(&args.out).map_err(|e| at(args, e))?);
    out.write_all(&npy::header(npy::Kind::F32, &[tokens.len(), vocab])).map_err(|e| at(args, e))?;
    let others: Vec<&[u32]> = args.beside.iter().map(|ids| ids.0.as_slice()).collect();
    let mut runner = Runner::new(&model)?;
    evaluate(&mut runner, &tokens, &others, args.chunk, |logits| write(&mut out, logits).map_err(|e| at(args, e)))?;
    out.flush().map_err(|e| at(args, e))
}

fn tokens(args: &Args) -> Result<Vec<u32>, Stop> {
    match (&args.tokens, &args.tokens_file) {
        (Some(ids), _) => Ok(ids.0.clone()),
        (None, Some(path)) => Ok(Ids::read(path)?.0),
        (None, None) => Ok(Vec::new()),
    }
}

fn at(args: &Args, error: io::Error) -> Stop {
    Stop::failed(format!("{}: {error}", args.out.display()))
}

fn write(out: &mut impl Write, logits: View<'_, f32>) -> io::Result<()> {
    for row in 0..logits.rows() {
        for value in logits.row(row) {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

/// A sequence on its way through the model.
struct Fed<'a> {
    tokens: &'a [u32],
    /// The most rows in a pass.
    step: usize,
    state: Sequence,
}

impl<'a> Fed<'a> {
    fn new(runner: &Runner, tokens: &'a [u32], step: usize) -> Result<Self, ModelError> {
        Ok(Self { tokens, step, state: runner.model().sequence(tokens.len())? })
    }

    fn left(&self) -> usize {
        self.tokens.len() - self.state.len()
    }

    /// Its next tokens, at most `room` of them.
    fn next(&self, room: usize) -> &'a [u32] {
        let from = self.state.len();
        &self.tokens[from..from + self.left().min(self.step).min(room)]
    }
}

/// Runs `tokens` in chunks and hands each pass's logits to `each`. In the same passes the others advance, spread over
/// them so that all end together as far as there is room; what is left of them follows.
fn evaluate(
    runner: &mut Runner,
    tokens: &[u32],
    others: &[&[u32]],
    chunk: usize,
    mut each: impl FnMut(View<'_, f32>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let chunk = chunk.min(ROWS - others.len());
    let passes = tokens.len().div_ceil(chunk);
    let mut all = others
        .iter()
        .map(|other| Fed::new(runner, other, other.len().div_ceil(passes)))
        .collect::<Result<Vec<_>, _>>()?;
    // In the middle, so that its rows are not where they are when it runs alone.
    let main = all.len() / 2;
    all.insert(main, Fed::new(runner, tokens, chunk)?);
    let mut batch = Batch::with_capacity(ROWS);
    while all.iter().any(|fed| fed.left() > 0) {
        fill(&mut batch, &all, main);
        let mut states: Vec<&mut Sequence> = all.iter_mut().map(|fed| &mut fed.state).collect();
        each(runner.forward(&batch, &mut states)?)?;
    }
    Ok(())
}

/// The next pass: the main sequence's chunk, and of each other that is not done at least one row.
fn fill(batch: &mut Batch, all: &[Fed<'_>], main: usize) {
    batch.clear();
    let waiting = |fed: &Fed<'_>| usize::from(fed.left() > 0);
    let mut room = ROWS - all[main].next(ROWS).len();
    let mut behind: usize = all.iter().enumerate().filter(|(i, _)| *i != main).map(|(_, fed)| waiting(fed)).sum();
    for (i, fed) in all.iter().enumerate().filter(|(_, fed)| fed.left() > 0) {
        let wanted = if i == main { Wanted::All } else { Wanted::None };
        let next = if i == main {
            fed.next(ROWS)
        } else {
            behind -= 1;
            let next = fed.next(room - behind);
            room -= next.len();
            next
        };
        batch.add(i, fed.state.len(), next, wanted);
    }
}
