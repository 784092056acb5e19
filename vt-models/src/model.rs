//! A loaded model, and what runs it.

use std::fmt;
use std::sync::Arc;

use vt_core::memory::OutOfMemory;
use vt_core::plan::{Fallback, Feed, Memory, Observer, Options, Pass, Plan, Sequence};
use vt_core::{Graph, Sizes, StateSpec, View};
use vt_gguf::{Gguf, GgufError};

use crate::blocks::CacheTypes;
use crate::load::{Hparams, Keys, Problem, Target, TensorUse, Weights, key_faults};
use crate::{Batch, ModelError, arch};

/// How a model is loaded.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// What the environment says of weights.
    pub gguf: vt_gguf::Config,
    /// The types of the key/value caches.
    pub cache: CacheTypes,
    /// The most rows in a pass; longer prompts go in chunks.
    pub rows: usize,
    /// The most rows of a pass whose logits are wanted.
    pub wanted: usize,
    /// How many positions sequences may have, for models that turn by other factors where they are many; `None`: as many
    /// as the model was made for.
    pub context: Option<usize>,
    /// What happens to ops without a kernel.
    pub fallback: Fallback,
    /// Whether fusions are applied.
    pub fuse: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            gguf: vt_gguf::Config::default(),
            cache: CacheTypes::default(),
            rows: 512,
            wanted: 512,
            context: None,
            fallback: Fallback::Error,
            fuse: true,
        }
    }
}

/// A model: its weights, its graph and its plan. It is not changed by running, so many runners may share it.
#[derive(Debug)]
pub struct Model {
    architecture: String,
    hparams: Hparams,
    tensors: Vec<TensorUse>,
    unused: Vec<String>,
    plan: Plan,
}

impl Model {
    /// Loads the model of a file for a device.
    ///
    /// # Errors
    /// If vt does not have the architecture, the file lacks something or is implausible, or the device cannot compute
    /// the model; everything that stands in the way is listed.
    pub fn load(gguf: &Gguf, target: &Target, options: &LoadOptions) -> Result<Self, ModelError> {
        let architecture = gguf.metadata().architecture()?.to_owned();
        let weights = Weights::new(gguf, target, options.gguf, true)?;
        let (hparams, model) = take(gguf, &architecture, &weights, options)?;
        let (tensors, unused) = weights.finish()?;
        let plan = plan(&*model, target, options)?;
        Ok(Self { architecture, hparams, tensors, unused, plan })
    }

    /// The architecture's name in the file.
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// The model's sizes.
    pub fn hparams(&self) -> &Hparams {
        &self.hparams
    }

    /// What becomes of each tensor.
    pub fn tensors(&self) -> &[TensorUse] {
        &self.tensors
    }

    /// The file's tensors that the model does not use.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The kinds of state of a sequence.
    pub fn states(&self) -> &[StateSpec] {
        self.plan.states()
    }

    /// An empty sequence with room for `positions` positions.
    ///
    /// # Errors
    /// If the memory cannot be reserved.
    pub fn sequence(&self, positions: usize) -> Result<Sequence, OutOfMemory> {
        Sequence::new(self.states(), positions)
    }
}

/// A file's model, for looking at it.
#[derive(Debug)]
pub struct Outline {
    /// The model's sizes.
    pub hparams: Hparams,
    /// What becomes of each tensor.
    pub tensors: Vec<TensorUse>,
    /// The file's tensors that the model does not use.
    pub unused: Vec<String>,
    /// The plan, or everything that stands in the way.
    pub plan: Result<Plan, ModelError>,
}

/// The outline of a file's model: no tensor's bytes are read.
///
/// # Errors
/// If vt does not have the architecture, or the metadata lack something or are implausible.
pub fn inspect(gguf: &Gguf, target: &Target, options: &LoadOptions) -> Result<Outline, ModelError> {
    let architecture = gguf.metadata().architecture()?;
    let weights = Weights::new(gguf, target, options.gguf, false)?;
    let (hparams, model) = take(gguf, architecture, &weights, options)?;
    let (tensors, unused, problems) = weights.findings()?;
    let plan = if problems.is_empty() { plan(&*model, target, options) } else { Err(ModelError::Refused { problems }) };
    Ok(Outline { hparams, tensors, unused, plan })
}

fn plan(model: &dyn arch::Architecture, target: &Target, options: &LoadOptions) -> Result<Plan, ModelError> {
    let graph = Graph::new();
    model.record(&graph)?;
    let sizes = Sizes { t: options.rows, r: options.wanted };
    let options = Options {
        fallback: options.fallback,
        fuse: options.fuse,
        ..Options::new(&target.device, sizes).row_classes(options.rows, options.wanted)
    };
    Ok(Plan::new(&graph, &target.registry, &options)?)
}

fn take(
    gguf: &Gguf,
    architecture: &str,
    weights: &Weights<'_>,
    options: &LoadOptions,
) -> Result<(Hparams, Box<dyn arch::Architecture>), ModelError> {
    let load = arch::find(architecture).ok_or_else(|| ModelError::Architecture {
        found: architecture.to_owned(),
        known: arch::names().collect::<Vec<_>>().join(", "),
    })?;
    let keys = Keys::new(gguf, options.context)?;
    let loaded = load(&keys, weights, options.cache).map_err(|first| refusal(gguf, first))?;
    keys.finish().into_iter().for_each(|problem| weights.note(problem));
    Ok(loaded)
}

