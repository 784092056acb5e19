//! Registration, and which kernel is chosen.

use std::sync::Arc;

use vt_core::kernel::{Call, Cut, Io, Kernel, KernelError, Support};
use vt_core::op::{Add, Case, Inputs, Mul, Op, Outs, Silu, Tolerance, ValueType, one};
use vt_core::plan::{Options, Plan};
use vt_core::registry::{Builder, RegistryError};
use vt_core::{DType, Desc, Graph, OpError, Registry, Sizes, Sym};

use crate::toy::model::put;
use crate::toy::{Threads, Toy};

fn toy(b: &mut Builder) {
    b.device(Arc::new(Threads { name: "toy", workers: 1 }));
}

fn error(more: impl FnOnce(&mut Builder)) -> RegistryError {
    Registry::builder().with(toy).with(more).build().unwrap_err()
}

macro_rules! named {
    ($op:ident, $name:literal) => {
        #[derive(Clone, Debug, PartialEq)]
        struct $op;

        impl Op for $op {
            const NAME: &'static str = $name;
            const INPUTS: &'static [&'static str] = &["x"];
            const TOLERANCE: Tolerance = Tolerance::Exact;

            fn infer(&self, _: &Inputs<'_>) -> Result<Outs, OpError> {
                one(Desc::new(DType::F32, [1usize]))
            }

            fn cases() -> Vec<Case<Self>> {
                Vec::new()
            }
        }
    };
}

named!(First, "twin");
named!(Second, "twin");
named!(Impostor, "add");

#[test]
fn bad_registrations_are_errors() {
    let kernel = Toy::new(Cut::whole());
    assert_eq!(error(|b| (b.op::<First>(), b.op::<Second>()).0), RegistryError::OpName("twin"));
    assert_eq!(error(|b| b.op::<Impostor>()), RegistryError::OpName("add"));
    assert_eq!(error(toy), RegistryError::DeviceName("toy"));
    let twice = error(|b| (b.kernel::<Add>("toy", kernel), b.kernel::<Add>("toy", kernel)).0);
    assert_eq!(twice.to_string(), "two kernels of add on `toy` are named `toy`");
    let nowhere = error(|b| b.kernel::<Add>("moon", kernel));
    assert_eq!(nowhere.to_string(), "kernel `toy` of add is for device `moon`, which is not registered");
    let twice = error(|b| (0..2).for_each(|_| b.decompose::<Add>(|_, _, _| Ok(vec![]))));
    assert_eq!(twice, RegistryError::Decomposition("add"));
    assert_eq!(error(|b| (0..2).for_each(|_| b.fuse("f", |_, _| None))), RegistryError::FusionName("f"));
}

#[test]
fn ops_of_others_are_listed_by_name() {
    let registry = Registry::builder().with(|b| b.op::<First>()).build().unwrap();
    let names: Vec<_> = registry.ops().iter().map(|o| o.name).collect();
    assert!(names.is_sorted() && names.contains(&"twin") && names.contains(&"add"));
    assert_eq!(names.len(), vt_core::op::entries().len() + 1);
}

/// Computes nothing; refuses rows that are too long.
struct Picky(&'static str, i32, usize);

impl Kernel<Add> for Picky {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn priority(&self) -> i32 {
        self.1
    }

    fn supports(&self, _: &Add, call: &Call<'_>) -> Support {
        Support::when(call.cols() <= self.2, || format!("{} columns are above {}", call.cols(), self.2))
    }

    fn run(&self, _: &Add, _: &mut Io<'_>) -> Result<(), KernelError> {
        Ok(())
    }
}

fn picky() -> Arc<Registry> {
    let kernels = |b: &mut Builder| {
        for kernel in [Picky("b", 1, 9), Picky("a", 1, 9), Picky("best", 5, 4), Picky("worst", -1, 99)] {
            b.kernel::<Add>("toy", kernel);
        }
        b.kernel::<Silu>("toy", Toy::new(Cut::whole()));
    };
    Arc::new(Registry::builder().with(toy).with(kernels).build().unwrap())
}

fn chosen(cols: usize, kernel: Option<&str>) -> Result<String, String> {
    let g = Graph::new();
    let x = g.input("x", Desc::rows(DType::F32, Sym::T, cols));
    g.output(&put(&g, Add, &[&x, &put(&g, Silu, &[&x]).unwrap()]).unwrap()).unwrap();
    let options = Options { kernel: kernel.map(str::to_owned), ..Options::new("toy", Sizes { t: 2, r: 0 }) };
    let plan = Plan::new(&g, &picky(), &options).map_err(|e| e.to_string())?;
    Ok(plan.describe().schedules[0].steps[1].kernel.clone())
}

#[test]
fn priority_decides_then_the_name() {
    assert_eq!(chosen(4, None).unwrap(), "best");
    assert_eq!(chosen(5, None).unwrap(), "a");
    assert_eq!(chosen(10, None).unwrap(), "worst");
    assert_eq!(chosen(4, Some("b")).unwrap(), "b");
    assert_eq!(chosen(4, Some("no op has this one")).unwrap(), "best");
}

#[test]
fn refusals_carry_their_reasons() {
    let error = chosen(100, None).unwrap_err();
    let reasons = "best: 100 columns are above 4; a: 100 columns are above 9; b: 100 columns are above 9; worst: 100 columns are above 99";
    assert_eq!(error, format!("device `toy` cannot compute add x1 of (f32 [T, 100], f32 [T, 100]): {reasons}"));
    assert!(chosen(10, Some("b")).unwrap_err().ends_with(": b: 10 columns are above 9"));
    let ty = [ValueType::Tensor(Desc::rows(DType::F32, Sym::T, 5))];
    let call = Call { inputs: &[ty[0].clone(), ty[0].clone()], outputs: &ty, sizes: Sizes { t: 1, r: 1 }, workers: 1 };
    let infos: Vec<_> = picky().explain(&Add, "toy", &call).into_iter().map(|k| (k.name, k.support)).collect();
    assert_eq!(infos[0], ("best".to_owned(), Support::No("5 columns are above 4".to_owned())));
    assert_eq!(infos[1], ("a".to_owned(), Support::Yes));
    assert!(picky().supports(&Mul, "toy", &call).unwrap_err().is_empty());
    assert!(picky().supports(&Add, "moon", &call).is_err() && picky().supports(&Add, "toy", &call).is_ok());
}
