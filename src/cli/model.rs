//! The model that most commands take, and how it is run.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use vt::config::Config;
use vt::pull::Remote;
use vt_core::{DType, Registry};
use vt_gguf::Gguf;
use vt_models::blocks::CacheTypes;
use vt_models::load::{self, Target};
use vt_models::tokenizer::Tokenizer;
use vt_models::{LoadOptions, Model, ModelError, Outline, Runner};

use super::progress::Progress;
use super::stop::Stop;
use super::{message, pull};

/// The most rows in a pass.
pub(super) const ROWS: usize = 512;

/// How many threads compute.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Threads {
    /// Threads [default: the physical cores that this process may use]
    #[arg(short, long)]
    threads: Option<usize>,
}

impl Threads {
    /// How the CPU is set up.
    pub(super) fn cpu(self, config: &Config) -> vt_cpu::Config {
        vt_cpu::Config { threads: self.threads.or(config.cpu.threads), ..config.cpu }
    }

    /// All ops, and the CPU with its kernels.
    pub(super) fn registry(self, config: &Config) -> Result<Arc<Registry>, Stop> {
        vt::default_registry(self.cpu(config)).map_err(|error| match error {
            vt::SetupError::Cpu(error @ vt_cpu::ConfigError::Threads(_)) if self.threads.is_none() => {
                Stop::usage(format!("VT_THREADS: {error}"))
            }
            vt::SetupError::Cpu(error) => Stop::usage(error),
            error => Stop::failed(error),
        })
    }

    /// The CPU.
    pub(super) fn target(self, config: &Config) -> Result<Target, Stop> {
        Ok(Target { registry: self.registry(config)?, device: vt_cpu::CPU.to_owned() })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CacheType {
    F16,
    F32,
}

impl CacheType {
    fn dtype(self) -> DType {
        match self {
            CacheType::F16 => DType::F16,
            CacheType::F32 => DType::F32,
        }
    }
}

/// A model, and how it is run.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ModelArgs {
    /// A GGUF file, or a name that `vt pull` knows: it is fetched if it is not there
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// The type of the cached keys (-ctk)
    #[arg(long, value_name = "TYPE", default_value = "f16")]
    cache_type_k: CacheType,
    /// The type of the cached values (-ctv)
    #[arg(long, value_name = "TYPE", default_value = "f16")]
    cache_type_v: CacheType,
}

impl ModelArgs {
    /// The model's file; a name that is known, and not there yet, is fetched.
    pub(super) fn open(&self, config: &Config) -> Result<Gguf, Stop> {
        Ok(Gguf::open(file(&self.model, config)?)?)
    }

    /// The tokenizer of an open file.
    pub(super) fn tokenizer(&self, gguf: &Gguf) -> Result<Tokenizer, Stop> {
        let tokenizer = Tokenizer::new(load::vocab(gguf)?).map_err(|error| self.failed(error))?;
        if tokenizer.assumes_pre() {
            message::say("warning", "the file names no pre-tokenizer: `default` is used");
        }
        Ok(tokenizer)
    }

    /// How the CPU is set up.
    pub(super) fn cpu(&self, config: &Config) -> vt_cpu::Config {
        self.threads.cpu(config)
    }

    /// The CPU.
    pub(super) fn target(&self, config: &Config) -> Result<Target, Stop> {
        self.threads.target(config)
    }

    /// The types of the caches.
    pub(super) fn cache(&self) -> CacheTypes {
        CacheTypes { key: self.cache_type_k.dtype(), value: self.cache_type_v.dtype() }
    }

    /// How the model is loaded if a pass wants the logits of up to `wanted` rows, for sequences of up to `context`
    /// positions; `None`: as many as it was made for.
    pub(super) fn options(&self, config: &Config, wanted: usize, context: Option<usize>) -> LoadOptions {
        LoadOptions {
            gguf: config.gguf,
            cache: self.cache(),
            rows: ROWS,
            wanted,
            context,
            fuse: config.fuse,
            ..LoadOptions::default()
        }
    }

    /// The model of an open file, as [`ModelArgs::options`] says.
    pub(super) fn load(
        &self,
        gguf: &Gguf,
        target: &Target,
        config: &Config,
        wanted: usize,
        context: Option<usize>,
    ) -> Result<Arc<Model>, Stop> {
        let progress = Progress::new();
        progress.doing("loading");
        let options = self.options(config, wanted, context);
        let model = Model::load(gguf, target, &options).map_err(|error| self.named(error))?;
        progress.end();
        warn_of_unused(model.unused());
        Ok(Arc::new(model))
    }

    /// A runner of a model, which tells on a terminal how far a long prompt is.
    pub(super) fn runner(&self, model: &Arc<Model>) -> Result<Runner, Stop> {
        let mut runner = Runner::new(model)?;
        let mut progress = None;
        runner.watch(move |fed, all| {
            if fed < all {
                progress.get_or_insert_with(Progress::new).steps("reading the prompt", fed as u64, all as u64);
            } else {
                progress = None;
            }
        });
        Ok(runner)
    }

    /// The outline of an open file's model, planned as it is run.
    pub(super) fn outline(&self, gguf: &Gguf, config: &Config) -> Result<Outline, Stop> {
        vt_models::inspect(gguf, &self.target(config)?, &self.options(config, 1, None))
            .map_err(|error| self.named(error))
    }

    /// An error of the file names it.
    pub(super) fn named(&self, error: ModelError) -> Stop {
        match error {
            ModelError::Gguf(error) => error.into(),
            error => self.failed(error),
        }
    }

    /// A failure that has to do with the file.
    pub(super) fn failed(&self, why: impl Display) -> Stop {
        Stop::failed(format!("{}: {why}", self.model.display()))
    }

    /// Refuses to write over one of the files that are being read.
    pub(super) fn refuse_overwriting(&self, gguf: &Gguf, out: &Path) -> Result<(), Stop> {
        let Ok(out) = out.canonicalize() else { return Ok(()) };
        if gguf.files().any(|file| Path::new(file).canonicalize().is_ok_and(|file| file == out)) {
            return Err(Stop::usage(format!("{}: the model itself would be overwritten", out.display())));
        }
        Ok(())
    }
}

/// The file that an argument names: a path, or a model that is fetched if it is not there yet.
pub(super) fn file(model: &Path, config: &Config) -> Result<PathBuf, Stop> {
    if model.exists() {
        return Ok(model.to_owned());
    }
    match model.to_str().map(Remote::find).transpose().map_err(Stop::failed)?.flatten() {
        Some(remote) => pull::fetched(&remote, config),
        None if is_name(model) => Err(Stop::failed(pull::unknown(&model.display().to_string()))),
        None => Ok(model.to_owned()),
    }
}

/// Whether an argument can only be meant as a name.
fn is_name(model: &Path) -> bool {
    model.components().count() == 1 && model.extension().is_none_or(|end| end != "gguf")
}

/// A tensor that nothing uses may be a sign that the model computes something else than was meant.
fn warn_of_unused(names: &[String]) {
    const LISTED: usize = 4;
    if names.is_empty() {
        return;
    }
    let head = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > LISTED { ", ..." } else { "" };
    let count = names.len();
    message::say("warning", &format!("tensors that the model does not use ({count}): {head}{more}"));
}