/// The error of a file whose metadata are bad: all of its keys that are, not just the one at which loading stopped.
fn refusal(gguf: &Gguf, first: GgufError) -> ModelError {
    let Some(key) = first.fault.key() else { return first.into() };
    let mut faults = key_faults(gguf);
    if faults.iter().any(|fault| fault.fault.key() != Some(key)) {
        if faults.iter().all(|fault| fault.fault.key() != Some(key)) {
            faults.insert(0, first);
        }
        let problem = |error: GgufError| Problem::Fault(error.fault.to_string());
        return ModelError::Refused { problems: faults.into_iter().map(problem).collect() };
    }
    first.into()
}

/// Runs a model: one pass at a time, with memory of its own.
#[derive(Debug)]
pub struct Runner {
    model: Arc<Model>,
    memory: Memory,
    watch: Watch,
}

/// What is told how far [`Runner::feed`] is.
#[derive(Default)]
struct Watch(Option<Box<dyn FnMut(usize, usize) + Send>>);

impl Watch {
    fn tell(&mut self, fed: usize, all: usize) {
        if let Some(watch) = &mut self.0 {
            watch(fed, all);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "watched" } else { "not watched" })
    }
}

impl Runner {
    /// A runner of `model`.
    ///
    /// # Errors
    /// If its memory cannot be reserved.
    pub fn new(model: &Arc<Model>) -> Result<Self, ModelError> {
        Ok(Self { model: Arc::clone(model), memory: model.plan.memory()?, watch: Watch::default() })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What was done so far, and the memory it is done in.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// From now on `observer` is told what workers do in the runner's passes; `None`: nobody is.
    pub fn observe(&mut self, observer: Option<Arc<dyn Observer>>) {
        self.memory.observe(observer);
    }

    /// From now on `watch` is told how many tokens [`Runner::feed`] has fed, and how many there are: before and after
    /// each chunk, if there is more than one.
    pub fn watch(&mut self, watch: impl FnMut(usize, usize) + Send + 'static) {
        self.watch = Watch(Some(Box::new(watch)));
    }

    /// Runs one pass and gives the logits `[wanted rows, vocabulary]` in the order of the batch.
    ///
    /// After the first pass this does not allocate.
    ///
    /// # Errors
    /// If the batch does not fit the model or the sequences, or the pass fails.
    pub fn forward<'r>(
        &'r mut self,
        batch: &Batch,
        sequences: &mut [&mut Sequence],
    ) -> Result<View<'r, f32>, ModelError> {
        let vocab = self.model.hparams.vocab;
        if let Some(bad) = batch.ids.iter().find(|id| usize::try_from(**id).is_ok_and(|id| id >= vocab) || **id < 0) {
            return Err(ModelError::Token { id: *bad as u32, vocab });
        }
        let inputs = [Feed::ids(&batch.ids), Feed::ids(&batch.wanted)];
        let sizes = Sizes { t: batch.rows(), r: batch.wanted() };
        let mut pass = Pass { inputs: &inputs, spans: &batch.spans, sequences, sizes };
        let outputs = self.model.plan.run(&mut self.memory, &mut pass)?;
        Ok(outputs.rows::<f32>(0)?)
    }

    /// Feeds tokens to a sequence in chunks, from its end on, and hands each chunk's logits to `each` with the number
    /// of tokens fed so far.
    ///
    /// # Errors
    /// As [`Runner::forward`], or if the sequence has no room.
    pub fn feed(
        &mut self,
        sequence: &mut Sequence,
        tokens: &[u32],
        wanted: crate::Wanted,
        chunk: usize,
        mut each: impl FnMut(usize, View<'_, f32>),
    ) -> Result<(), ModelError> {
        if tokens.len() > sequence.capacity() - sequence.len() {
            let needed = sequence.len().saturating_add(tokens.len());
            return Err(ModelError::ContextFull { needed, capacity: sequence.capacity() });
        }
        let chunk = chunk.clamp(1, self.model.plan.largest().t.max(1));
        let mut batch = Batch::with_capacity(chunk);
        let mut fed = 0;
        for part in tokens.chunks(chunk) {
            let last = fed + part.len() == tokens.len();
            if fed > 0 || !last {
                self.watch.tell(fed, tokens.len());
            }
            let wanted = if wanted == crate::Wanted::Last && !last { crate::Wanted::None } else { wanted };
            batch.clear();
            batch.add(0, sequence.len(), part, wanted);
            fed += part.len();
            let logits = self.forward(&batch, &mut [&mut *sequence])?;
            each(fed, logits);
        }
        if tokens.len() > chunk {
            self.watch.tell(fed, tokens.len());
        }
        Ok(())
    }
}

impl From<OutOfMemory> for ModelError {
    fn from(error: OutOfMemory) -> Self {
        ModelError::Tensor(error.into())
    }
}
