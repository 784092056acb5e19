//! States of fixed size.

use vt_core::kernel::{Io, KernelError};
use vt_core::op::{Case, Fill, Inputs, Op, Operand, Outs, Tolerance, ValueType};
use vt_core::plan::Span;
use vt_core::{DType, Desc, OpError, StateSpec, Sym};

use super::{Toy, ToyDevice, registry};
use crate::check::array::{NamedArray, inputs};
use crate::check::compare::numbers_of;
use crate::check::runner::{kernels, run};

/// Adds every row to every row of a state of fixed size.
#[derive(Clone, Debug, PartialEq)]
struct Accumulate;

impl Op for Accumulate {
    const NAME: &'static str = "accumulate";
    const INPUTS: &'static [&'static str] = &["x", "sum"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        Ok(Outs::from_iter([ValueType::State(*inputs.state(1)?)]))
    }

    fn advances(&self) -> &'static [(usize, usize)] {
        &[(1, 0)]
    }

    fn cases() -> Vec<Case<Self>> {
        let case = |name: &str, position| {
            let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, 3), Fill::Normal(1.0));
            let sum = Operand::State { spec: StateSpec::Fixed { rows: 2, cols: 3 }, filled: vec![position] };
            let spans = vec![Span { sequence: 0, position, rows: 1 }];
            Case::new(name, Accumulate, 1, vec![x, sum]).with_spans(spans)
        };
        vec![case("new", 0), case("old", 4)]
    }
}

fn accumulate(_: &Accumulate, io: &mut Io<'_>) -> Result<(), KernelError> {
    let x = io.input::<f32>(0);
    let mut state = io.recurrent_mut(0, 0);
    let sums = state.view_mut();
    for r in 0..sums.rows() {
        (0..x.rows()).for_each(|t| sums.row_mut(r).iter_mut().zip(x.row(t)).for_each(|(s, x)| *s += x));
    }
    Ok(())
}

#[test]
fn states_of_fixed_size_start_as_the_case_says_and_are_read_back() {
    let registry = registry(|b| b.kernel("toy", Toy::new("sum", 0, accumulate)));
    for case in Accumulate::cases() {
        let case = case.erase();
        let kernels = kernels(&registry, &ToyDevice("toy"), &case).unwrap();
        let outputs = run(&registry, "toy", &kernels[0], &case).unwrap();
        let inputs = inputs(&case).unwrap();
        let names = |list: &[NamedArray]| list.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(&inputs), names(&outputs)), (vec!["x".into(), "sum-s0".into()], vec!["out-s0".into()]));
        let numbers = |a: &NamedArray| numbers_of(a.dtype, a.array.data());
        let (x, sum) = (numbers(&inputs[0]), numbers(&inputs[1]));
        assert_eq!(sum.iter().all(|s| *s == 0.0), case.name == "new");
        let expected: Vec<f64> = (0..6).map(|i| f64::from(sum[i] as f32 + x[i % 3] as f32)).collect();
        assert_eq!(numbers(&outputs[0]), expected);
    }
}
