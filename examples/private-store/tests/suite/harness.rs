//! Running a model on a device.

use std::sync::Arc;

use vt::core::plan::{Counters, Fallback};
use vt::core::{Registry, View};
use vt::gguf::Gguf;
use vt::models::load::Target;
use vt::models::{LoadOptions, Model, ModelError, Runner, Wanted};

/// The CPU and the store.
pub fn registry() -> Arc<Registry> {
    let cpu = vt::cpu::Config::default().backend().expect("there is a CPU");
    let builder = Registry::builder().with(vt::ops::register).with(cpu).with(vt_private_store::register);
    Arc::new(builder.build().expect("no names clash"))
}

pub fn load(gguf: &Gguf, device: &str, fallback: Fallback) -> Result<Model, ModelError> {
    let target = Target { registry: registry(), device: device.to_owned() };
    Model::load(gguf, &target, &LoadOptions { rows: 8, wanted: 8, fallback, ..LoadOptions::default() })
}

/// What a model computed.
pub struct Run {
    pub model: Arc<Model>,
    /// The bits of the logits after each token.
    pub logits: Vec<u32>,
    pub counters: Counters,
}

/// Feeds `prompt` in one pass, then `steps` tokens one by one, each the likeliest after the last.
pub fn run(gguf: &Gguf, device: &str, fallback: Fallback, prompt: &[u32], steps: usize) -> Result<Run, ModelError> {
    let model = Arc::new(load(gguf, device, fallback)?);
    let mut runner = Runner::new(&model)?;
    let mut sequence = model.sequence(prompt.len() + steps)?;
    let mut logits = Vec::new();
    let mut fed = prompt.to_vec();
    for _ in 0..=steps {
        let mut next = 0;
        runner.feed(&mut sequence, &fed, Wanted::All, usize::MAX, |_, rows| {
            logits.extend((0..rows.rows()).flat_map(|i| rows.row(i)).map(|x| x.to_bits()));
            next = likeliest(rows);
        })?;
        fed = vec![next];
    }
    Ok(Run { logits, counters: runner.memory().counters, model })
}

/// The token with the largest logit in the last row.
fn likeliest(rows: View<'_, f32>) -> u32 {
    let last = rows.row(rows.rows() - 1);
    (0..last.len()).max_by(|a, b| last[*a].total_cmp(&last[*b])).unwrap_or(0) as u32
}
