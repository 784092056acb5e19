//! A small model with a template.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use vt::chat::{DateTime, Session, Settings, Template};
use vt::gguf::{Gguf, Writer};
use vt::models::load::{self, Target};
use vt::models::tokenizer::Tokenizer;
use vt::models::{LoadOptions, Model, Runner};

use crate::common::Models;

/// Turns in the letters that the model's tokenizer has, ended by its tokens.
pub const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|endoftext|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// Writes `whole.gguf` anew with other metadata, as `name`.
pub fn write(models: &Models, name: &str, template: Option<&str>, adds_bos: bool) {
    let gguf = Gguf::open(models.path("whole.gguf")).unwrap();
    let mut writer = Writer::new();
    for (key, value) in gguf.metadata().iter() {
        writer.set(key, value).unwrap();
    }
    if let Some(template) = template {
        writer.set("tokenizer.chat_template", template).unwrap();
    }
    if adds_bos {
        writer.set("tokenizer.ggml.bos_token_id", crate::common::START).unwrap();
        writer.set("tokenizer.ggml.add_bos_token", true).unwrap();
    }
    let tensors: Vec<_> = gguf.tensors().map(|info| (info.name(), gguf.tensor(info.name()).unwrap())).collect();
    for (name, tensor) in &tensors {
        writer.tensor(name, tensor.dtype(), tensor.shape(), tensor.bytes().unwrap()).unwrap();
    }
    writer.write_to(File::create(models.path(name)).unwrap()).unwrap();
}

/// A folder with the model `chat.gguf`.
pub fn models() -> Models {
    let models = Models::new();
    write(&models, "chat.gguf", Some(TEMPLATE), false);
    models
}

pub fn now() -> DateTime {
    "2026-03-05T04:07:09".parse().unwrap()
}

/// A model loaded through the library.
pub struct Loaded {
    pub model: Arc<Model>,
    pub tokenizer: Tokenizer,
    pub gguf: Gguf,
}

impl Loaded {
    pub fn new(models: &Models, name: &str) -> Self {
        Self::of(Gguf::open(models.path(name)).unwrap())
    }

    pub fn of(gguf: Gguf) -> Self {
        let registry = vt::default_registry(vt::cpu::Config { threads: Some(2), tier: None }).unwrap();
        let target = Target { registry, device: vt::cpu::CPU.to_owned() };
        let model = Arc::new(Model::load(&gguf, &target, &LoadOptions::default()).unwrap());
        Self { model, tokenizer: Tokenizer::new(load::vocab(&gguf).unwrap()).unwrap(), gguf }
    }

    pub fn session(&self, context: usize, settings: Settings) -> Session<'_> {
        let template = Template::from_gguf(&self.gguf, None).unwrap();
        Session::new(Runner::new(&self.model).unwrap(), &self.tokenizer, template, context, settings).unwrap()
    }
}

/// Runs a command with a text as its standard input.
pub fn with_input(mut command: Command, input: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that fails early reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}
