//! What a plan saves: barriers, memory, work.

use std::sync::Arc;

use vt_core::graph::Graph;
use vt_core::kernel::{Call, Cut, Deal, Io, Kernel, KernelError};
use vt_core::op::{Add, Case, Inputs, MatmulBt, Mul, Op, Outs, RmsNorm, Silu, Tolerance, ValueType};
use vt_core::plan::{Description, Options, Plan, Share, StepDescription};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, OpError, Registry, Sizes, Sym, Tensor, Value};

use crate::toy::model::{put, weight};
use crate::toy::{Threads, Toy};

fn registry(workers: usize, kernels: impl FnOnce(&mut Builder)) -> Arc<Registry> {
    let device = |b: &mut Builder| b.device(Arc::new(Threads { name: "toy", workers }));
    Arc::new(Registry::builder().with(device).with(kernels).build().unwrap())
}

/// Every op by columns, one at a time; elementwise ones in place.
fn columns(b: &mut Builder) {
    b.kernel::<Silu>("toy", Toy::new(Cut::cols(1)).in_place());
    b.kernel::<Add>("toy", Toy::new(Cut::cols(1)).in_place());
    b.kernel::<Mul>("toy", Toy::new(Cut::cols(1)));
    b.kernel::<MatmulBt>("toy", Toy::new(Cut::cols(1)));
}

fn options(t: usize) -> Options {
    Options::new("toy", Sizes { t, r: t })
}

fn describe(g: &Graph, registry: &Arc<Registry>, options: &Options) -> Description {
    Plan::new(g, registry, options).unwrap().describe()
}

fn steps(g: &Graph, registry: &Arc<Registry>, t: usize) -> Vec<StepDescription> {
    describe(g, registry, &options(t)).schedules.remove(0).steps
}

fn input(g: &Graph) -> Value {
    g.input("x", Desc::rows(DType::F32, Sym::T, 16))
}

#[test]
fn steps_are_reordered_to_save_barriers() {
    let g = Graph::new();
    let x = input(&g);
    let product = |x: &Value, name: &str| put(&g, MatmulBt, &[x, &weight(name, &[16, 16])]).unwrap();
    let p = product(&put(&g, Silu, &[&x]).unwrap(), "p");
    let q = product(&put(&g, Mul, &[&x, &x]).unwrap(), "q");
    g.output(&put(&g, Add, &[&p, &q]).unwrap()).unwrap();
    let plan = |reorder| {
        let d = describe(&g, &registry(2, columns), &Options { reorder, ..options(8) });
        (d.schedules[0].barriers, d.schedules[0].steps.iter().map(|s| s.op).collect::<Vec<_>>())
    };
    assert_eq!(plan(true), (1, vec!["silu", "mul", "matmul_bt", "matmul_bt", "add"]));
    assert_eq!(plan(false), (2, vec!["silu", "matmul_bt", "mul", "matmul_bt", "add"]));
}

/// `rms_norm(silu(x))`, whose kernels are cut as told: the shares, and whether there is a barrier between them.
fn norm_of_silu(t: usize, silu: Cut, norm: Cut) -> (Share, Share, bool) {
    let g = Graph::new();
    let silu_value = put(&g, Silu, &[&input(&g)]).unwrap();
    g.output(&put(&g, RmsNorm { eps: 1e-5 }, &[&silu_value, &weight("w", &[16])]).unwrap()).unwrap();
    let kernels = |b: &mut Builder| {
        b.kernel::<Silu>("toy", Toy::new(silu));
        b.kernel::<RmsNorm>("toy", Toy::new(norm));
    };
    let s = steps(&g, &registry(2, kernels), t);
    (s[0].share, s[1].share, s[1].barrier)
}

#[test]
fn a_reader_follows_the_rows_of_its_producer() {
    let rows = |grain, deal| Share::Rows { grain, deal };
    let four = rows(4, Deal::Blocks);
    assert_eq!(norm_of_silu(16, Cut::rows(4), Cut::rows(2)), (four, four, false));
    assert_eq!(norm_of_silu(16, Cut::rows(4), Cut::rows(3)), (four, rows(3, Deal::Blocks), true));
    let turns = rows(2, Deal::Cyclic);
    assert_eq!(norm_of_silu(16, Cut::rows(2).cyclic(), Cut::rows(1)), (turns, turns, false));
}

