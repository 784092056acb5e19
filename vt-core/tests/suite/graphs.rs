//! Recording, and what is done to a graph before it is planned.

use std::sync::Arc;

use vt_core::graph::{Fused, Graph};
use vt_core::kernel::Cut;
use vt_core::op::{Add, Embed, KvAppend, MatmulBt, Mul, Silu, SiluMul};
use vt_core::plan::{Eager, Fallback, Options, Plan};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, OpError, PlanError, Recorder, Registry, Sizes, Sym, Tensor, Value};

use crate::toy::model::{self, put, weight};
use crate::toy::{self, Threads, Toy};

fn options() -> Options {
    Options::new("toy", Sizes { t: 8, r: 8 })
}

fn rows(g: &Graph, name: &str, cols: usize) -> Value {
    g.input(name, Desc::rows(DType::F32, Sym::T, cols))
}

fn ops(g: &Graph, registry: &Arc<Registry>, options: &Options) -> Vec<&'static str> {
    let plan = Plan::new(g, registry, options).unwrap();
    let mut ops: Vec<_> = plan.describe().schedules[0].steps.iter().map(|s| s.op).collect();
    ops.sort_unstable();
    ops
}

/// A registry with a `toy` device and what `more` registers.
fn with(more: impl FnOnce(&mut Builder)) -> Arc<Registry> {
    let device = |b: &mut Builder| b.device(Arc::new(Threads { name: "toy", workers: 2 }));
    Arc::new(Registry::builder().with(device).with(more).build().unwrap())
}

#[test]
fn an_error_names_op_input_types_and_line() {
    let g = Graph::new();
    let x = rows(&g, "x", 12);
    let line = line!() + 1;
    let error = put(&g, MatmulBt, &[&x, &weight("w", &[5, 13])]).unwrap_err().to_string();
    let place = format!("{}:{line}:", file!());
    assert!(error.starts_with("matmul_bt: input `b`: expected [N, K] with K = 12, found f32 [5, 13] (at "), "{error}");
    assert!(error.contains(&place), "{error} {place}");
    let error = put(&g, Add, &[&x]).unwrap_err().to_string();
    assert!(error.starts_with("add: expected 2 inputs (a, b), found 1"), "{error}");
}

#[test]
fn values_belong_to_their_graph() {
    let (g, other) = (Graph::new(), Graph::new());
    let x = rows(&g, "x", 4);
    let foreign =
        |r: Result<Value, OpError>| r.unwrap_err().to_string().starts_with("silu: input `x` belongs to another graph");
    assert!(foreign(put(&other, Silu, &[&x])));
    assert!(foreign(put(&g.clone(), Silu, &[&x])));
    assert!(matches!(other.output(&put(&g, Silu, &[&x]).unwrap()), Err(OpError::Foreign { .. })));
    assert!(g.output(&x).is_err() && g.output(&weight("w", &[1])).is_err() && g.output(&g.state(model::kv())).is_err());
}

#[test]
fn a_state_has_one_next_version() {
    let g = Graph::new();
    let (k, s, p, cache) = (rows(&g, "k", 6), g.sequences(), g.positions(), g.state(model::kv()));
    put(&g, KvAppend, &[&cache, &k, &k, &s, &p]).unwrap();
    let error = put(&g, KvAppend, &[&cache, &k, &k, &s, &p]).unwrap_err().to_string();
    assert!(error.starts_with("kv_append: a state that was advanced already"), "{error}");
}

#[test]
fn a_symbol_must_lead() {
    let g = Graph::new();
    let x = g.input("x", Desc::new(DType::F32, [4.into(), vt_core::Dim::Sym(Sym::T)]));
    assert!(put(&g, Silu, &[&x]).unwrap_err().to_string().contains("f32 [4, T]: a symbol must lead"));
    assert!(matches!(Plan::new(&g, &toy::registry(1, 0), &options()), Err(PlanError::Invalid { .. })));
}

