//! What a kernel is told and shown, and what it must not do.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use vt_core::kernel::{Call, Cut, Deal, Io, Kernel, KernelError, Need, Support, Tile, scratch_bytes};
use vt_core::op::{Dequantize, KvAppend, Silu, ValueType};
use vt_core::plan::{Feed, Options, Pass, Plan, Sequence, Span};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, Graph, PlanError, Registry, RunError, Sizes, StateSpec, Sym, Tensor};

use crate::toy::model::put;
use crate::toy::{Threads, Toy};

const COLS: usize = 6;
const STATE: StateSpec = StateSpec::KvRows { heads: 2, key_dim: 3, value_dim: 3, key: DType::F32, value: DType::F32 };

/// `toy` with some workers, after a device with one.
fn registry(workers: usize, kernels: impl FnOnce(&mut Builder)) -> Arc<Registry> {
    let devices = |b: &mut Builder| {
        b.device(Arc::new(Threads { name: "other", workers: 1 }));
        b.device(Arc::new(Threads { name: "toy", workers }));
    };
    Arc::new(Registry::builder().with(devices).with(kernels).build().unwrap())
}

/// `silu(silu(x))`, and `x` as the keys and values of a state.
fn graph() -> Graph {
    let g = Graph::new();
    let x = g.input("x", Desc::rows(DType::F32, Sym::T, COLS));
    put(&g, KvAppend, &[&g.state(STATE), &x, &x, &g.sequences(), &g.positions()]).unwrap();
    g.output(&put(&g, Silu, &[&put(&g, Silu, &[&x]).unwrap()]).unwrap()).unwrap();
    g
}

/// A pass of 2 and 3 rows of two sequences with room for 4 positions.
fn run(plan: &Plan) -> Result<Vec<f32>, RunError> {
    let x: Vec<f32> = (0..5 * COLS).map(|i| i as f32).collect();
    let spans = [Span { sequence: 0, position: 0, rows: 2 }, Span { sequence: 1, position: 0, rows: 3 }];
    let (mut a, mut b) = (Sequence::new(plan.states(), 4).unwrap(), Sequence::new(plan.states(), 4).unwrap());
    let (inputs, sizes) = ([Feed::floats(&x)], Sizes { t: 5, r: 2 });
    let mut memory = plan.memory().unwrap();
    let pass = &mut Pass { inputs: &inputs, spans: &spans, sequences: &mut [&mut a, &mut b], sizes };
    let outputs = plan.run(&mut memory, pass)?;
    assert!(!outputs.is_empty());
    let made = outputs.tensor(0).unwrap();
    assert_eq!(made.shape(), [5, COLS]);
    Ok(made.as_slice().unwrap().to_vec())
}

fn planned(registry: &Arc<Registry>) -> Plan {
    Plan::new(&graph(), registry, &Options::new("toy", Sizes { t: 8, r: 8 })).unwrap()
}

/// Says nothing that it need not say.
struct Terse;

impl Kernel<Silu> for Terse {
    fn name(&self) -> String {
        "terse".to_owned()
    }

    fn run(&self, _: &Silu, _: &mut Io<'_>) -> Result<(), KernelError> {
        Ok(())
    }
}

#[test]
fn a_kernel_that_says_nothing_computes_all_from_all() {
    let types = [ValueType::Tensor(Desc::rows(DType::F32, Sym::T, COLS))];
    let call = Call { inputs: &types, outputs: &types, sizes: Sizes { t: 3, r: 1 }, workers: 2 };
    assert_eq!((call.rows(), call.cols(), call.dtype(0), call.dtype(1)), (3, COLS, Some(DType::F32), None));
    let state = [ValueType::State(STATE)];
    let of_state = Call { outputs: &state, ..call };
    assert_eq!((of_state.rows(), of_state.cols()), (3, 2));
    assert_eq!((Terse.priority(), Terse.supports(&Silu, &call)), (0, Support::Yes));
    assert_eq!((Terse.cut(&Silu, &call), Terse.need(&Silu, 0)), (Cut::whole(), Need::All));
    assert!(!Terse.in_place() && Terse.scratch(&Silu, &call) == 0);
}

