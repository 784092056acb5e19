//! `vt detokenize`: the text of tokens.

use vt::config::Config;

use super::ids::Ids;
use super::model::ModelArgs;
use super::stop::Stop;
use super::text;

/// Show the text of tokens, byte for byte, as a text of its own: without the space that a vocabulary starts texts with
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Token ids between commas
    #[arg(value_name = "IDS")]
    tokens: Ids,
    /// Show special tokens
    #[arg(long)]
    special: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let tokenizer = args.model.tokenizer(&args.model.open(config)?)?;
    let text = tokenizer.decode(&args.tokens.0, args.special)?;
    text::show(&text)?;
    Ok(text::end(&text)?)
}
