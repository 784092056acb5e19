//! Plans over several devices, and devices that misbehave.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError};
use vt_core::op::{Add, KvAppend, Silu};
use vt_core::plan::{Args, Fallback, Feed, Options, Pass, Plan, Segment, Sequence, Solo, Span};
use vt_core::registry::{Builder, Device, DeviceStore};
use vt_core::{DType, Desc, Graph, PlanError, Registry, RunError, Sizes, Sym};

use crate::toy::model::{put, weight};
use crate::toy::{self, Crew, Private, Threads, Toy, model};

fn options(device: &str, fallback: Fallback) -> Options {
    Options { fallback, ..Options::new(device, Sizes { t: 6, r: 6 }) }
}

fn logits(graph: &Graph, registry: &Arc<Registry>, options: &Options) -> (Vec<f32>, Plan, vt_core::plan::Counters) {
    let plan = Plan::new(graph, registry, options).unwrap();
    let (mut memory, mut s) = (plan.memory().unwrap(), Sequence::new(plan.states(), 9).unwrap());
    let mut go = |position, ids: &[i32]| {
        let span = Span { sequence: 0, position, rows: ids.len() };
        model::run(&plan, &mut memory, &[(span, ids)], &mut [&mut s]).unwrap()
    };
    let out = [go(0, &[5, 6, 7, 8]), go(4, &[9])].concat();
    (out, plan, memory.counters)
}

/// The private device with three ops' worth of kernels, and a reference with some workers.
fn mixed(workers: usize, style: usize) -> Arc<Registry> {
    let devices = |b: &mut Builder| {
        toy::register_private(b);
        b.device(Arc::new(Threads { name: "toy", workers }));
        toy::register(b, "toy", style);
    };
    Arc::new(Registry::builder().with(devices).build().unwrap())
}

#[test]
fn what_a_device_lacks_runs_on_the_reference() {
    let graph = model::model(2).unwrap();
    let (expected, plain, _) = logits(&graph, &toy::registry(1, 0), &options("toy", Fallback::Error));
    assert!(plain.fallbacks().is_empty());
    for workers in 1..4 {
        for style in 0..4 {
            let o = Options { fuse: false, ..options("private", Fallback::Reference) };
            let (found, plan, counters) = logits(&graph, &mixed(workers, style), &o);
            assert_eq!(found, expected, "{workers} workers, style {style}");
            let missing: Vec<_> = plan.fallbacks().iter().map(|f| f.missing.op).collect();
            assert!(
                missing.contains(&"attend") && !missing.contains(&"add") && !missing.contains(&"silu"),
                "{missing:?}"
            );
            assert!(plan.fallbacks().iter().all(|f| f.device == "toy" && f.missing.count > 0));
            let d = plan.describe();
            let steps = &d.schedules[0].steps;
            assert_eq!(counters.steps, 2 * steps.len() as u64);
            assert_eq!(counters.fallbacks, 2 * steps.iter().filter(|s| s.fallback).count() as u64);
            assert_eq!(counters.copies, 2 * d.schedules[0].copies as u64);
            assert!(counters.copied_bytes > 0 && d.schedules[0].segments > 2);
        }
    }
}

/// A device with memory of its own reads its copy of a weight, each of its own.
#[test]
fn weights_are_uploaded_to_the_device_that_reads_them() {
    let g = Graph::new();
    let x = g.input("x", Desc::rows(DType::F32, Sym::T, 5));
    let sum = put(&g, Add, &[&x, &weight("first", &[5])]).unwrap();
    g.output(&put(&g, Add, &[&put(&g, Silu, &[&sum]).unwrap(), &weight("second", &[5])]).unwrap()).unwrap();
    let run = |device| {
        let plan = Plan::new(&g, &mixed(1, 0), &options(device, Fallback::Error)).unwrap();
        let x: Vec<f32> = (0..15).map(|i| i as f32 / 4.0).collect();
        let pass =
            &mut Pass { inputs: &[Feed::floats(&x)], spans: &[], sequences: &mut [], sizes: Sizes { t: 3, r: 0 } };
        plan.run(&mut plan.memory().unwrap(), pass).unwrap().bytes(0).to_vec()
    };
    assert_eq!(run("private"), run("toy"));
}

