//! A small model with everything in it: embedding, attention, recurrent state, gates, wanted rows.

use std::panic::Location;
use std::sync::Arc;

use vt_core::graph::{Fused, NodeId};
use vt_core::op::{Add, Attend, Embed, KvAppend, MatmulBt, Mul, Op, RmsNorm, Silu, SiluMul, TakeRows};
use vt_core::plan::{Feed, Memory, Pass, Plan, Sequence, Span};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, Graph, OpError, Recorder, RunError, Sizes, StateSpec, Sym, Tensor, Value};

use super::RunningSum;

#[track_caller]
pub fn put<O: Op>(g: &dyn Recorder, op: O, inputs: &[&Value]) -> Result<Value, OpError> {
    g.record_one(Arc::new(op), inputs, Location::caller())
}

/// A weight of numbers between -1 and 1 that depend on its name.
pub fn weight(name: &str, shape: &[usize]) -> Value {
    let mut seed = name.bytes().fold(17u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let values: Vec<f32> = (0..shape.iter().product()).map(|_| next()).collect();
    Value::weight(name, Tensor::from_slice(DType::F32, shape, &values).unwrap())
}

pub fn register_fusion(b: &mut Builder) {
    b.fuse("silu_mul", |g: &Graph, node: NodeId| {
        let (_, mul) = g.op::<Mul>(node)?;
        let (_, silu) = g.sole::<Silu>(mul[0])?;
        Some(Fused { op: Arc::new(SiluMul), inputs: vec![silu[0], mul[1]] })
    });
    b.decompose::<SiluMul>(|_, g, x| Ok(vec![put(g, Mul, &[&put(g, Silu, &[x[0]])?, x[1]])?]));
}

pub const DIM: usize = 12;
pub const VOCABULARY: usize = 40;

pub fn kv() -> StateSpec {
    StateSpec::KvRows { heads: 2, key_dim: 3, value_dim: 3, key: DType::F32, value: DType::F32 }
}

/// Records the model with `layers` layers. Output: logits of the wanted rows.
pub fn model(layers: usize) -> Result<Graph, OpError> {
    let g = Graph::new();
    let ids = g.input("ids", Desc::new(DType::I32, [Sym::T]));
    let wanted = g.input("wanted", Desc::new(DType::I32, [Sym::R]));
    let (sequences, positions) = (g.sequences(), g.positions());
    let mut x = put(&g, Embed, &[&ids, &weight("embed", &[VOCABULARY, DIM])])?;
    for l in 0..layers {
        let w = |name: &str, n: usize, k: usize| weight(&format!("{l}.{name}"), &[n, k]);
        let norm = |x: &Value| put(&g, RmsNorm { eps: 1e-5 }, &[x, &weight(&format!("{l}.norm"), &[DIM])]);
        let h = norm(&x)?;
        let q = put(&g, MatmulBt, &[&h, &w("q", DIM, DIM)])?;
        let k = put(&g, MatmulBt, &[&h, &w("k", 6, DIM)])?;
        let v = put(&g, MatmulBt, &[&h, &w("v", 6, DIM)])?;
        let cache = put(&g, KvAppend, &[&g.state(kv()), &k, &v, &sequences, &positions])?;
        let attend = Attend { heads: 4, scale: 0.25, ..Attend::default() };
        let a = put(&g, attend, &[&q, &cache, &sequences, &positions])?;
        x = put(&g, Add, &[&x, &put(&g, MatmulBt, &[&a, &w("o", DIM, DIM)])?])?;
        let h = norm(&x)?;
        let state = g.state(StateSpec::Fixed { rows: 3, cols: DIM / 3 });
        let sum = g.record(Arc::new(RunningSum), &[&h, &state, &sequences], Location::caller())?;
        let gate = put(&g, Silu, &[&put(&g, MatmulBt, &[&sum[0], &w("gate", 20, DIM)])?])?;
        let m = put(&g, Mul, &[&gate, &put(&g, MatmulBt, &[&h, &w("up", 20, DIM)])?])?;
        x = put(&g, Add, &[&x, &put(&g, MatmulBt, &[&m, &w("down", DIM, 20)])?])?;
    }
    let last = put(&g, TakeRows, &[&x, &wanted])?;
    g.output(&put(&g, MatmulBt, &[&last, &weight("head", &[VOCABULARY, DIM])])?)?;
    Ok(g)
}

/// Runs the rows of spans; all rows are wanted. The logits.
pub fn run(
    plan: &Plan,
    memory: &mut Memory,
    spans: &[(Span, &[i32])],
    sequences: &mut [&mut Sequence],
) -> Result<Vec<f32>, RunError> {
    let ids: Vec<i32> = spans.iter().flat_map(|(_, ids)| ids.to_vec()).collect();
    let wanted: Vec<i32> = (0..ids.len() as i32).collect();
    let inputs = [Feed::ids(&ids), Feed::ids(&wanted)];
    let spans: Vec<Span> = spans.iter().map(|(s, _)| *s).collect();
    let sizes = Sizes { t: ids.len(), r: ids.len() };
    let outputs = plan.run(memory, &mut Pass { inputs: &inputs, spans: &spans, sequences, sizes })?;
    let view = outputs.rows::<f32>(0).unwrap();
    Ok((0..view.rows()).flat_map(|r| view.row(r).to_vec()).collect())
}
