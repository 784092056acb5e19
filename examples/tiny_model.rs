//! A small language model, written by hand: how a model is recorded, planned and run.
//!
//! `cargo run --release --example tiny_model`
//!
//! It is a decoder like Llama's. The weights are random f32, so its tokens mean nothing; with a tensor of a GGUF file,
//! in whatever blocks, every line of the model stays as it is.

use std::error::Error;
use std::sync::Arc;

use vt::core::op::{Attend, Rope, RopeStyle};
use vt::core::plan::{Eager, Feed, Memory, Options, Pass, Plan, Sequence, Span};
use vt::core::{DType, Desc, Graph, OpError, Registry, Sizes, StateSpec, Sym, Tensor, TensorError, Value};
use vt::ops;

const VOCAB: usize = 96;
const DIM: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD_DIM: usize = DIM / HEADS;
const FF: usize = 160;
const LAYERS: usize = 2;
const CONTEXT: usize = 32;
const NEW_TOKENS: usize = 8;
const EPS: f32 = 1e-5;

/// The weights of a layer: matrices are `[out, in]`.
struct Layer {
    attn_norm: Value,
    q: Value,
    k: Value,
    v: Value,
    output: Value,
    rope_factors: Value,
    ffn_norm: Value,
    gate: Value,
    up: Value,
    down: Value,
}

impl Layer {
    fn new(random: &mut Random) -> Result<Self, TensorError> {
        Ok(Self {
            attn_norm: ones(DIM)?,
            q: random.matrix(DIM, DIM)?,
            k: random.matrix(KV_HEADS * HEAD_DIM, DIM)?,
            v: random.matrix(KV_HEADS * HEAD_DIM, DIM)?,
            output: random.matrix(DIM, DIM)?,
            rope_factors: ones(HEAD_DIM / 2)?,
            ffn_norm: ones(DIM)?,
            gate: random.matrix(FF, DIM)?,
            up: random.matrix(FF, DIM)?,
            down: random.matrix(DIM, FF)?,
        })
    }

    /// `h = x + attention(norm(x)); y = h + mlp(norm(h))`, all `[T, DIM]`.
    fn forward(&self, g: &Graph, x: &Value) -> Result<Value, OpError> {
        let h = ops::add(g, x, &self.attention(g, &ops::rms_norm(g, x, &self.attn_norm, EPS)?)?)?;
        ops::add(g, &h, &self.mlp(g, &ops::rms_norm(g, &h, &self.ffn_norm, EPS)?)?)
    }

    /// The rows' keys and values join the cache; their queries then see all of their sequence up to themselves.
    fn attention(&self, g: &Graph, x: &Value) -> Result<Value, OpError> {
        let (sequences, positions) = (g.sequences(), g.positions());
        let rope = Rope {
            head_dim: HEAD_DIM,
            rot: HEAD_DIM,
            style: RopeStyle::Norm,
            base: 10_000.0,
            scale: 1.0,
            magnitude: 1.0,
        };
        let rotated = |x: &Value| ops::rope(g, rope.clone(), x, &positions, &self.rope_factors);
        let q = rotated(&ops::matmul_bt(g, x, &self.q)?)?;
        let k = rotated(&ops::matmul_bt(g, x, &self.k)?)?;
        let v = ops::matmul_bt(g, x, &self.v)?;
        let (heads, dim, half) = (KV_HEADS, HEAD_DIM, DType::F16);
        let cache = g.state(StateSpec::KvRows { heads, key_dim: dim, value_dim: dim, key: half, value: half });
        let cache = ops::kv_append(g, &cache, &k, &v, &sequences, &positions)?;
        let attend = Attend { heads: HEADS, scale: 1.0 / (HEAD_DIM as f32).sqrt(), ..Attend::default() };
        let mixed = ops::attend(g, attend, &q, &cache, [&sequences, &positions], None)?;
        ops::matmul_bt(g, &mixed, &self.output)
    }

    fn mlp(&self, g: &Graph, x: &Value) -> Result<Value, OpError> {
        let gate = ops::silu(g, &ops::matmul_bt(g, x, &self.gate)?)?;
        ops::matmul_bt(g, &ops::mul(g, &gate, &ops::matmul_bt(g, x, &self.up)?)?, &self.down)
    }
}

/// The graph of a pass over T rows, R of which want logits `[R, VOCAB]`. The head is the embedding table.
fn model(random: &mut Random) -> Result<Graph, Box<dyn Error>> {
    let g = Graph::new();
    let ids = g.input("ids", Desc::new(DType::I32, [Sym::T]));
    let wanted = g.input("wanted", Desc::new(DType::I32, [Sym::R]));
    let table = random.matrix(VOCAB, DIM)?;
    let mut x = ops::embed(&g, &ids, &table)?;
    for _ in 0..LAYERS {
        x = Layer::new(random)?.forward(&g, &x)?;
    }
    let normed = ops::rms_norm(&g, &ops::take_rows(&g, &x, &wanted)?, &ones(DIM)?, EPS)?;
    g.output(&ops::matmul_bt(&g, &normed, &table)?)?;
    Ok(g)
}

