//! Running models through the library.

use std::sync::Arc;

use vt::core::plan::Sequence;
use vt::core::registry::Builder;
use vt::core::{DType, Registry};
use vt::cpu::TierName;
use vt::gguf::Gguf;
use vt::models::blocks::CacheTypes;
use vt::models::load::Target;
use vt::models::{Batch, LoadOptions, Model, ModelError, Runner, Wanted};

use super::compare::best;

/// How a model is run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub threads: usize,
    pub tier: Option<TierName>,
    pub cache: DType,
    pub fuse: bool,
    /// Whether all weights are decoded when the model is loaded.
    pub decoded: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { threads: 2, tier: None, cache: DType::F16, fuse: true, decoded: false }
    }
}

impl Setup {
    /// A registry of the ops and kernels of vt.
    pub fn builder(&self) -> Builder {
        let cpu = vt::cpu::Config { threads: Some(self.threads), tier: self.tier };
        Registry::builder().with(vt::ops::register).with(cpu.backend().unwrap())
    }

    pub fn load(&self, gguf: &Gguf) -> Arc<Model> {
        self.load_with(gguf, &Arc::new(self.builder().build().unwrap()))
    }

    pub fn load_with(&self, gguf: &Gguf, registry: &Arc<Registry>) -> Arc<Model> {
        Arc::new(self.try_load(gguf, registry).unwrap())
    }

    /// The model of a file, or what stands in the way.
    pub fn load_file(&self, file: Vec<u8>) -> Result<Arc<Model>, String> {
        let registry = Arc::new(self.builder().build().unwrap());
        self.try_load(&open(file), &registry).map(Arc::new).map_err(|error| error.to_string())
    }

    pub fn try_load(&self, gguf: &Gguf, registry: &Arc<Registry>) -> Result<Model, ModelError> {
        let options = LoadOptions {
            cache: CacheTypes { key: self.cache, value: self.cache },
            fuse: self.fuse,
            gguf: vt::gguf::Config { cpu_ref: self.decoded, ..Default::default() },
            ..Default::default()
        };
        let target = Target { registry: Arc::clone(registry), device: vt::cpu::CPU.to_owned() };
        Model::load(gguf, &target, &options)
    }
}

/// A file in memory.
pub fn open(file: Vec<u8>) -> Gguf {
    Gguf::from_bytes(Arc::new(file)).unwrap()
}

/// The logits after each token, fed in chunks.
pub fn logits(model: &Arc<Model>, tokens: &[u32], chunk: usize) -> Vec<f32> {
    beside(model, tokens, &[], chunk)
}

/// The logits after each token while other sequences run in the same passes: two more rows of each in every pass.
pub fn beside(model: &Arc<Model>, tokens: &[u32], others: &[Vec<u32>], chunk: usize) -> Vec<f32> {
    let mut runner = Runner::new(model).unwrap();
    let mut sequences: Vec<Sequence> = others.iter().map(|o| model.sequence(o.len()).unwrap()).collect();
    let place = others.len() / 2;
    sequences.insert(place, model.sequence(tokens.len()).unwrap());
    let mut all: Vec<(&[u32], usize)> = others.iter().map(|other| (other.as_slice(), 2)).collect();
    all.insert(place, (tokens, chunk));
    let mut batch = Batch::with_capacity(512);
    let mut out = Vec::new();
    while sequences[place].len() < tokens.len() {
        batch.clear();
        for (i, (ids, step)) in all.iter().enumerate() {
            let at = sequences[i].len();
            let next = &ids[at..ids.len().min(at + step)];
            if !next.is_empty() {
                batch.add(i, at, next, if i == place { Wanted::All } else { Wanted::None });
            }
        }
        let mut states: Vec<&mut Sequence> = sequences.iter_mut().collect();
        let logits = runner.forward(&batch, &mut states).unwrap();
        (0..logits.rows()).for_each(|row| out.extend_from_slice(logits.row(row)));
    }
    out
}

/// The `count` likeliest tokens one after another, each with its distance to the next best.
pub fn greedy(model: &Arc<Model>, prompt: &[u32], count: usize) -> Vec<(u32, f32)> {
    let mut runner = Runner::new(model).unwrap();
    let mut sequence = model.sequence(prompt.len() + count).unwrap();
    let mut found = Vec::new();
    let mut next = prompt.to_vec();
    while found.len() < count {
        let mut last = (0, 0.0);
        runner
            .feed(&mut sequence, &next, Wanted::Last, usize::MAX, |_, logits| {
                if logits.rows() > 0 {
                    last = best(logits.row(0));
                }
            })
            .unwrap();
        found.push(last);
        next = vec![last.0];
    }
    found
}
