//! Ops that are made of others: the same bits, and found again in graphs.

use std::collections::BTreeMap;
use std::sync::Arc;

use vt_core::op::{
    AnyCase, Fill, Gelu, GeluMul, Mul, Op, OpEntry, Operand, Producer, Quantize, RmsNorm, Silu, SiluMul,
};
use vt_core::plan::{Fallback, Options, Plan};
use vt_core::{DType, Desc, Graph, PlanError, Recorder, Registry, Sizes, Sym, Value};
use vt_cpu::{CPU, TierName};

use crate::check::digest::digest;
use crate::check::runner::{NoResult, run_planned};

/// All ops and the kernels of the CPU's best tier, without those of the ops that `lack` names.
fn registry(lack: impl Fn(&str) -> bool) -> Arc<Registry> {
    registry_of(None, lack)
}

fn registry_of(tier: Option<TierName>, lack: impl Fn(&str) -> bool) -> Arc<Registry> {
    let cpu = vt_cpu::Config { tier, ..Default::default() }.backend().unwrap();
    Arc::new(Registry::builder().with(vt_ops::register).with(cpu).without(|op, _, _| lack(op)).build().unwrap())
}

/// The hash of a case's result, made of other ops where the registry lacks a kernel; `None` if that is impossible.
fn result(registry: &Arc<Registry>, case: &AnyCase) -> Option<String> {
    let options = Options { fallback: Fallback::Decompose, fuse: false, ..Options::new(CPU, case.sizes) };
    match run_planned(registry, &options, case) {
        Ok(outputs) => Some(digest(&outputs)),
        Err(NoResult::Refused(_)) => None,
        Err(NoResult::Failed(why)) => panic!("{case}: {why}"),
    }
}

/// Whether the op can be made of others; every case then has the same bits both ways.
fn is_made_of_others(tier: TierName, whole: &Arc<Registry>, entry: &OpEntry) -> bool {
    let without = registry_of(Some(tier), |op| op == entry.name);
    let mut made = false;
    for case in (entry.cases)() {
        if let Some(bits) = result(&without, &case) {
            assert_eq!(Some(bits), result(whole, &case), "{} {case}", entry.name);
            made = true;
        }
    }
    made
}

#[test]
fn an_op_made_of_others_has_their_bits() {
    for tier in TierName::available() {
        let whole = registry_of(Some(tier), |_| false);
        let made = whole.ops().iter().filter(|e| is_made_of_others(tier, &whole, e));
        let made: Vec<&str> = made.map(|e| e.name).collect();
        for op in ["gelu_mul", "gelu_mul_quantize", "rms_norm_quantize", "silu_mul", "silu_mul_quantize"] {
            assert!(made.contains(&op), "{op} is not among {made:?}");
        }
    }
}

/// How often each fusion is applied to `mul(activation(x), up)`, the factors the other way round if `swapped`.
fn fused(activation: impl Op, swapped: bool) -> Result<BTreeMap<&'static str, usize>, PlanError> {
    let g = Graph::new();
    let rows = |name| g.input(name, Desc::rows(DType::F32, Sym::T, 5));
    let (x, up) = (rows("x"), rows("up"));
    let gate = put(&g, activation, &[&x]);
    let factors = if swapped { [&up, &gate] } else { [&gate, &up] };
    g.output(&put(&g, Mul, &factors)).unwrap();
    let plan = Plan::new(&g, &registry(|_| false), &Options::new(CPU, Sizes { t: 3, r: 3 }))?;
    Ok(plan.fusions().fused.clone())
}

fn put(g: &Graph, op: impl Op, inputs: &[&Value]) -> Value {
    g.record(Arc::new(op), inputs, std::panic::Location::caller()).unwrap().remove(0)
}

#[test]
fn gated_activations_are_fused_each_to_its_own_op() {
    assert_eq!(fused(Silu, false).unwrap(), BTreeMap::from([("silu_mul", 1)]));
    assert_eq!(fused(Gelu, false).unwrap(), BTreeMap::from([("gelu_mul", 1)]));
    assert!(fused(Gelu, true).unwrap().is_empty());
}

/// What is fused of the quantizations of what `P` gives, to the types `to`; `seen`: it is an output itself.
fn quantized<P: Producer>(to: &[DType], seen: bool) -> BTreeMap<&'static str, usize> {
    let g = Graph::new();
    let (of, inputs) = P::example(512, Fill::Zero);
    let input = |(i, operand): (usize, &Operand)| match operand {
        Operand::Tensor { desc, .. } => g.input(P::INPUTS[i], desc.clone()),
        Operand::State { .. } => panic!("{} has state", P::NAME),
    };
    let inputs: Vec<Value> = inputs.iter().enumerate().map(input).collect();
    let made = put(&g, of, &inputs.iter().collect::<Vec<_>>());
    for to in to {
        g.output(&put(&g, Quantize { to: *to }, &[&made])).unwrap();
    }
    if seen {
        g.output(&made).unwrap();
    }
    let plan = Plan::new(&g, &registry(|_| false), &Options::new(CPU, Sizes { t: 3, r: 3 })).unwrap();
    plan.fusions().fused.clone()
}

fn is_quantized_where_nothing_else_uses_it<P: Producer>() {
    let fused = BTreeMap::from([(P::QUANTIZED, 1)]);
    for to in [DType::Q8_0, DType::Q8_1, DType::Q8K] {
        assert_eq!(quantized::<P>(&[to], false), fused);
        assert_eq!(quantized::<P>(&[to, to], false), fused, "the same quantization is made once");
        assert!(quantized::<P>(&[to], true).is_empty(), "{} is an output", P::NAME);
    }
    assert!(quantized::<P>(&[DType::Q8_0, DType::Q8K], false).is_empty(), "{} is read twice", P::NAME);
}

#[test]
fn what_is_only_quantized_is_made_in_blocks() {
    is_quantized_where_nothing_else_uses_it::<SiluMul>();
    is_quantized_where_nothing_else_uses_it::<GeluMul>();
    is_quantized_where_nothing_else_uses_it::<RmsNorm>();
}
