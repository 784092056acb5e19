//! What a report says of right, wrong, refusing, failing and panicking kernels.

use vt_core::kernel::{Call, Io, Kernel, KernelError, Support};
use vt_core::op::{Add, Op, Silu, TakeRows};
use vt_cpu::{CPU, math};

use super::{Toy, add, f32_cache, kv_append, outcomes, registry, take_rows, wrong_add};
use crate::check::{Failure, Filter, Goldens, Outcome, check_device, replay};

#[test]
fn right_kernels_pass_every_case_and_wrong_ones_show_their_worst_element() {
    let registry = registry(|b| {
        b.kernel("toy", Toy::new("take", 0, take_rows));
        b.kernel("toy", Toy::new("add", 0, add));
        b.kernel("toy", Toy::new("wrong", 1, wrong_add));
        b.kernel("toy", Toy { takes: f32_cache, ..Toy::new("append", 0, kv_append) });
    });
    let report = check_device(&registry, "toy");
    let passes = |list: &[(&str, &Outcome)]| list.iter().filter(|(_, o)| **o == Outcome::Passed).count();
    assert_eq!(passes(&outcomes(&report, "take_rows", "take")), TakeRows::cases().len());
    assert_eq!(passes(&outcomes(&report, "add", "add")), Add::cases().len());
    let append = outcomes(&report, "kv_append", "append");
    let f32_cases = append.iter().filter(|(case, _)| case.starts_with("f32")).count();
    assert!(passes(&append) == f32_cases && f32_cases > 3, "{append:?}");
    assert_eq!(append.len() - f32_cases, report.refused());
    assert!(append.contains(&("f16-h2-d16-16-s0p0n1", &Outcome::Refused("an f16 cache".to_owned()))));
    let wrong = outcomes(&report, "add", "wrong");
    let Some((_, Outcome::Failed(Failure::Element(worst)))) = wrong.iter().find(|(case, _)| *case == "t3-d33") else {
        panic!("{wrong:?}");
    };
    assert_eq!((worst.index, worst.output.as_str()), (65, "out"));
    assert!((worst.found - worst.expected - 1.0).abs() < 1e-6 && (worst.error - 1.0).abs() < 1e-6);
    let has_row_1 = |case: &str| !case.contains("t0") && !case.contains("t1-") && case != "t5-d0";
    assert_eq!(passes(&wrong), wrong.iter().filter(|(case, _)| !has_row_1(case)).count());
    assert!(report.to_string().contains("add t3-d33 on toy (wrong): out [65]: expected"), "{report}");
    assert!(!report.is_ok());
}

#[test]
fn kernels_that_fail_or_panic_fail_the_check() {
    let registry = registry(|b| {
        b.kernel::<Add>("toy", Toy::new("errs", 0, |_, _| Err(KernelError::Other("no such thing".into()))));
        b.kernel::<Add>("toy", Toy::new("panics", 0, |_, _| panic!("out of cheese")));
        b.kernel::<Silu>("toy", Toy { takes: |_| panic!("no answer"), ..Toy::new("mute", 0, |_, _| Ok(())) });
    });
    let report = check_device(&registry, "toy");
    let why = |op: &str, kernel: &str| match outcomes(&report, op, kernel).iter().find(|(case, _)| *case == "t1-d64") {
        Some((_, Outcome::Failed(Failure::Error(why)))) => why.clone(),
        other => panic!("{other:?}"),
    };
    assert!(why("add", "errs").contains("no such thing"));
    assert!(why("add", "panics").contains("out of cheese"));
    assert!(why("silu", "any").contains("panicked: no answer"));
}

fn map(io: &mut Io<'_>, f: fn(f32) -> f32) -> Result<(), KernelError> {
    let (x, mut out) = (io.input::<f32>(0), io.output::<f32>(0));
    (0..out.rows()).for_each(|r| out.row_mut(r).iter_mut().zip(x.row(r)).for_each(|(o, x)| *o = f(*x)));
    Ok(())
}

#[test]
fn a_kernel_for_the_cpu_must_have_the_defined_bits_which_the_public_functions_give() {
    let registry = registry(|b| {
        b.kernel::<Silu>(CPU, Toy::new("defined", 1, |_, io| map(io, math::silu)));
        b.kernel::<Silu>(CPU, Toy::new("close", 1, |_, io| map(io, |x| x / (1.0 + (-x).exp()))));
        b.kernel::<Silu>("toy", Toy::new("close", 0, |_, io| map(io, |x| x / (1.0 + (-x).exp()))));
    });
    let check = |device: &str, kernel: &str| {
        let filter = Filter { op: None, device: Some(device.to_owned()), kernel: Some(kernel.to_owned()) };
        replay(&registry, &Goldens::embedded(), &filter)
    };
    assert!(check(CPU, "defined").is_ok(), "{}", check(CPU, "defined"));
    assert!(check("toy", "close").is_ok(), "{}", check("toy", "close"));
    let close = check(CPU, "close");
    let bits = |why: &Failure| matches!(why, Failure::Bits { .. });
    assert!(close.failures().count() > 3 && close.failures().all(|(_, why)| bits(why)), "{close}");
}

#[test]
fn an_unknown_device_is_no_success() {
    assert!(!check_device(&registry(|_| ()), "elsewhere").is_ok());
    assert!(!check_device(&registry(|_| ()), "toy").is_ok());
    let said = check_device(&registry(|_| ()), "elsewhere").to_string();
    assert!(said.contains("no such kernel, op or device"), "{said}");
}

/// Takes rows only in a plan that has room for no more of them.
struct Tight;

impl Kernel<TakeRows> for Tight {
    fn name(&self) -> String {
        "tight".to_owned()
    }

    fn scratch(&self, _: &TakeRows, call: &Call<'_>) -> usize {
        call.sizes.r
    }

    fn run(&self, op: &TakeRows, io: &mut Io<'_>) -> Result<(), KernelError> {
        if io.scratch().len() != io.sizes().r {
            return Err(KernelError::Other("too much room".into()));
        }
        take_rows(op, io)
    }
}

#[test]
fn kernels_must_also_work_in_plans_for_more_rows() {
    let registry = registry(|b| {
        b.kernel("toy", Tight);
        let few = |call: &Call<'_>| Support::when(call.sizes.r < 5, || "many rows");
        b.kernel("toy", Toy { takes: few, ..Toy::new("few", 0, take_rows) });
    });
    let report = check_device(&registry, "toy");
    assert!(report.failures().all(|(c, why)| c.kernel == "tight" && why.to_string().contains("too much room")));
    let tight = outcomes(&report, "take_rows", "tight");
    assert_eq!(report.failures().count(), tight.iter().filter(|(case, _)| !case.contains("-r0-")).count());
    assert!(report.passed() > 9 && report.refused() == 3);
}