#[test]
fn a_device_has_one_worker_unless_it_says_otherwise() {
    assert_eq!(Private.workers(), 1);
}

#[test]
fn a_missing_device_or_kernel_is_an_error() {
    let graph = model::model(1).unwrap();
    let registry = mixed(1, 0);
    let unknown = Plan::new(&graph, &registry, &options("moon", Fallback::Error)).unwrap_err();
    assert_eq!(unknown.to_string(), "no device is named `moon`; there are: private, toy");
    let Err(PlanError::NoKernel { ops, .. }) = Plan::new(&graph, &registry, &options("private", Fallback::Error))
    else {
        panic!("planned");
    };
    let matmul = ops.iter().find(|m| m.op == "matmul_bt" && m.inputs == "f32 [T, 12], f32 [12, 12]").unwrap();
    assert_eq!(matmul.count, 1 + 1);
}

/// State is in the host's memory: a device with its own does not get it, whatever kernels it has.
#[test]
fn state_stays_where_the_host_sees_it() {
    let kernels = |b: &mut Builder| {
        toy::register_private(b);
        b.kernel::<KvAppend>("private", Toy::new(Cut::whole()));
        b.device(Arc::new(Threads { name: "toy", workers: 2 }));
        toy::register(b, "toy", 0);
    };
    let registry = Arc::new(Registry::builder().with(kernels).build().unwrap());
    let plan = |fallback| Plan::new(&model::model(1).unwrap(), &registry, &options("private", fallback));
    let found = plan(Fallback::Reference).unwrap();
    let append = found.fallbacks().iter().find(|f| f.missing.op == "kv_append").unwrap();
    let why = "state is in the host's memory".to_owned();
    assert_eq!((append.device, &append.missing.reasons), ("toy", &vec![("any".to_owned(), why)]));
    assert!(plan(Fallback::Error).unwrap_err().to_string().contains("kv_append x1"));
}

/// Two devices in the host's memory with different numbers of workers.
#[test]
fn workers_copies_do_not_leave_their_device() {
    let graph = model::model(2).unwrap();
    let (expected, ..) = logits(&graph, &toy::registry(1, 0), &options("toy", Fallback::Error));
    for (few, many) in [(1, 3), (3, 1), (2, 3), (3, 2)] {
        let devices = |b: &mut Builder| {
            b.device(Arc::new(Threads { name: "reference", workers: many }));
            toy::register(b, "reference", 0);
            b.device(Arc::new(Threads { name: "toy", workers: few }));
            toy::register_kernels(b, "toy", 0);
        };
        let keeps = |op: &str| ["rms_norm", "silu_mul", "add"].contains(&op);
        let registry = Registry::builder().with(devices).without(|op, d, _| d == "toy" && !keeps(op)).build().unwrap();
        let (found, plan, _) = logits(&graph, &Arc::new(registry), &options("toy", Fallback::Reference));
        assert!(!plan.fallbacks().is_empty());
        assert_eq!(found, expected, "{few} and {many} workers");
    }
}

/// Says another number of workers each time, or runs nothing.
#[derive(Debug)]
struct Fickle {
    asked: AtomicUsize,
    runs: bool,
}

impl Device for Fickle {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn workers(&self) -> usize {
        self.asked.fetch_add(1, Ordering::Relaxed) % 5
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        assert!(segment.len() > 1 && !segment.is_empty());
        match self.runs {
            true if segment.len().is_multiple_of(2) => segment.run(args, &Crew(4)),
            true => segment.run(args, &Solo),
            false => Ok(()),
        }
    }
}

