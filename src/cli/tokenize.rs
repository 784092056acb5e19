//! `vt tokenize`: the tokens of a text.

use std::ffi::OsString;
use std::fmt::Write;

use serde_json::json;
use vt::config::Config;
use vt_models::tokenizer::EncodeOptions;

use super::model::ModelArgs;
use super::stop::Stop;
use super::{json_text, text};

/// Show the tokens of a text: one a line, its id and its text
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The text; `-` for standard input, taken as it is
    #[arg(allow_hyphen_values = true)]
    text: OsString,
    /// Recognise special tokens in the text
    #[arg(long)]
    special: bool,
    /// Add no token at the beginning, and none at the end
    #[arg(long)]
    no_bos: bool,
    /// Print {"tokens", "pieces"}
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let tokenizer = args.model.tokenizer(&args.model.open(config)?)?;
    let options = EncodeOptions { add_bos: !args.no_bos, special: args.special };
    let tokens = tokenizer.encode(text::argument(&args.text)?, options);
    let pieces = tokens.iter().map(|id| String::from_utf8_lossy(tokenizer.piece(*id, true)));
    let out = if args.json {
        json_text::line(&json!({ "tokens": tokens, "pieces": pieces.collect::<Vec<_>>() }))
    } else {
        tokens.iter().zip(pieces).fold(String::new(), |mut out, (id, piece)| {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{id:>8}  {piece:?}");
            out
        })
    };
    Ok(text::show(out.as_bytes())?)
}
