//! `vt chat`: a conversation in the model's own template.

mod command;
mod input;
mod talk;

use std::path::Path;

use vt::chat::{Conversation, Message, PLAIN_STOP, Session, Settings, Template, TemplateError};
use vt::config::Config;
use vt_gguf::Gguf;
use vt_models::Runner;

use super::interrupt::Interrupt;
use super::model::ModelArgs;
use super::sampling::SamplingArgs;
use super::stop::Stop;
use input::Input;
use talk::Talk;

/// Talk with a model in its own chat template
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The system message
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    system: Option<String>,
    /// Use a plain format (`User: ...`, `Assistant: ...`) in place of the model's template
    #[arg(long)]
    plain: bool,
    /// The most tokens of an answer [default: until the model ends or the context is full]
    #[arg(short, long, value_name = "N")]
    n_predict: Option<usize>,
    /// The most tokens of the conversation [default: as many as the model was made for]
    #[arg(short, long, value_name = "CTX")]
    ctx_size: Option<usize>,
    #[command(flatten)]
    sampling: SamplingArgs,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let sampling = args.sampling.config()?;
    let gguf = args.model.open(config)?;
    let template = template(args, &gguf).map_err(|error| named(args, error))?;
    let tokenizer = args.model.tokenizer(&gguf)?;
    let model = args.model.load(&gguf, &args.model.target(config)?, config, 1, args.ctx_size)?;
    let context = args.ctx_size.unwrap_or(model.hparams().context);
    let stop = if args.plain { PLAIN_STOP.map(str::to_owned).to_vec() } else { Vec::new() };
    let settings = Settings { sampling, max_tokens: args.n_predict, stop };
    let mut session = Session::new(Runner::new(&model)?, &tokenizer, template, context, settings)?;
    session.set_system(args.system.as_deref());
    let mut input = Input::new()?;
    let interrupt = Interrupt::new(0)?;
    Talk {
        session,
        interrupt,
        strict: !input.is_terminal(),
        refuse: &|path: &Path| args.model.refuse_overwriting(&gguf, path),
        last: None,
    }
    .run(&mut input)
}

/// The template, which writes at least the beginning of a conversation.
fn template(args: &Args, gguf: &Gguf) -> Result<Template, TemplateError> {
    let template = if args.plain { Template::plain()? } else { Template::from_gguf(gguf, None)? };
    let system = args.system.as_deref().map(|text| Message::new("system", text));
    let messages: Vec<Message> = system.into_iter().chain([Message::new("user", "Hello")]).collect();
    let conversation =
        Conversation { messages: &messages, add_generation_prompt: true, now: talk::now(), variables: &[] };
    template.render(&conversation)?;
    Ok(template)
}

/// A template's error names the file, and what helps.
fn named(args: &Args, error: TemplateError) -> Stop {
    match error {
        TemplateError::Gguf(error) => error.into(),
        error => args.model.failed(format!("{error}; --plain talks without the file's template")),
    }
}