fn blocks(grain: usize) -> Share {
    Share::Rows { grain, deal: Deal::Blocks }
}

/// Behind a barrier that no share saves: copies of the whole are best, then many rows, then what the kernel can.
#[test]
fn behind_a_barrier_many_rows_are_divided_by_rows() {
    let either = Cut::either(3, 1);
    assert_eq!(norm_of_silu(16, Cut::rows(4), either), (blocks(4), blocks(3), true));
    assert_eq!(norm_of_silu(7, Cut::rows(4), either), (blocks(4), Share::Cols { grain: 1 }, true), "few rows");
    assert_eq!(norm_of_silu(16, Cut::rows(4), either.or_each(true)), (blocks(4), Share::Each, true));
}

/// Two kernels that want more rows than there are want the same.
#[test]
fn a_grain_beyond_the_rows_is_all_of_them() {
    assert_eq!(norm_of_silu(16, Cut::rows(100), Cut::rows(40)), (blocks(16), blocks(16), false));
}

/// Only what is itself cut by columns makes its readers agree on them.
#[test]
fn readers_of_an_undivided_value_keep_their_own_columns() {
    let g = Graph::new();
    let silu = put(&g, Silu, &[&input(&g)]).unwrap();
    g.output(&put(&g, Add, &[&silu, &silu]).unwrap()).unwrap();
    g.output(&put(&g, Mul, &[&silu, &silu]).unwrap()).unwrap();
    let shares = |cut| {
        let kernels = |b: &mut Builder| {
            b.kernel::<Silu>("toy", Toy::new(cut));
            b.kernel::<Add>("toy", Toy::new(Cut::cols(2)));
            b.kernel::<Mul>("toy", Toy::new(Cut::cols(3)));
        };
        let steps = steps(&g, &registry(2, kernels), 8);
        let of = |op| steps.iter().find(|s| s.op == op).unwrap().share;
        (of("add"), of("mul"))
    };
    let cols = |grain| Share::Cols { grain };
    assert_eq!(shares(Cut::whole()), (cols(2), cols(3)));
    assert_eq!(shares(Cut::cols(1)), (cols(6), cols(6)));
}

#[test]
fn one_row_is_not_divided_by_rows() {
    assert_eq!(norm_of_silu(1, Cut::whole(), Cut::rows(1)), (Share::Whole, Share::Whole, false));
    let (.., barrier) = norm_of_silu(2, Cut::whole(), Cut::rows(1));
    assert!(barrier);
}

/// A chain of products: each is needed until the next one is done.
#[test]
fn memory_of_dead_values_is_used_again() {
    let g = Graph::new();
    let mut x = input(&g);
    for i in 0..6 {
        x = put(&g, MatmulBt, &[&x, &weight(&format!("w{i}"), &[16, 16])]).unwrap();
    }
    g.output(&x).unwrap();
    let value = 8 * 16 * size_of::<f32>();
    for workers in 1..4 {
        let bytes = |share_memory| {
            describe(&g, &registry(workers, columns), &Options { share_memory, ..options(8) }).arena_bytes
        };
        assert_eq!((bytes(true), bytes(false)), (2 * value, 6 * value), "{workers} workers");
    }
}

#[test]
fn memory_is_taken_over_from_what_nothing_else_reads() {
    let in_place = |record: fn(&Graph, &Value) -> Result<(), OpError>| {
        let g = Graph::new();
        let silu = put(&g, Silu, &[&input(&g)]).unwrap();
        record(&g, &silu).unwrap();
        let steps = steps(&g, &registry(2, columns), 8);
        assert_eq!((steps[0].op, steps[0].in_place), ("silu", None), "not of an input");
        steps[1].in_place
    };
    assert_eq!(in_place(|g, a| g.output(&put(g, Silu, &[a])?)), Some(0));
    assert_eq!(in_place(|g, a| g.output(&put(g, Add, &[a, &weight("w", &[16])])?)), Some(0));
    assert_eq!(in_place(|g, a| g.output(&put(g, Add, &[a, a])?)), None, "read twice");
    assert_eq!(in_place(|g, a| g.output(&put(g, Mul, &[a, &weight("w", &[16])])?)), None, "the kernel does not");
    let kept = in_place(|g, a| {
        g.output(&put(g, Silu, &[a])?)?;
        g.output(a)
    });
    assert_eq!(kept, None, "an output of the graph");
    let later = in_place(|g, a| g.output(&put(g, Mul, &[&put(g, Silu, &[a])?, a])?));
    assert_eq!(later, None, "read later");
}