/// A plan, memory to run it in, and a sequence of tokens with its keys and values.
struct Session<'p> {
    plan: &'p Plan,
    memory: Memory,
    sequence: Sequence,
}

impl<'p> Session<'p> {
    fn new(plan: &'p Plan) -> Result<Self, Box<dyn Error>> {
        Ok(Self { plan, memory: plan.memory()?, sequence: Sequence::new(plan.states(), CONTEXT)? })
    }

    /// Feeds tokens in one pass, and gives the logits after each of them.
    fn feed(&mut self, tokens: &[i32]) -> Result<Vec<f32>, Box<dyn Error>> {
        let rows = tokens.len();
        let wanted: Vec<i32> = (0..).take(rows).collect();
        let mut pass = Pass {
            inputs: &[Feed::ids(tokens), Feed::ids(&wanted)],
            spans: &[Span { sequence: 0, position: self.sequence.len(), rows }],
            sequences: &mut [&mut self.sequence],
            sizes: Sizes { t: rows, r: rows },
        };
        let logits = self.plan.run(&mut self.memory, &mut pass)?.rows::<f32>(0)?;
        Ok((0..rows).flat_map(|row| logits.row(row)).copied().collect())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = vt::default_registry(vt::cpu::Config::default())?;
    let graph = model(&mut Random(42))?;
    let options = Options::new(vt::cpu::CPU, Sizes { t: CONTEXT, r: CONTEXT }).row_classes(CONTEXT, CONTEXT);
    let plan = Plan::new(&graph, &registry, &options)?;
    summarize(&plan);

    let prompt = [3, 14, 15, 92, 65];
    let mut session = Session::new(&plan)?;
    let logits = session.feed(&prompt)?;
    let mut stepwise = Session::new(&plan)?;
    for (token, expected) in prompt.iter().zip(logits.chunks(VOCAB)) {
        if !stepwise.feed(&[*token])?.iter().map(|x| x.to_bits()).eq(expected.iter().map(|x| x.to_bits())) {
            return Err(format!("other bytes after token {token} than in one piece").into());
        }
    }
    println!("prompt {prompt:?}: the same bytes in one piece and token by token");

    let mut tokens = vec![likeliest(&logits)];
    for _ in 1..NEW_TOKENS {
        let logits = session.feed(&tokens[tokens.len() - 1..])?;
        tokens.push(likeliest(&logits));
    }
    println!("continued with {tokens:?}");
    compute_at_once(&registry)
}

/// What a pass does, for each class of passes.
fn summarize(plan: &Plan) {
    let plan = plan.describe();
    for s in &plan.schedules {
        let Sizes { t, r } = s.sizes;
        let (steps, barriers, bytes) = (s.steps.len(), s.barriers, s.arena_bytes);
        println!("up to {t:2} rows, {r:2} wanted: {steps} steps, {barriers} barriers, {bytes} bytes of buffers");
    }
    println!("fused: {:?}; on other devices: {:?}", plan.fusions.fused, plan.fallbacks);
}

/// The token with the largest of the last logits.
fn likeliest(logits: &[f32]) -> i32 {
    let last = &logits[logits.len() - VOCAB..];
    (0i32..).zip(last).max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(token, _)| token)
}

/// The functions that record a model also compute at once, on an eager context.
fn compute_at_once(registry: &Arc<Registry>) -> Result<(), Box<dyn Error>> {
    let g = Eager::new(registry, vt::cpu::CPU);
    let x = Value::from(Tensor::from_slice(DType::F32, &[1, 4], &[-2.0f32, -1.0, 0.0, 3.0])?);
    let y = ops::silu(&g, &x)?;
    if let Some(y) = y.tensor() {
        println!("silu of [-2, -1, 0, 3]: {:?}", y.as_slice::<f32>()?);
    }
    Ok(())
}

fn ones(len: usize) -> Result<Value, TensorError> {
    Ok(Value::weight("ones", Tensor::from_slice(DType::F32, &[len], &vec![1.0f32; len])?))
}

/// A linear congruential generator (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    /// From -1 up to less than 1.
    fn float(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// `[rows, cols]` of about the size that keeps activations as large as they are.
    fn matrix(&mut self, rows: usize, cols: usize) -> Result<Value, TensorError> {
        let scale = (3.0 / cols as f32).sqrt();
        let values: Vec<f32> = (0..rows * cols).map(|_| scale * self.float()).collect();
        Ok(Value::weight("random", Tensor::from_slice(DType::F32, &[rows, cols], &values)?))
    }
}