#[test]
fn equal_ops_are_computed_once_and_dead_ones_not() {
    let g = Graph::new();
    let x = rows(&g, "x", 4);
    let (a, b) = (put(&g, Silu, &[&x]).unwrap(), put(&g, Silu, &[&x]).unwrap());
    put(&g, Mul, &[&a, &b]).unwrap();
    g.output(&put(&g, Add, &[&a, &b]).unwrap()).unwrap();
    assert_eq!(ops(&g, &toy::registry(2, 0), &options()), ["add", "silu"]);
}

#[test]
fn state_is_advanced_though_no_output_needs_it() {
    let g = Graph::new();
    let k = rows(&g, "k", 6);
    put(&g, KvAppend, &[&g.state(model::kv()), &k, &k, &g.sequences(), &g.positions()]).unwrap();
    assert_eq!(ops(&g, &toy::registry(2, 0), &options()), ["kv_append"]);
}

fn gate(g: &Graph) -> (Value, Value) {
    let x = rows(g, "x", 4);
    let silu = put(g, Silu, &[&x]).unwrap();
    (silu.clone(), put(g, Mul, &[&silu, &x]).unwrap())
}

#[test]
fn fusions_are_counted_and_applied_where_there_is_a_kernel() {
    let graph = model::model(2).unwrap();
    let count = |registry: &Arc<Registry>, o: &Options| {
        let counts = Plan::new(&graph, registry, o).unwrap().fusions().clone();
        (counts.fused.get("silu_mul").copied(), counts.unfused.get("silu_mul").copied())
    };
    let registry = toy::registry(2, 0);
    assert_eq!(count(&registry, &options()), (Some(2), None));
    assert_eq!(count(&registry, &Options { fuse: false, ..options() }), (None, Some(2)));
    let device = |b: &mut Builder| {
        b.device(Arc::new(Threads { name: "toy", workers: 2 }));
        toy::register(b, "toy", 0);
    };
    let without = Registry::builder().with(device).without(|op, _, _| op == "silu_mul").build().unwrap();
    assert_eq!(count(&Arc::new(without), &options()), (None, Some(2)));
}

#[test]
fn what_is_used_elsewhere_is_not_fused() {
    let registry = toy::registry(2, 0);
    let g = Graph::new();
    let (silu, mul) = gate(&g);
    g.output(&mul).unwrap();
    assert_eq!(ops(&g, &registry, &options()), ["silu_mul"]);
    g.output(&silu).unwrap();
    assert_eq!(ops(&g, &registry, &options()), ["mul", "silu"]);
}

#[test]
fn a_fusion_that_changes_the_type_is_refused() {
    let registry = with(|b| {
        toy::register(b, "toy", 0);
        b.fuse("wrong", |g, node| {
            let (_, inputs) = g.op::<Silu>(node)?;
            Some(Fused { op: Arc::new(MatmulBt), inputs: vec![inputs[0], inputs[0]] })
        });
    });
    let g = Graph::new();
    g.output(&gate(&g).0).unwrap();
    let error = Plan::new(&g, &registry, &options()).unwrap_err().to_string();
    assert!(error.starts_with("decomposing matmul_bt: wrong: "), "{error}");
}

fn silu_mul_graph() -> Graph {
    let g = Graph::new();
    let x = rows(&g, "x", 4);
    g.output(&put(&g, SiluMul, &[&x, &x]).unwrap()).unwrap();
    g
}

#[test]
fn an_op_without_a_kernel_follows_the_policy() {
    let registry = with(|b| {
        b.kernel::<Mul>("toy", Toy::new(Cut::whole()));
        b.kernel::<Silu>("toy", Toy::new(Cut::whole()));
        model::register_fusion(b);
    });
    let g = silu_mul_graph();
    let error = Plan::new(&g, &registry, &options()).unwrap_err().to_string();
    assert_eq!(error, "device `toy` cannot compute silu_mul x1 of (f32 [T, 4], f32 [T, 4]): no kernel");
    for fallback in [Fallback::Decompose, Fallback::Reference] {
        let o = Options { fallback, ..options() };
        assert_eq!(ops(&g, &registry, &o), ["mul", "silu"]);
        assert!(Plan::new(&g, &registry, &o).unwrap().fallbacks().is_empty());
    }
}

