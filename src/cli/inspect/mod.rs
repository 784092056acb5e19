//! `vt inspect`: what is in a file, and what becomes of it.

mod json;
mod table;

use std::collections::HashMap;

use vt::config::Config;
use vt_gguf::{Gguf, Residency, TensorInfo};
use vt_models::Outline;
use vt_models::load::TensorUse;

use super::model::ModelArgs;
use super::stop::Stop;
use super::{message, text};

/// Show a file's metadata and tensors, where each tensor is to live and why, and the memory that the model takes
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Print {"arch", "metadata", "tensors", "memory"}; an array of more than 64 elements is {"array": type, "len": n}
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> Result<(), Stop> {
    let gguf = args.model.open(config)?;
    let outline = args.model.outline(&gguf, config);
    let (outline, obstacle) = match outline {
        Ok(outline) => {
            let obstacle = outline.plan.as_ref().err().map(ToString::to_string);
            (Some(outline), obstacle)
        }
        Err(Stop::Failed(why)) => (None, Some(why)),
        Err(stop) => return Err(stop),
    };
    let file = Report::new(&gguf, outline.as_ref());
    let out = if args.json { json::text(&file) } else { table::text(&file) };
    text::show(out.as_bytes())?;
    if let Some(why) = obstacle {
        message::say("warning", &format!("vt cannot run this file: {why}"));
    }
    Ok(())
}

/// A file, and what is known of its model.
struct Report<'a> {
    gguf: &'a Gguf,
    outline: Option<&'a Outline>,
    uses: HashMap<&'a str, &'a TensorUse>,
}

/// The bytes that a model takes.
struct Memory {
    weights: u64,
    /// The key/value rows and the state of a sequence of the model's whole context.
    kv: Option<u64>,
    context: usize,
    arena: u64,
}

impl<'a> Report<'a> {
    fn new(gguf: &'a Gguf, outline: Option<&'a Outline>) -> Self {
        let uses = outline.map_or(&[][..], |o| &o.tensors).iter().map(|u| (u.name.as_str(), u)).collect();
        Self { gguf, outline, uses }
    }

    fn architecture(&self) -> Option<&'a str> {
        self.gguf.metadata().architecture().ok()
    }

    /// Role, residency and reason of a tensor, if the model is known.
    fn fate(&self, tensor: &TensorInfo<'_>) -> [Option<&str>; 3] {
        match self.uses.get(tensor.name()) {
            Some(used) => [used.role.name(), used.decision.residency.name(), &used.decision.reason].map(Some),
            None => [None, None, self.outline.map(|_| "the model does not use it")],
        }
    }

    /// The model's memory, if vt can run it.
    fn memory(&self) -> Option<Memory> {
        let outline = self.outline?;
        let plan = outline.plan.as_ref().ok()?;
        let context = outline.hparams.context;
        let rows = plan.states().iter().map(|s| s.bytes(context).and_then(|n| u64::try_from(n).ok()));
        let kv = rows.sum();
        Some(Memory { weights: self.weights(), kv, context, arena: plan.arena_bytes() as u64 })
    }

    fn weights(&self) -> u64 {
        let bytes = |tensor: TensorInfo<'_>| match self.uses.get(tensor.name())?.decision.residency {
            Residency::Keep => Some(tensor.bytes()),
            Residency::DecodeToF32 => Some(elements(&tensor) * 4),
            Residency::Refuse => None,
        };
        self.gguf.tensors().filter_map(bytes).sum()
    }
}

/// The elements of a tensor: no more than fit, or the file would have been refused.
fn elements(tensor: &TensorInfo<'_>) -> u64 {
    tensor.shape().iter().map(|n| *n as u64).product()
}