#[test]
fn a_tile_is_empty_without_rows_or_columns() {
    let empty = |rows, cols| Tile { rows, cols }.is_empty();
    assert!(empty(2..2, 0..5) && empty(0..5, 3..3) && empty(0..0, 0..0) && !empty(1..2, 3..4));
}

#[test]
fn a_cut_either_way_has_both_grains() {
    let cut = |rows, cols, cut: Cut| assert_eq!((cut.rows, cut.cols, cut.each), (rows, cols, false));
    cut(2, 3, Cut::either(2, 3));
    cut(2, 0, Cut::rows(2));
    cut(0, 3, Cut::cols(3));
    assert_eq!(Cut::either(2, 3).or_each(true).cyclic(), Cut { each: true, deal: Deal::Cyclic, ..Cut::either(2, 3) });
}

/// What it saw of each tile of the first of the two ops.
#[derive(Clone, Default)]
struct Spy(Arc<Mutex<Vec<Seen>>>);

struct Seen {
    tile: Tile,
    sizes: Sizes,
    sequences: usize,
    scratch: (usize, usize),
    bytes: Vec<u8>,
    floats: Vec<f32>,
}

impl Kernel<Silu> for Spy {
    fn name(&self) -> String {
        "spy".to_owned()
    }

    fn cut(&self, _: &Silu, _: &Call<'_>) -> Cut {
        Cut::rows(2)
    }

    fn need(&self, _: &Silu, _: usize) -> Need {
        Need::Tile
    }

    fn scratch(&self, _: &Silu, _: &Call<'_>) -> usize {
        44
    }

    fn run(&self, _: &Silu, io: &mut Io<'_>) -> Result<(), KernelError> {
        let scratch = io.scratch();
        scratch.fill(1);
        let scratch = (scratch.as_ptr() as usize, scratch.len());
        let (x, bytes) = (io.input::<f32>(0), io.input_bytes(0));
        let mut out = io.output::<f32>(0);
        (0..out.rows()).for_each(|r| out.row_mut(r).copy_from_slice(x.row(r)));
        assert_eq!(io.dtype(0), DType::F32);
        let seen = Seen {
            tile: io.tile(),
            sizes: io.sizes(),
            sequences: io.sequences(),
            scratch,
            bytes: (0..bytes.rows()).flat_map(|r| bytes.row(r).to_vec()).collect(),
            floats: (0..x.rows()).flat_map(|r| x.row(r).to_vec()).collect(),
        };
        self.0.lock().unwrap().push(seen);
        Ok(())
    }
}