#[test]
fn a_device_that_lies_about_its_workers_is_refused() {
    for runs in [true, false] {
        for asked in 0..10 {
            let device = |b: &mut Builder| {
                b.device(Arc::new(Fickle { asked: asked.into(), runs }));
                toy::register(b, "toy", 0);
            };
            let registry = Arc::new(Registry::builder().with(device).build().unwrap());
            let plan = Plan::new(&model::model(1).unwrap(), &registry, &options("toy", Fallback::Error)).unwrap();
            let (mut memory, mut s) = (plan.memory().unwrap(), Sequence::new(plan.states(), 9).unwrap());
            let inputs = [Feed::ids(&[1, 2]), Feed::ids(&[0])];
            let spans = [Span { sequence: 0, position: 0, rows: 2 }];
            let pass =
                &mut Pass { inputs: &inputs, spans: &spans, sequences: &mut [&mut s], sizes: Sizes { t: 2, r: 1 } };
            match plan.run(&mut memory, pass) {
                Ok(outputs) => assert_eq!(outputs.rows::<f32>(0).unwrap().rows(), 1),
                Err(e) => assert!(e.to_string().starts_with("workers of the device"), "{e}"),
            }
        }
    }
}

/// Two workers over memory that the host cannot see.
#[derive(Debug)]
struct Pair;

impl Device for Pair {
    fn name(&self) -> &'static str {
        "pair"
    }

    fn workers(&self) -> usize {
        2
    }

    fn store(&self) -> Option<&dyn DeviceStore> {
        Some(&Private)
    }

    fn run(&self, segment: &Segment, args: Args<'_>) -> Result<(), RunError> {
        segment.run(args, &Crew(2))
    }
}

/// Notes where its input and output lie.
#[derive(Clone, Default)]
struct Offsets(Arc<Mutex<Vec<(usize, usize)>>>);

impl Kernel<Silu> for Offsets {
    fn name(&self) -> String {
        "offsets".to_owned()
    }

    fn cut(&self, _: &Silu, _: &Call<'_>) -> Cut {
        Cut::whole().or_each(true)
    }

    fn run(&self, _: &Silu, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, y) = (io.remote_input(0), io.remote_output(0));
        assert_eq!((y.rows, y.cols, y.row_bytes, y.bytes()), (3, 5, 20, 60));
        self.0.lock().unwrap().push((x.offset, y.offset));
        Ok(())
    }
}

#[test]
fn workers_of_a_remote_device_have_copies_of_their_own() {
    let g = Graph::new();
    let x = g.input("x", Desc::rows(DType::F32, Sym::T, 5));
    g.output(&put(&g, Silu, &[&put(&g, Silu, &[&x]).unwrap()]).unwrap()).unwrap();
    let offsets = Offsets::default();
    let device = |b: &mut Builder| {
        b.device(Arc::new(Pair));
        b.kernel::<Silu>("pair", offsets.clone());
    };
    let registry = Arc::new(Registry::builder().with(device).build().unwrap());
    let plan = Plan::new(&g, &registry, &options("pair", Fallback::Error)).unwrap();
    let (x, sizes) = ([0.0; 15], Sizes { t: 3, r: 0 });
    let pass = &mut Pass { inputs: &[Feed::floats(&x)], spans: &[], sequences: &mut [], sizes };
    plan.run(&mut plan.memory().unwrap(), pass).unwrap();
    let seen = offsets.0.lock().unwrap();
    let shared = |(from, _): &&(usize, usize)| seen.iter().filter(|(f, _)| f == from).count() == 2;
    let (first, second): (Vec<_>, Vec<_>) = seen.iter().partition(shared);
    assert_eq!((first.len(), second.len()), (2, 2), "the input is one, what it becomes is two: {seen:?}");
    for (from, _) in &second {
        assert!(first.iter().any(|(_, to)| to == from), "{seen:?}");
    }
    let outputs: HashSet<usize> = seen.iter().map(|(_, to)| *to).collect();
    assert!(outputs.len() == 4 && outputs.iter().all(|o| o.is_multiple_of(64)), "{outputs:?}");
}
