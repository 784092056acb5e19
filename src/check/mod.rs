//! Checking kernels: against goldens computed in float64, against digests of the defined results, and, where there is
//! no golden, against the reference device.
//!
//! A backend's author calls [`check_device`] in a test:
//!
//! ```no_run
//! # let registry = std::sync::Arc::new(vt::core::Registry::builder().build().unwrap());
//! let report = vt::check::check_device(&registry, "my-device");
//! assert!(report.is_ok(), "{report}");
//! ```

mod array;
mod compare;
mod digest;
mod expected;
mod goldens;
mod manifest;
pub(crate) mod prepared;
mod report;
mod rules;
pub(crate) mod runner;
mod state;
#[cfg(test)]
mod tests;
mod write;

use std::cell::LazyCell;
use std::ops::Deref;
use std::sync::Arc;

use vt_core::op::AnyCase;
use vt_core::registry::{Device, KernelInfo, Registry};

use array::NamedArray;
use expected::Expected;
pub use goldens::{Golden, GoldenError, Goldens};
pub use report::{Check, Failure, Outcome, Report, Worst};
pub use rules::{violations, without_goldens};
use runner::NoResult;
pub use write::{bless, write_inputs};

/// Which checks are made; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this op only.
    pub op: Option<String>,
    /// On this device only.
    pub device: Option<String>,
    /// Of the kernel of this name only.
    pub kernel: Option<String>,
}

impl Filter {
    fn takes(wanted: &Option<String>, name: &str) -> bool {
        wanted.as_deref().is_none_or(|wanted| wanted == name)
    }
}

/// Runs every kernel that a device has on every case of its ops, and compares with the goldens that are built in, or
/// with the reference device where an op has none.
///
/// Kernels of device `cpu` must also give the digest's bits.
pub fn check_device(registry: &Arc<Registry>, device: &str) -> Report {
    let filter = Filter { device: Some(device.to_owned()), ..Filter::default() };
    replay(registry, &Goldens::embedded(), &filter)
}

/// As [`check_device`], of what `filter` chooses and with goldens of your own.
pub fn replay(registry: &Arc<Registry>, goldens: &Goldens, filter: &Filter) -> Report {
    let mut report = Report::default();
    for entry in registry.ops().iter().filter(|e| Filter::takes(&filter.op, e.name)) {
        for case in (entry.cases)() {
            let expected = LazyCell::new(|| expect(registry, goldens, &case));
            for device in registry.devices().iter().filter(|d| Filter::takes(&filter.device, d.name())) {
                let checks = check_case(registry, &**device, &case, &filter.kernel, &expected);
                let check = |(kernel, outcome)| {
                    let (op, case, device) = (entry.name, case.name.clone(), device.name());
                    Check { op, case, device, kernel, outcome }
                };
                report.checks.extend(checks.into_iter().map(check));
            }
        }
    }
    report
}

fn expect(registry: &Arc<Registry>, goldens: &Goldens, case: &AnyCase) -> Result<Expected, String> {
    match goldens.get(case.op.name(), &case.name) {
        Some(golden) => Expected::of_golden(case, golden),
        None => Expected::of_reference(registry, case),
    }
}

/// How each kernel of a device does in a case, in a plan for just its rows and in one for more.
fn check_case(
    registry: &Arc<Registry>,
    device: &dyn Device,
    case: &AnyCase,
    kernel: &Option<String>,
    expected: &impl Deref<Target = Result<Expected, String>>,
) -> Vec<(String, Outcome)> {
    let kernels = match runner::kernels(registry, device, case) {
        Ok(kernels) => kernels,
        Err(why) => return vec![("any".to_owned(), Outcome::Failed(Failure::Error(why)))],
    };
    let hold = |outputs: &[NamedArray]| match &**expected {
        Ok(expected) => expected.hold(device.name(), case, outputs),
        Err(why) => Err(Failure::Golden(why.clone())),
    };
    let outcome = |k: &KernelInfo| match runner::run(registry, device.name(), k, case) {
        Err(NoResult::Refused(why)) => Outcome::Refused(why),
        Err(NoResult::Failed(why)) => Outcome::Failed(Failure::Error(why)),
        Ok(outputs) => match runner::run_with_room(registry, device.name(), k, case) {
            Err(NoResult::Failed(why)) => Outcome::Failed(Failure::Error(why)),
            Err(NoResult::Refused(_)) => hold(&outputs).map_or_else(Outcome::Failed, |()| Outcome::Passed),
            Ok(roomy) => hold(&outputs).and_then(|()| hold(&roomy)).map_or_else(Outcome::Failed, |()| Outcome::Passed),
        },
    };
    kernels.iter().filter(|k| Filter::takes(kernel, &k.name)).map(|k| (k.name.clone(), outcome(k))).collect()
}
