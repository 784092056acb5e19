//! Goldens that do not belong to ops and cases.

use super::{Toy, registry, take_rows};
use crate::check::{Filter, Goldens, replay, violations, without_goldens};

#[test]
fn goldens_that_do_not_belong_are_found() {
    let registry = registry(|b| b.kernel("toy", Toy::new("take", 0, take_rows)));
    let found = |change: fn(&mut Goldens)| {
        let mut goldens = Goldens::embedded();
        let before = violations(&registry, &goldens);
        change(&mut goldens);
        let after = violations(&registry, &goldens);
        after.into_iter().filter(|rule| !before.contains(rule)).collect::<Vec<_>>()
    };
    assert_eq!(found(|g| g.put("tak_rows", "x", "digest", vec![])), ["goldens of tak_rows: no op has this name"]);
    assert_eq!(found(|g| g.put("take_rows", "x", "digest", vec![])), ["take_rows x: no case has this name"]);
    assert_eq!(found(|g| g.remove("take_rows", "t1-r1-d1")), ["take_rows t1-r1-d1: no golden"]);
    let input = ["take_rows t1-r1-d1: x.npy is not the case's input: write the inputs again"];
    assert_eq!(found(|g| g.put("take_rows", "t1-r1-d1", "x.npy", vec![1])), input);
    let manifest = ["take_rows t1-r1-d1: the manifest is not that of the case: write the inputs again"];
    assert_eq!(found(|g| g.put("take_rows", "t1-r1-d1", "manifest.json", vec![b'{'])), manifest);
    assert_eq!(violations(&registry, &Goldens::default()).len(), registry.ops().len());
}

#[test]
fn cases_without_goldens_are_counted() {
    let registry = registry(|b| b.kernel("toy", Toy::new("take", 0, take_rows)));
    let mut goldens = Goldens::embedded();
    assert!(without_goldens(&registry, &goldens, None).is_empty());
    let cases = goldens.cases("take_rows").count();
    goldens.remove("take_rows", "t1-r1-d1");
    let found = [format!("take_rows (1 of {cases} cases)")];
    assert_eq!(without_goldens(&registry, &goldens, None), found);
    assert_eq!(without_goldens(&registry, &goldens, Some("take_rows")), found);
    assert!(without_goldens(&registry, &goldens, Some("add")).is_empty());
    let all = without_goldens(&registry, &Goldens::default(), None);
    assert!(all.len() == registry.ops().len() && all.contains(&format!("take_rows ({cases} of {cases} cases)")));
}

#[test]
fn a_golden_that_is_not_the_cases_fails_the_check() {
    let registry = registry(|b| b.kernel("toy", Toy::new("take", 0, take_rows)));
    let failure = |file: &str, bytes: &[u8]| {
        let mut goldens = Goldens::embedded();
        goldens.put("take_rows", "t1-r1-d1", file, bytes.to_vec());
        let report = replay(&registry, &goldens, &Filter::default());
        report.failures().map(|(_, why)| why.to_string()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(failure("digest", b"any"), "");
    assert!(failure("x.npy", b"").contains("x.npy is not the case's input"));
    assert!(failure("out.npy", b"").contains("out.npy: npy: start"));
    let other = crate::npy::Array::new(crate::npy::Kind::F64, &[2, 1], vec![0; 16]).unwrap();
    assert!(failure("out.npy", &other.to_file()).contains("the golden has shape [2, 1]"));
}
