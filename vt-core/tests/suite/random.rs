//! Random graphs: whatever is shared, reordered, fused and divided, the bytes are those of a plan that does none of it.

use proptest::prelude::*;
use vt_core::graph::Graph;
use vt_core::op::{Add, Attend, Dequantize, KvAppend, MatmulBt, Mul, Quantize, RmsNorm, Silu, TakeRows};
use vt_core::plan::{Feed, Options, Pass, Plan, Sequence, Span};
use vt_core::{DType, Desc, OpError, Recorder, Sizes, StateSpec, Sym, Value};

use crate::toy::model::{put, weight};
use crate::toy::{self, RunningSum};

/// An op of a random graph: which, of which earlier values.
type Choice = (u8, usize, usize);

/// Long enough for a quantization block, and the widths that matmul may make.
const WIDTHS: [usize; 3] = [32, 6, 1];

struct Random {
    graph: Graph,
    /// Values with T rows, and with R.
    values: Vec<Value>,
    wanted: Value,
}

impl Random {
    fn new() -> Self {
        let graph = Graph::new();
        let x = graph.input("x", Desc::rows(DType::F32, Sym::T, WIDTHS[0]));
        let wanted = graph.input("wanted", Desc::new(DType::I32, [Sym::R]));
        Self { values: vec![x], wanted, graph }
    }

    /// An earlier value of the same type as `like`.
    fn mate(&self, like: &Value, pick: usize) -> Value {
        let same: Vec<&Value> = self.values.iter().filter(|v| v.ty() == like.ty()).collect();
        same[pick % same.len()].clone()
    }

    fn add(&mut self, (kind, first, second): Choice) -> Result<(), OpError> {
        let g = &self.graph;
        let x = self.values[first % self.values.len()].clone();
        let cols = x.desc().map_or(0, Desc::cols);
        let batch = x.desc().and_then(Desc::sym) == Some(Sym::T);
        let name = format!("w{}", self.values.len());
        let new = match kind % 10 {
            0 => put(g, Add, &[&x, &self.mate(&x, second)])?,
            1 => put(g, Mul, &[&put(g, Silu, &[&x])?, &self.mate(&x, second)])?,
            2 => put(g, Silu, &[&x])?,
            3 => put(g, RmsNorm { eps: 1e-3 }, &[&x, &weight(&name, &[cols])])?,
            4 => put(g, MatmulBt, &[&x, &weight(&name, &[WIDTHS[second % 3], cols])])?,
            5 => put(g, Add, &[&x, &weight(&name, &[cols])])?,
            6 if batch => put(g, TakeRows, &[&x, &self.wanted])?,
            7 if cols == WIDTHS[0] => put(g, Dequantize, &[&put(g, Quantize { to: DType::Q8_0 }, &[&x])?])?,
            8 if batch => self.running_sum(&x, cols)?,
            9 if batch && cols == 6 => self.attention(&x)?,
            _ => put(g, Mul, &[&x, &x])?,
        };
        self.values.push(new);
        Ok(())
    }

    fn running_sum(&self, x: &Value, cols: usize) -> Result<Value, OpError> {
        let rows = if cols == 1 { 1 } else { 2 };
        let state = self.graph.state(StateSpec::Fixed { rows, cols: cols / rows });
        let inputs = [x, &state, &self.graph.sequences()];
        let mut outs = self.graph.record(std::sync::Arc::new(RunningSum), &inputs, std::panic::Location::caller())?;
        Ok(outs.swap_remove(0))
    }

    fn attention(&self, x: &Value) -> Result<Value, OpError> {
        let (s, p) = (self.graph.sequences(), self.graph.positions());
        let cache = put(&self.graph, KvAppend, &[&self.graph.state(toy::model::kv()), x, x, &s, &p])?;
        put(&self.graph, Attend { heads: 2, scale: 0.5, ..Attend::default() }, &[x, &cache, &s, &p])
    }
}

fn graph(choices: &[Choice], outputs: &[usize]) -> Graph {
    let mut random = Random::new();
    for choice in choices {
        random.add(*choice).unwrap();
    }
    let last = random.values.len() - 1;
    for output in outputs {
        // Not the input, which is no output.
        random.graph.output(&random.values[1 + output % last]).unwrap();
    }
    random.graph
}

/// The bytes of all outputs of two passes: T rows, then one more.
fn bytes(plan: &Plan, t: usize, r: usize) -> Vec<Vec<u8>> {
    let (mut memory, mut s) = (plan.memory().unwrap(), Sequence::new(plan.states(), t + 1).unwrap());
    let mut all = Vec::new();
    for (position, t) in [(0, t), (t, 1)] {
        let x: Vec<f32> = (0..t * WIDTHS[0]).map(|i| ((i * 37 + position) % 23) as f32 / 11.0 - 1.0).collect();
        let wanted: Vec<i32> = (0..r).map(|i| (i * 5 % t.max(1)) as i32).collect();
        let wanted = if t == 0 { &[] } else { wanted.as_slice() };
        let inputs = [Feed::floats(&x), Feed::ids(wanted)];
        let spans = [Span { sequence: 0, position, rows: t }];
        let sizes = Sizes { t, r: wanted.len() };
        let pass = &mut Pass { inputs: &inputs, spans: &spans, sequences: &mut [&mut s], sizes };
        let outputs = plan.run(&mut memory, pass).unwrap();
        all.extend((0..outputs.len()).map(|i| outputs.bytes(i).to_vec()));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 3 } else { 300 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_agree_bit_for_bit(
        choices in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 1..20),
        outputs in prop::collection::vec(any::<usize>(), 1..4),
        (t, r) in (prop::sample::select(vec![0usize, 1, 2, 5, 7]), prop::sample::select(vec![0usize, 1, 3, 7])),
        (workers, style) in (1usize..5, 0usize..4),
    ) {
        let g = graph(&choices, &outputs);
        let largest = Sizes { t: 7, r: 7 };
        let plain = Options { share_memory: false, reorder: false, fuse: false, ..Options::new("toy", largest) };
        let expected = bytes(&Plan::new(&g, &toy::registry(1, style), &plain).unwrap(), t, r);
        let classes = vec![Sizes { t: 1, r: 1 }, largest];
        let usual = Options { classes, ..Options::new("toy", largest) };
        let registry = toy::registry(workers, style);
        let plan = Plan::new(&g, &registry, &usual).unwrap();
        prop_assert_eq!(plan.verify(), Ok(()));
        prop_assert_eq!(bytes(&plan, t, r), expected);
        let apart = Plan::new(&g, &registry, &Options { share_memory: false, ..usual }).unwrap();
        prop_assert!(plan.arena_bytes() <= apart.arena_bytes());
    }
}
