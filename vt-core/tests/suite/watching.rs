//! What an observer is told, and what steps cost.

use std::sync::{Arc, Mutex};

use vt_core::op::{
    AnyOp, Arithmetic, Attend, Cost, Embed, KvAppend, MatmulBt, MatmulBtQuant, Silu, TakeRows, ValueType, Workload,
};
use vt_core::plan::{Activity, Event, Fallback, Observer, Options, Plan, Sequence, Share, Span};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, Registry, Sizes, StateSpec, Sym};

use crate::toy::{self, Threads, model};

#[derive(Debug, Default)]
struct Notes(Mutex<Vec<Event>>);

impl Observer for Notes {
    fn observe(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

fn plan(registry: &Arc<Registry>, device: &str) -> Plan {
    let classes = vec![Sizes { t: 1, r: 1 }, Sizes { t: 8, r: 8 }];
    let options = Options { classes, fallback: Fallback::Reference, ..Options::new(device, Sizes { t: 0, r: 0 }) };
    Plan::new(&model::model(2).unwrap(), registry, &options).unwrap()
}

/// The events of a pass of three rows, and the logits.
fn watched(plan: &Plan, watch: bool) -> (Vec<Event>, Vec<f32>) {
    let (mut memory, mut s) = (plan.memory().unwrap(), Sequence::new(plan.states(), 9).unwrap());
    let notes = Arc::new(Notes::default());
    memory.observe(watch.then(|| notes.clone() as Arc<dyn Observer>));
    let span = Span { sequence: 0, position: 0, rows: 3 };
    let logits = model::run(plan, &mut memory, &[(span, &[1, 2, 3])], &mut [&mut s]).unwrap();
    memory.observe(None);
    let span = Span { sequence: 0, position: 3, rows: 1 };
    model::run(plan, &mut memory, &[(span, &[4])], &mut [&mut s]).unwrap();
    (std::mem::take(&mut *notes.0.lock().unwrap()), logits)
}

/// On every worker each step and each barrier once, in the plan's order, without gaps; after the observer is gone
/// nothing; and the result is the same.
#[test]
fn each_step_of_each_worker_is_told() {
    for workers in 1..4 {
        for style in 0..4 {
            let plan = plan(&toy::registry(workers, style), "toy");
            let (events, logits) = watched(&plan, true);
            let schedule = &plan.describe().schedules[1];
            for worker in 0..workers {
                let own: Vec<&Event> = events.iter().filter(|e| e.worker == worker).collect();
                let mut expected = Vec::new();
                for (number, step) in schedule.steps.iter().enumerate() {
                    expected.extend(step.barrier.then_some((number, Activity::Waiting)));
                    expected.push((number, Activity::Computing));
                }
                let found: Vec<_> = own.iter().map(|e| (e.step, e.activity)).collect();
                assert_eq!(found, expected, "worker {worker} of {workers}, style {style}");
                assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(own.iter().all(|e| e.schedule == 1 && e.start <= e.end));
            }
            assert!(events.iter().all(|e| e.worker < workers));
            let (none, unwatched) = watched(&plan, false);
            assert_eq!((none.len(), unwatched), (0, logits));
        }
    }
}

/// Steps are numbered through all segments.
#[test]
fn steps_of_several_devices_are_told() {
    let devices = |b: &mut Builder| {
        toy::register_private(b);
        b.device(Arc::new(Threads { name: "toy", workers: 2 }));
        toy::register(b, "toy", 0);
    };
    let plan = plan(&Arc::new(Registry::builder().with(devices).build().unwrap()), "private");
    let schedule = &plan.describe().schedules[1];
    assert!(schedule.segments > 2);
    let (events, _) = watched(&plan, true);
    let computed = |worker| -> Vec<usize> {
        let own = events.iter().filter(|e| e.worker == worker && e.activity == Activity::Computing);
        own.map(|e| e.step).collect()
    };
    assert_eq!(computed(0), (0..schedule.steps.len()).collect::<Vec<_>>());
    let shared: Vec<usize> = (0..schedule.steps.len()).filter(|i| schedule.steps[*i].device == "toy").collect();
    assert_eq!(computed(1), shared);
}

fn tensor(dtype: DType, rows: Sym, cols: usize) -> ValueType {
    ValueType::Tensor(Desc::rows(dtype, rows, cols))
}

fn weight(dtype: DType, rows: usize, cols: usize) -> ValueType {
    ValueType::Tensor(Desc::new(dtype, [rows, cols]))
}

fn cost(op: &dyn AnyOp, inputs: &[ValueType], spans: &[Span]) -> Cost {
    let outputs = op.infer(&inputs.iter().collect::<Vec<_>>()).unwrap();
    op.cost(&Workload { inputs, outputs: &outputs, sizes: Sizes { t: 5, r: 2 }, spans })
}

#[test]
fn costs_are_those_of_shapes() {
    let floats = |bytes, operations| Cost { bytes, operations, arithmetic: Arithmetic::Floats };
    let x = tensor(DType::F32, Sym::T, 256);
    let elementwise = cost(&Silu, std::slice::from_ref(&x), &[]);
    assert_eq!(elementwise, floats(2 * 5 * 256 * 4, 0));
    let product = cost(&MatmulBt, &[x.clone(), weight(DType::F16, 7, 256)], &[]);
    assert_eq!(product, floats(5 * 256 * 4 + 7 * 256 * 2 + 5 * 7 * 4, 2 * 5 * 7 * 256));
    let quantized = [tensor(DType::Q8K, Sym::T, 256), weight(DType::Q4K, 7, 256)];
    let expected = Cost { arithmetic: Arithmetic::Bytes, ..floats(5 * 292 + 7 * 144 + 5 * 7 * 4, 2 * 5 * 7 * 256) };
    assert_eq!(cost(&MatmulBtQuant, &quantized, &[]), expected);
    let ids = |rows| ValueType::Tensor(Desc::new(DType::I32, [rows]));
    let embed = [ids(Sym::T), weight(DType::Q4K, 1000, 256)];
    assert_eq!(cost(&Embed, &embed, &[]), floats(5 * (4 + 144 + 256 * 4), 0));
    assert_eq!(cost(&TakeRows, &[x, ids(Sym::R)], &[]), floats(2 * (4 + 2 * 256 * 4), 0));
}

#[test]
fn costs_of_state_are_those_of_the_positions() {
    let spec = StateSpec::KvRows { heads: 2, key_dim: 8, value_dim: 4, key: DType::F16, value: DType::F32 };
    let (cache, position) = (2 * (8 * 2 + 4 * 4), 5 * 2 * 4);
    let ids = ValueType::Tensor(Desc::new(DType::I32, [Sym::T]));
    let rows = |cols| tensor(DType::F32, Sym::T, cols);
    let append = [ValueType::State(spec), rows(16), rows(8), ids.clone(), ids.clone()];
    assert_eq!(cost(&KvAppend, &append, &[]).bytes, 5 * (16 + 8) * 4 + position + 5 * cache);
    let inputs = [rows(6 * 8), ValueType::State(spec), ids.clone(), ids];
    let spans = [
        Span { sequence: 1, position: 10, rows: 3 },
        Span { sequence: 0, position: 0, rows: 2 },
        Span { sequence: 2, position: 7, rows: 0 },
    ];
    // By hand: of sequence 1 positions 10, 11 and 12 see 11, 12 and 13 keys, of sequence 0 positions 0 and 1 see 1 and 2.
    for (window, keys, seen) in [(0, 13 + 2, 11 + 12 + 13 + 1 + 2), (4, 6 + 2, 4 + 4 + 4 + 1 + 2), (1, 3 + 2, 5)] {
        let found = cost(&Attend { heads: 6, scale: 1.0, window, ..Attend::default() }, &inputs, &spans);
        let operands = 5 * 6 * (8 + 4) * 4 + position;
        let expected = Cost { bytes: operands + keys * cache, operations: 2 * 6 * (8 + 4) * seen, ..Cost::default() };
        assert_eq!(found, expected, "window {window}");
    }
}

/// What every worker repeats costs as often.
#[test]
fn a_plan_knows_the_costs_of_its_steps() {
    let spans = [Span { sequence: 0, position: 0, rows: 3 }];
    let sizes = Sizes { t: 3, r: 1 };
    let plan = plan(&toy::registry(3, 0), "toy");
    let (costs, schedule) = (plan.costs(1, sizes, &spans), &plan.describe().schedules[1]);
    assert_eq!(costs.len(), schedule.steps.len());
    let of = |op: &str, each: bool| {
        let mut steps = schedule.steps.iter().zip(&costs);
        steps.find(|(s, _)| s.op == op && (s.share == Share::Each) == each).map(|(_, cost)| cost.bytes)
    };
    let norm = (2 * 3 * 12 + 12) * 4;
    assert!(of("rms_norm", true).is_some() || of("rms_norm", false).is_some());
    assert!(of("rms_norm", true).is_none_or(|bytes| bytes == 3 * norm));
    assert!(of("rms_norm", false).is_none_or(|bytes| bytes == norm));
    assert!(schedule.steps.iter().any(|s| s.share == Share::Each));
    let head = schedule.steps.iter().position(|s| s.op == "matmul_bt" && s.outputs == ["f32 [R, 40]"]).unwrap();
    assert_eq!(costs[head].operations, 2 * 40 * 12);
    assert_eq!(schedule.steps[head].weight, Some(DType::F32));
    assert!(schedule.steps.iter().all(|s| s.op != "attend" || s.weight.is_none()));
    assert!(plan.costs(2, sizes, &spans).is_empty());
}
