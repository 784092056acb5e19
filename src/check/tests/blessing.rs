//! Digests: of which results they are made, and who is held to them.

use std::fs;
use std::path::Path;

use vt_core::Registry;
use vt_core::op::Silu;
use vt_cpu::CPU;

use super::{Toy, registry, silu};
use crate::check::{Check, Failure, Filter, Goldens, Outcome, bless, replay, write_inputs};

#[test]
fn kernels_of_the_cpu_must_give_the_digests_bits() {
    let registry = registry(|b| {
        b.kernel::<Silu>(CPU, Toy::new("portable", 0, |_, io| silu(io, 1.0)));
        b.kernel::<Silu>(CPU, Toy::new("off", 1, |_, io| silu(io, 1.0 + 2e-7)));
        b.kernel::<Silu>("toy", Toy::new("off", 1, |_, io| silu(io, 1.0 + 2e-7)));
    });
    let dir = tempfile::tempdir().unwrap();
    goldens_of("silu", &registry, dir.path());
    let blessed = bless(&registry, dir.path(), Some("silu")).unwrap();
    assert!(blessed.is_ok() && blessed.checks.iter().all(|c| c.kernel == "portable"), "{blessed}");
    let goldens = Goldens::read(dir.path()).unwrap();
    let report = replay(&registry, &goldens, &Filter { op: Some("silu".to_owned()), ..Filter::default() });
    let case = |device: &str, kernel: &str| {
        let mine = |c: &&Check| c.device == device && c.kernel == kernel && c.case == "t17-d40";
        report.checks.iter().find(mine).unwrap().outcome.clone()
    };
    assert_eq!((case(CPU, "portable"), case("toy", "off")), (Outcome::Passed, Outcome::Passed));
    assert!(matches!(case(CPU, "off"), Outcome::Failed(Failure::Bits { .. })));
}

#[test]
fn what_is_out_of_tolerance_is_not_blessed() {
    let registry = registry(|b| b.kernel::<Silu>(CPU, Toy::new("portable", 0, |_, io| silu(io, 1.001))));
    let dir = tempfile::tempdir().unwrap();
    goldens_of("silu", &registry, dir.path());
    let report = bless(&registry, dir.path(), Some("silu")).unwrap();
    assert!(!report.is_ok());
    assert!(!dir.path().join("silu/t17-d40/digest").exists());
    assert!(bless(&registry, dir.path(), Some("nothing")).is_err());
}

/// A folder with the goldens of an op, without digests.
fn goldens_of(op: &str, registry: &Registry, dir: &Path) {
    write_inputs(registry, dir, Some(op)).unwrap();
    fs::write(dir.join(op).join("reference.py"), "").unwrap();
    let embedded = Goldens::embedded();
    for case in embedded.cases(op) {
        let out = embedded.get(op, case).and_then(|g| g.file("out.npy")).unwrap();
        fs::write(dir.join(op).join(case).join("out.npy"), out).unwrap();
    }
}
