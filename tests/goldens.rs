//! Goldens: that ops, cases and goldens belong together, and that every kernel of every device gives what they say.

use std::path::Path;
use std::sync::Arc;

use vt::check::{Check, Filter, Goldens, Outcome, replay, violations};
use vt::core::Registry;

fn registry() -> Arc<Registry> {
    vt::default_registry(vt::cpu::Config::default()).unwrap()
}

#[test]
fn ops_cases_and_goldens_belong_together() {
    let found = violations(&registry(), &Goldens::embedded());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_kernel_gives_what_the_goldens_say_and_every_case_has_a_portable_one() {
    let registry = registry();
    let report = replay(&registry, &Goldens::embedded(), &Filter::default());
    assert!(report.is_ok(), "{report}");
    for entry in registry.ops() {
        for case in (entry.cases)() {
            let portable = |check: &&Check| check.outcome == Outcome::Passed && check.kernel.starts_with("portable");
            let mut passed = report.checks.iter().filter(portable);
            assert!(passed.any(|c| c.op == entry.name && c.case == case.name), "{} {}", entry.name, case.name);
        }
    }
}

#[test]
fn the_built_in_goldens_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens");
    assert_eq!(Goldens::read(&folder).unwrap(), Goldens::embedded());
}
