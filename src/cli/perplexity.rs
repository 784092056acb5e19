//! `vt perplexity`: how well a model predicts a text.

use std::path::{Path, PathBuf};

use clap::ArgGroup;
use serde_json::json;
use vt::config::Config;
use vt_core::View;
use vt_core::plan::Sequence;
use vt_gguf::Gguf;
use vt_models::sample::log_probability;
use vt_models::tokenizer::EncodeOptions;
use vt_models::{ModelError, Runner, Wanted};

use super::ids::Ids;
use super::model::ModelArgs;
use super::progress::Progress;
use super::stop::Stop;
use super::{json_text, message, text};

/// The rows of a pass: their logits are in memory at the same time, 600 kB each in a large vocabulary.
const STEP: usize = 128;

/// Measure how well a model predicts a text: the mean negative log-likelihood of its tokens, and e to the power of it
#[derive(clap::Args)]
#[command(group = ArgGroup::new("input").required(true).args(["file", "tokens_file"]))]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// A file with the text; `-` for standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// A file of token ids, fed as they are
    #[arg(long, value_name = "FILE")]
    tokens_file: Option<PathBuf>,
    /// The tokens of a piece, at least 2; the text must have as many
    #[arg(short, long, value_name = "CTX", default_value_t = 512)]
    ctx_size: usize,
    /// Print one object with the number of predicted tokens, the mean and the perplexity
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    if args.ctx_size < 2 {
        return Err(Stop::usage("-c must be at least 2: the first token of a piece is not predicted"));
    }
    let (gguf, tokens) = input(args, config)?;
    let pieces = tokens.chunks_exact(args.ctx_size);
    let model = args.model.load(&gguf, &args.model.target(config)?, config, STEP, Some(args.ctx_size))?;
    let vocab = model.hparams().vocab;
    if let Some(id) = tokens.iter().find(|id| usize::try_from(**id).is_ok_and(|id| id >= vocab)) {
        return Err(ModelError::Token { id: *id, vocab }.into());
    }
    let mut runner = Runner::new(&model)?;
    let mut sequence = model.sequence(args.ctx_size)?;
    let count = pieces.len() * (args.ctx_size - 1);
    let all = pieces.len() * args.ctx_size;
    let progress = Progress::new();
    let mut total = 0.0;
    for (piece, before) in pieces.zip((0..).step_by(args.ctx_size)) {
        sequence.clear();
        let told = |fed: usize| progress.steps("reading the text", (before + fed) as u64, all as u64);
        total -= log_likelihood(&mut runner, &mut sequence, piece, told)?;
    }
    progress.end();
    let rest = tokens.len() - all;
    if rest > 0 {
        message::say("warning", &format!("the last {rest} of {} tokens make no piece and are left out", tokens.len()));
    }
    report(args, count, total / count as f64)
}

/// The model's file, and the tokens that it is to predict.
fn input(args: &Args, config: &Config) -> Result<(Gguf, Vec<u32>), Stop> {
    let enough = |path: &Path, tokens: Vec<u32>| {
        let (file, found, expected) = (path.display(), tokens.len(), args.ctx_size);
        if found >= expected {
            return Ok(tokens);
        }
        let why = format!("{file}: expected at least {expected} tokens (-c), found {found}");
        Err(Stop::failed(format!("{why}; a smaller -c takes shorter texts")))
    };
    match (&args.tokens_file, &args.file) {
        (Some(path), _) => {
            let tokens = enough(path, Ids::read(path)?.0)?;
            Ok((args.model.open(config)?, tokens))
        }
        (None, Some(path)) => {
            let text = text::read(path)?;
            let gguf = args.model.open(config)?;
            let options = EncodeOptions { add_bos: true, special: false };
            let tokens = enough(path, args.model.tokenizer(&gguf)?.encode(&text, options))?;
            Ok((gguf, tokens))
        }
        (None, None) => Err(Stop::usage("a text or token ids are needed: -f or --tokens-file")),
    }
}

/// The logarithm of the probability of all tokens of a piece but the first.
fn log_likelihood(
    runner: &mut Runner,
    sequence: &mut Sequence,
    piece: &[u32],
    told: impl Fn(usize),
) -> Result<f64, ModelError> {
    let mut sum = 0.0;
    runner.feed(sequence, piece, Wanted::All, STEP, |fed, logits: View<'_, f32>| {
        // The row of a token predicts the next one; that of the last token predicts nothing.
        let next = piece.iter().skip(fed + 1 - logits.rows());
        sum += next.enumerate().take(logits.rows()).map(|(i, id)| log_probability(logits.row(i), *id)).sum::<f64>();
        told(fed);
    })?;
    Ok(sum)
}

fn report(args: &Args, tokens: usize, nll: f64) -> Result<(), Stop> {
    let ppl = nll.exp();
    if !ppl.is_finite() {
        return Err(Stop::failed(format!("the model's logits give no likelihood: nll {nll}, ppl {ppl}")));
    }
    let line = if args.json {
        json_text::line(&json!({ "tokens": tokens, "nll": nll, "ppl": ppl }))
    } else {
        format!("{tokens} tokens | nll {nll:.5} | ppl {ppl:.4}\n")
    };
    Ok(text::show(line.as_bytes())?)
}