#[test]
fn a_kernel_sees_its_tile_and_scratch_memory_of_its_own() {
    let spy = Spy::default();
    let kernels = |b: &mut Builder| {
        b.kernel::<Silu>("toy", spy.clone());
        b.kernel::<KvAppend>("toy", Toy::new(Cut::whole()));
    };
    let out = run(&planned(&registry(3, kernels))).unwrap();
    assert_eq!(out, (0..5 * COLS).map(|i| i as f32).collect::<Vec<_>>());
    let seen = spy.0.lock().unwrap();
    for s in seen.iter() {
        assert_eq!((s.sizes, s.sequences, s.tile.cols.clone()), (Sizes { t: 5, r: 2 }, 2, 0..COLS));
        let expected = (s.tile.rows.start * COLS..s.tile.rows.end * COLS).map(|i| i as f32);
        assert_eq!(s.floats, expected.collect::<Vec<_>>());
        assert_eq!(s.bytes, s.floats.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
        assert!(s.scratch.1 == 44 && s.scratch.0.is_multiple_of(64));
    }
    let places: HashSet<usize> = seen.iter().map(|s| s.scratch.0).collect();
    assert_eq!(places.len(), 3, "one a worker");
}

/// Does what it is told.
#[derive(Clone, Copy)]
struct Puppet {
    run: fn(&mut Io<'_>),
    in_place: bool,
}

macro_rules! puppet {
    ($op:ty) => {
        impl Kernel<$op> for Puppet {
            fn name(&self) -> String {
                "puppet".to_owned()
            }

            fn in_place(&self) -> bool {
                self.in_place
            }

            fn scratch(&self, _: &$op, _: &Call<'_>) -> usize {
                44
            }

            fn run(&self, _: &$op, io: &mut Io<'_>) -> Result<(), KernelError> {
                (self.run)(io);
                Ok(())
            }
        }
    };
}

puppet!(Silu);
puppet!(KvAppend);

fn panic_of(silu: Puppet, append: Puppet) -> String {
    let kernels = |b: &mut Builder| {
        b.kernel::<Silu>("toy", silu);
        b.kernel::<KvAppend>("toy", append);
    };
    match run(&planned(&registry(1, kernels))) {
        Err(RunError::Panic { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_operand_that_an_op_lacks_is_named() {
    let idle = Puppet { run: |_| {}, in_place: false };
    let silu = |run| panic_of(Puppet { run, ..idle }, idle);
    let (no_input, no_output) = ("silu has no input 1, only 1", "silu has no output 2, only 1");
    assert_eq!(silu(|io| _ = io.input::<f32>(1)), no_input);
    assert_eq!(silu(|io| _ = io.input_bytes(1)), no_input);
    assert_eq!(silu(|io| _ = io.dtype(1)), no_input);
    assert_eq!(silu(|io| _ = io.output::<f32>(2)), no_output);
    assert_eq!(silu(|io| _ = io.remote_output(2)), no_output);
}

#[test]
fn views_that_would_be_unsound_are_refused() {
    let idle = Puppet { run: |_| {}, in_place: false };
    let silu = |run| panic_of(Puppet { run, ..idle }, idle);
    let wrong_type = "silu: f32 seen as i32";
    assert_eq!(silu(|io| _ = io.input::<i32>(0)), wrong_type);
    assert_eq!(silu(|io| _ = io.output::<i32>(0)), wrong_type);
    let twice = "silu: a view was taken twice";
    assert_eq!(silu(|io| _ = (io.output::<f32>(0), io.output::<f32>(0))), twice);
    assert_eq!(silu(|io| _ = (io.scratch(), io.output::<f32>(0), io.scratch_of::<f32>())), twice);
    assert_eq!(silu(|io| _ = io.kv(0, 0)), "silu: an operand is not state");
    assert_eq!(silu(|_| std::panic::panic_any(5)), "no message");
    assert_eq!(silu(|io| _ = io.remote_input(0)), "silu: an operand is not in the device's memory");
    let over = |run| panic_of(Puppet { run, in_place: true }, idle);
    assert_eq!(
        over(|io| _ = io.shared(0) && io.input::<f32>(0).rows() == 5),
        "input 0 of silu shares the output's memory"
    );
    assert_eq!(
        over(|io| _ = io.shared(0) && io.input_bytes(0).rows() == 5),
        "input 0 of silu shares the output's memory"
    );
    let append = |run| panic_of(idle, Puppet { run, ..idle });
    assert_eq!(append(|io| _ = io.kv(0, 0)), "kv_append advances its state");
    assert_eq!(append(|io| _ = io.kv_mut(0, 2)), "kv_append: sequence 2 of 2");
    assert_eq!(append(|io| _ = io.kv_mut(0, 1).key_mut::<f32>(0, 4)), "position 4 of 4");
}

#[test]
fn scratch_memory_is_seen_as_whole_elements() {
    let checks: [fn(&mut Io<'_>); 2] =
        [|io| assert_eq!(io.scratch_of::<f32>().len(), 11), |io| assert_eq!(io.scratch_of::<f64>().len(), 5)];
    for check in checks {
        let kernels = |b: &mut Builder| {
            b.kernel::<Silu>("toy", Puppet { run: check, in_place: false });
            b.kernel::<KvAppend>("toy", Toy::new(Cut::whole()));
        };
        run(&planned(&registry(2, kernels))).unwrap();
    }
}

/// Takes scratch in parts.
struct Parts;

impl Kernel<Silu> for Parts {
    fn name(&self) -> String {
        "parts".to_owned()
    }

    fn scratch(&self, _: &Silu, _: &Call<'_>) -> usize {
        scratch_bytes::<u8>(3) + scratch_bytes::<f32>(17)
    }

    fn run(&self, _: &Silu, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (bytes, nothing, floats) =
            (io.scratch_part::<u8>(3), io.scratch_part::<f64>(0), io.scratch_part::<f32>(17));
        floats.fill(1.5);
        bytes.fill(7);
        assert!(floats.iter().all(|x| *x == 1.5) && bytes == [7; 3] && nothing.is_empty());
        let places = [bytes.as_ptr() as usize, floats.as_ptr() as usize];
        assert!(places.iter().all(|at| at.is_multiple_of(64)) && places[0].abs_diff(places[1]) == 64);
        Ok(())
    }
}

/// Parts follow each other in whole cache lines, and there are no more of them than there is scratch.
#[test]
fn scratch_memory_is_given_out_in_parts() {
    let kernels = |b: &mut Builder| {
        b.kernel::<Silu>("toy", Parts);
        b.kernel::<KvAppend>("toy", Toy::new(Cut::whole()));
    };
    run(&planned(&registry(2, kernels))).unwrap();
    let idle = Puppet { run: |_| {}, in_place: false };
    let silu = |run| panic_of(Puppet { run, ..idle }, idle);
    assert_eq!(silu(|io| _ = io.scratch_part::<f32>(12)), "silu: 0 + 64 of 44 bytes of scratch");
    assert_eq!(
        silu(|io| _ = io.scratch_part::<f64>(usize::MAX)),
        format!("silu: 0 + {} of 44 bytes of scratch", usize::MAX)
    );
    assert_eq!(silu(|io| _ = (io.scratch(), io.scratch_part::<u8>(1))), "silu: 0 + 64 of 44 bytes of scratch");
}

/// Wants three workers.
struct Three;

impl Kernel<Silu> for Three {
    fn name(&self) -> String {
        "three".to_owned()
    }

    fn supports(&self, _: &Silu, call: &Call<'_>) -> Support {
        Support::when(call.workers == 3, || format!("{} workers", call.workers))
    }

    fn run(&self, _: &Silu, _: &mut Io<'_>) -> Result<(), KernelError> {
        Ok(())
    }
}

#[test]
fn a_kernel_is_told_the_workers_of_its_device() {
    let g = Graph::new();
    g.output(&put(&g, Silu, &[&g.input("x", Desc::rows(DType::F32, Sym::T, COLS))]).unwrap()).unwrap();
    let plan = |workers| {
        let registry = registry(workers, |b| b.kernel::<Silu>("toy", Three));
        Plan::new(&g, &registry, &Options::new("toy", Sizes { t: 8, r: 8 }))
    };
    assert!(plan(3).is_ok());
    let Err(PlanError::NoKernel { ops, .. }) = plan(2) else { panic!("planned") };
    assert_eq!(ops[0].reasons, [("three".to_owned(), "2 workers".to_owned())]);
}

/// The quants of blocks of eight-bit numbers; notes its columns.
#[derive(Clone, Default)]
struct Decode {
    grain: usize,
    seen: Arc<Mutex<Vec<Tile>>>,
}

impl Kernel<Dequantize> for Decode {
    fn name(&self) -> String {
        "decode".to_owned()
    }

    fn cut(&self, _: &Dequantize, _: &Call<'_>) -> Cut {
        Cut::cols(self.grain)
    }

    fn need(&self, _: &Dequantize, _: usize) -> Need {
        Need::Tile
    }

    fn run(&self, _: &Dequantize, io: &mut Io<'_>) -> Result<(), KernelError> {
        let (x, mut out) = (io.input::<u8>(0), io.output::<f32>(0));
        for r in 0..out.rows() {
            let blocks = x.row(r).chunks_exact(DType::Q8_0.block_bytes());
            assert_eq!(blocks.len() * 32, out.cols(), "as many blocks as columns");
            let quants = blocks.flat_map(|b| &b[2..]).map(|q| f32::from(*q as i8));
            out.row_mut(r).iter_mut().zip(quants).for_each(|(y, q)| *y = q);
        }
        self.seen.lock().unwrap().push(io.tile());
        Ok(())
    }
}

/// Columns of an input of blocks are whole blocks: a finer cut is none.
#[test]
fn columns_of_blocks_are_narrowed_to_the_tile() {
    let (rows, cols) = (2, 160);
    let bytes: Vec<u8> = (0..rows * cols / 32 * DType::Q8_0.block_bytes()).map(|i| (i % 251) as u8).collect();
    let x = Tensor::from_bytes(DType::Q8_0, &[rows, cols], &bytes).unwrap();
    let expected: Vec<f32> = bytes.chunks_exact(34).flat_map(|b| b[2..].iter().map(|q| f32::from(*q as i8))).collect();
    for (grain, parts) in [(32, 3), (64, 3), (128, 2), (8, 1), (48, 1)] {
        let decode = Decode { grain, ..Decode::default() };
        let g = Graph::new();
        let input = g.input("x", Desc::rows(DType::Q8_0, Sym::T, cols));
        g.output(&put(&g, Dequantize, &[&input]).unwrap()).unwrap();
        let registry = registry(3, |b| b.kernel::<Dequantize>("toy", decode.clone()));
        let plan = Plan::new(&g, &registry, &Options::new("toy", Sizes { t: rows, r: 0 })).unwrap();
        let (inputs, sizes) = ([Feed::tensor(&x).unwrap()], Sizes { t: rows, r: 0 });
        let pass = &mut Pass { inputs: &inputs, spans: &[], sequences: &mut [], sizes };
        let made = plan.run(&mut plan.memory().unwrap(), pass).unwrap().tensor(0).unwrap();
        assert_eq!(made.as_slice::<f32>().unwrap(), expected, "{grain}");
        let seen = decode.seen.lock().unwrap();
        assert_eq!(seen.len(), parts, "{grain}: {seen:?}");
    }
}

/// Is cut as told, and must not run.
struct Never(Cut);

impl Kernel<Silu> for Never {
    fn name(&self) -> String {
        "never".to_owned()
    }

    fn cut(&self, _: &Silu, _: &Call<'_>) -> Cut {
        self.0
    }

    fn run(&self, _: &Silu, io: &mut Io<'_>) -> Result<(), KernelError> {
        panic!("it ran: {:?}", io.tile())
    }
}

/// A tile with nothing in it is nobody's work, however it is cut.
#[test]
fn a_kernel_does_not_run_without_rows_or_columns() {
    for (rows, cols) in [(0, COLS), (3, 0), (0, 0)] {
        for cut in [Cut::whole(), Cut::rows(1), Cut::cols(1), Cut::either(2, 2), Cut::rows(1).or_each(true)] {
            for workers in 1..4 {
                let g = Graph::new();
                let x = g.input("x", Desc::rows(DType::F32, Sym::T, cols));
                g.output(&put(&g, Silu, &[&x]).unwrap()).unwrap();
                let registry = registry(workers, |b| b.kernel::<Silu>("toy", Never(cut)));
                let plan = Plan::new(&g, &registry, &Options::new("toy", Sizes { t: 3, r: 0 })).unwrap();
                let (inputs, sizes) = ([Feed::floats(&[])], Sizes { t: rows, r: 0 });
                let pass = &mut Pass { inputs: &inputs, spans: &[], sequences: &mut [], sizes };
                let mut memory = plan.memory().unwrap();
                let made = plan.run(&mut memory, pass).unwrap().tensor(0).unwrap();
                assert_eq!(made.shape(), [rows, cols], "{cut:?}, {workers} workers");
            }
        }
    }
}
