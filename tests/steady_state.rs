//! Decoding allocates nothing, and so builds and plans nothing; choosing tokens allocates nothing either.
//!
//! There is one test only: the counter counts what all threads allocate.

mod tiny;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tiny::run::{self, Setup};
use vt::core::plan::Sequence;
use vt::models::sample::{Sampler, SamplerConfig};
use vt::models::{Batch, Model, Runner, Wanted};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    f();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

const WARM_UP: usize = 3;
const PASSES: usize = 40;

/// Decodes a token of each of `count` sequences a pass: the allocations of all passes after the first few.
fn decode(model: &Arc<Model>, count: usize) -> usize {
    let mut runner = Runner::new(model).unwrap();
    let mut owned: Vec<Sequence> = (0..count).map(|_| model.sequence(64).unwrap()).collect();
    let mut sequences: Vec<&mut Sequence> = owned.iter_mut().collect();
    let mut batch = Batch::with_capacity(count);
    let mut pass = |token: u32| {
        batch.clear();
        (0..count).for_each(|i| batch.add(i, sequences[i].len(), &[token + i as u32], Wanted::Last));
        let logits = runner.forward(&batch, &mut sequences).unwrap();
        assert_eq!(logits.rows(), count);
    };
    (0..WARM_UP).for_each(|token| pass(token as u32));
    allocations(|| (0..PASSES).for_each(|token| pass(token as u32)))
}

/// Chooses tokens from logits that change: the allocations of all choices but the first few.
fn choose(config: &SamplerConfig) -> usize {
    let mut sampler = Sampler::new(config, tiny::VOCAB).unwrap();
    let mut logits: Vec<f32> = (0..tiny::VOCAB).map(|i| ((i * 7919) % 97) as f32 * 0.1).collect();
    let mut step = || {
        logits.rotate_right(1);
        let token = sampler.sample(&logits).unwrap();
        sampler.accept(token);
    };
    (0..WARM_UP).for_each(|_| step());
    allocations(|| (0..PASSES * 10).for_each(|_| step()))
}

/// All samplers at work, and the draw from the whole vocabulary.
fn samplers() -> [SamplerConfig; 3] {
    let all = SamplerConfig {
        repeat_penalty: 1.1,
        presence_penalty: 0.2,
        frequency_penalty: 0.1,
        logit_bias: vec![(1, 2.0), (2, f32::NEG_INFINITY)],
        ..SamplerConfig::default()
    };
    let open = SamplerConfig { temperature: 1.5, top_k: 0, top_p: 0.999, min_p: 0.0, ..SamplerConfig::default() };
    [SamplerConfig { temperature: 0.0, ..all.clone() }, all, open]
}

#[test]
fn decoding_allocates_nothing() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1, "the counter does not count");
    let models = [
        "llama-f32",
        "llama-mixed",
        "qwen2-mixed",
        "qwen2-bf16",
        "qwen3-bf16",
        "qwen3-mixed",
        "gemma3-mixed",
        "qwen3moe-mixed",
        "qwen2moe-f32",
        "qwen35-f32",
        "qwen35-mixed",
        "qwen35moe-q4_0",
    ];
    for name in models {
        let model = Setup { threads: 2, ..Setup::default() }.load(&run::open(tiny::find(name).file()));
        for count in [1, 4] {
            assert_eq!(decode(&model, count), 0, "{name}, {count} sequences");
        }
    }
    for config in samplers() {
        assert_eq!(choose(&config), 0, "{config:?}");
    }
}