#[test]
fn bad_decompositions_are_refused() {
    let fails = |more: fn(&mut Builder)| {
        let o = Options { fallback: Fallback::Decompose, ..options() };
        Plan::new(&silu_mul_graph(), &with(more), &o).unwrap_err().to_string()
    };
    let itself = fails(|b| b.decompose::<SiluMul>(|_, g, x| Ok(vec![put(g, SiluMul, x)?])));
    assert_eq!(itself, "decomposing silu_mul: it is made of itself");
    let nothing = fails(|b| b.decompose::<SiluMul>(|_, _, _| Ok(vec![])));
    assert_eq!(nothing, "decomposing silu_mul: its outputs are not those of the op");
    let other = fails(|b| b.decompose::<SiluMul>(|_, g, _| Ok(vec![put(g, Silu, &[&weight("w", &[3])])?])));
    assert_eq!(other, "decomposing silu_mul: its outputs are not those of the op");
    let input = fails(|b| b.decompose::<SiluMul>(|_, _, x| Ok(vec![x[0].clone()])));
    assert_eq!(input, "output: it is an input or a weight");
}

#[test]
fn an_eager_op_is_a_plan_of_one_node() {
    let eager = Eager::new(&toy::registry(2, 0), "toy");
    let x = Value::from(Tensor::from_slice(DType::F32, &[2, 2], &[1f32, 2., 3., 4.]).unwrap());
    let row = Value::from(Tensor::from_slice(DType::F32, &[2], &[10f32, 20.]).unwrap());
    let sum = put(&eager, Add, &[&x, &row]).unwrap();
    assert_eq!(sum.tensor().unwrap().as_slice::<f32>().unwrap(), [11., 22., 13., 24.]);
    assert_eq!(sum.desc().unwrap().to_string(), "f32 [2, 2]");
    let ids = Value::from(Tensor::from_slice(DType::I32, &[1], &[9]).unwrap());
    let error = put(&eager, Embed, &[&ids, &x]).unwrap_err().to_string();
    assert!(error.starts_with("embed (toy): row 0 of `ids`: 9 is not in 0..2 (at "), "{error}");
    let g = Graph::new();
    assert!(matches!(put(&eager, Silu, &[&rows(&g, "x", 2)]), Err(OpError::At { .. })));
    let two = eager.record(Arc::new(Silu), &[&x, &x], std::panic::Location::caller());
    assert!(two.unwrap_err().to_string().contains("expected 1 inputs"));
}

#[test]
fn a_plan_describes_and_draws_itself() {
    let plan = Plan::new(&model::model(2).unwrap(), &toy::registry(2, 0), &options()).unwrap();
    let d = plan.describe();
    let s = &d.schedules[0];
    assert_eq!((d.device, s.sizes, s.segments, s.copies), ("toy", Sizes { t: 8, r: 8 }, 1, 0));
    assert_eq!(s.barriers, s.steps.iter().filter(|s| s.barrier).count());
    assert!(s.barriers > 0 && s.arena_bytes == d.arena_bytes && d.scratch_bytes == 128);
    assert_eq!(plan.memory().unwrap().reserved_bytes(), d.arena_bytes + d.scratch_bytes);
    assert!(s.steps.iter().all(|s| s.kernel == "toy" && s.device == "toy" && !s.fallback));
    let dot = plan.dot(0).unwrap();
    assert!(dot.starts_with("digraph plan {") && dot.trim_end().ends_with('}') && plan.dot(1).is_none());
    for part in
        ["silu_mul\\ntoy", "weight 1.gate", "state 3", "input ids", "positions", "f32 [T, 12]", "cluster_0", "output 0"]
    {
        assert!(dot.contains(part), "{part}");
    }
}
