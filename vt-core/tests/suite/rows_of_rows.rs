//! Values that have several rows for each row of another.

use std::sync::Arc;

use vt_core::kernel::Cut;
use vt_core::op::{Silu, WeightedSum};
use vt_core::plan::{Feed, Options, Pass, Plan};
use vt_core::registry::Builder;
use vt_core::{DType, Desc, Dim, Graph, Registry, Sizes, Sym};

use crate::toy::model::put;
use crate::toy::{Threads, Toy};

const K: usize = 3;
const COLS: usize = 8;

/// `weighted_sum(silu(x), weights)`, with both cut as told: the sums of five rows, and the barriers.
fn sums(workers: usize, silu: Cut, sum: Cut) -> (Vec<f32>, usize) {
    let kernels = |b: &mut Builder| {
        b.device(Arc::new(Threads { name: "toy", workers }));
        b.kernel::<Silu>("toy", Toy::new(silu));
        b.kernel::<WeightedSum>("toy", Toy::new(sum));
    };
    let registry = Arc::new(Registry::builder().with(kernels).build().unwrap());
    let g = Graph::new();
    let x = g.input("x", Desc::new(DType::F32, [Dim::Sym(Sym::T), K.into(), COLS.into()]));
    let weights = g.input("weights", Desc::rows(DType::F32, Sym::T, K));
    let silu = put(&g, Silu, &[&x]).unwrap();
    g.output(&put(&g, WeightedSum, &[&silu, &weights]).unwrap()).unwrap();
    let sizes = Sizes { t: 5, r: 5 };
    let plan = Plan::new(&g, &registry, &Options::new("toy", sizes)).unwrap();
    let numbers = |n: usize| (0..n).map(|i| (i * i % 17) as f32 - 8.0).collect::<Vec<f32>>();
    let (x, weights) = (numbers(sizes.t * K * COLS), numbers(sizes.t * K));
    let inputs = [Feed::floats(&x), Feed::floats(&weights)];
    let mut pass = Pass { inputs: &inputs, spans: &[], sequences: &mut [], sizes };
    let mut memory = plan.memory().unwrap();
    let outputs = plan.run(&mut memory, &mut pass).unwrap();
    let out = outputs.rows::<f32>(0).unwrap();
    let sums = (0..out.rows()).flat_map(|r| out.row(r).to_vec()).collect();
    (sums, plan.describe().schedules[0].barriers)
}

#[test]
fn a_tile_takes_the_rows_that_belong_to_its_own() {
    let (expected, _) = sums(1, Cut::whole(), Cut::whole());
    assert!(expected.iter().any(|x| *x != 0.0));
    for cut in [Cut::rows(1), Cut::rows(2).cyclic(), Cut::cols(1), Cut::cols(3), Cut::either(2, 4).or_each(true)] {
        for silu in [Cut::rows(1), Cut::rows(K), Cut::cols(2), Cut::either(1, 1)] {
            for workers in [2, 3] {
                assert_eq!(sums(workers, silu, cut).0, expected, "{workers} workers, {silu:?}, {cut:?}");
            }
        }
    }
}

/// The same columns of all rows are the same worker's; of rows the numbers differ.
#[test]
fn columns_need_no_barrier_and_rows_do() {
    assert_eq!(sums(2, Cut::cols(1), Cut::cols(1)).1, 0);
    assert_eq!(sums(2, Cut::cols(2), Cut::cols(4)).1, 0);
    assert_eq!(sums(2, Cut::rows(1), Cut::rows(1)).1, 1);
    assert_eq!(sums(2, Cut::rows(K), Cut::rows(1)).1, 1);
}
