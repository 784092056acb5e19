//! Ops of other crates, which have no goldens here.

use vt_core::kernel::{Io, KernelError};
use vt_core::op::{Case, Fill, Inputs, Op, Operand, Outs, Tolerance, one};
use vt_core::{DType, Desc, OpError, Sym};
use vt_cpu::CPU;

use super::{Toy, outcomes, registry};
use crate::check::{Filter, Goldens, Outcome, replay, violations};

/// An op from outside, without goldens.
#[derive(Clone, Debug, PartialEq)]
struct Double;

impl Op for Double {
    const NAME: &'static str = "double";
    const INPUTS: &'static [&'static str] = &["x"];
    const TOLERANCE: Tolerance = Tolerance::Exact;

    fn infer(&self, inputs: &Inputs<'_>) -> Result<Outs, OpError> {
        one(inputs.tensor(0)?.clone())
    }

    fn cases() -> Vec<Case<Self>> {
        let x = Operand::tensor(Desc::rows(DType::F32, Sym::T, 4), Fill::Normal(1.0));
        vec![Case::new("one", Double, 1, vec![x.clone()]), Case::new("two", Double, 2, vec![x])]
    }
}

fn times(io: &mut Io<'_>, factor: f32) -> Result<(), KernelError> {
    let (x, mut out) = (io.input::<f32>(0), io.output::<f32>(0));
    (0..out.rows()).for_each(|r| out.row_mut(r).iter_mut().zip(x.row(r)).for_each(|(o, x)| *o = factor * x));
    Ok(())
}

#[test]
fn without_a_golden_the_reference_device_is_the_measure() {
    let registry = registry(|b| {
        b.kernel::<Double>(CPU, Toy::new("portable", 0, |_, io| times(io, 2.0)));
        b.kernel::<Double>(CPU, Toy::new("fast", 1, |_, io| times(io, 3.0)));
        b.kernel::<Double>("toy", Toy::new("right", 0, |_, io| times(io, 2.0)));
        b.kernel::<Double>("toy", Toy::new("wrong", 0, |_, io| times(io, 3.0)));
    });
    let report =
        replay(&registry, &Goldens::embedded(), &Filter { op: Some("double".to_owned()), ..Filter::default() });
    let passed = |kernel| outcomes(&report, "double", kernel).iter().all(|(_, o)| **o == Outcome::Passed);
    assert!(passed("portable") && passed("right") && !passed("fast") && !passed("wrong"), "{report}");
    assert_eq!((report.passed(), report.failures().count()), (4, 4));
    let one = Filter { kernel: Some("right".to_owned()), ..Filter::default() };
    assert_eq!(replay(&registry, &Goldens::embedded(), &one).checks.len(), 2);
    let mut rules = violations(&registry, &Goldens::embedded());
    rules.retain(|rule| rule.starts_with("double"));
    assert_eq!(rules, ["double: 2 cases, at least 12 are wanted", "double: no folder of goldens"]);
}