/// A value and its first row.
#[derive(Clone, Debug, PartialEq)]
struct Head;

impl Op for Head {
    const NAME: &'static str = "head";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        let (rows, cols) = inputs.matrix(0, DType::F32)?;
        let out = ValueType::Tensor;
        Ok([out(Desc::rows(DType::F32, rows, cols)), out(Desc::new(DType::F32, [cols]))].into_iter().collect())
    }

    fn cases() -> Vec<Case<Self>> {
        Vec::new()
    }
}

impl Kernel<Head> for Toy {
    fn name(&self) -> String {
        "head".to_owned()
    }

    fn cut(&self, _: &Head, _: &Call<'_>) -> Cut {
        self.cut
    }

    fn run(&self, _: &Head, _: &mut Io<'_>) -> Result<(), KernelError> {
        Ok(())
    }
}

#[test]
fn outputs_of_different_rows_are_not_divided_by_rows() {
    let g = Graph::new();
    let outs = vt_core::Recorder::record(&g, Arc::new(Head), &[&input(&g)], std::panic::Location::caller()).unwrap();
    outs.iter().for_each(|o| g.output(o).unwrap());
    let share = |cut| steps(&g, &registry(2, |b| b.kernel::<Head>("toy", Toy::new(cut))), 8)[0].share;
    assert_eq!(share(Cut::rows(1)), Share::Whole);
    assert_eq!(share(Cut::either(1, 4)), Share::Cols { grain: 4 });
}

/// A weight is its storage, type and shape; names and equal bytes do not matter.
#[test]
fn a_weight_that_is_used_twice_is_one() {
    let products = |a: &Tensor, b: &Tensor| {
        let g = Graph::new();
        let x = input(&g);
        for (name, tensor) in [("a", a), ("b", b)] {
            g.output(&put(&g, MatmulBt, &[&x, &Value::weight(name, tensor.clone())]).unwrap()).unwrap();
        }
        steps(&g, &registry(2, columns), 8).len()
    };
    let tensor = |shape: &[usize]| Tensor::zeros(DType::F32, shape).unwrap();
    let one = tensor(&[4, 16]);
    assert_eq!(products(&one, &one.clone()), 1);
    assert_eq!(products(&one, &tensor(&[4, 16])), 2);
    let g = Graph::new();
    let (matrix, x) = (tensor(&[1, 16]), input(&g));
    let row = Tensor::new(DType::F32, &[16], matrix.storage().clone()).unwrap();
    g.output(&put(&g, MatmulBt, &[&x, &Value::from(matrix)]).unwrap()).unwrap();
    g.output(&put(&g, Add, &[&x, &Value::from(row)]).unwrap()).unwrap();
    let seen: Vec<_> = steps(&g, &registry(2, columns), 8).into_iter().map(|s| s.inputs[1].clone()).collect();
    assert_eq!(seen, ["f32 [1, 16]", "f32 [16]"]);
}

#[test]
fn row_classes_are_the_ways_a_model_is_run() {
    let classes = |rows, wanted| {
        let options = options(1).row_classes(rows, wanted);
        options.classes.iter().map(|s| (s.t, s.r)).collect::<Vec<_>>()
    };
    assert_eq!(classes(512, 512), [(1, 1), (24, 24), (512, 1), (512, 512)]);
    assert_eq!(classes(512, 1), [(1, 1), (24, 1), (512, 1)]);
    assert_eq!(classes(1, 1), [(1, 1)]);
}
