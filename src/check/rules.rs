//! What must hold between ops, their cases and their goldens.

use vt_core::op::OpEntry;
use vt_core::registry::Registry;

use super::expected::agrees;
use super::goldens::{Goldens, MANIFEST};

/// Every way in which ops, cases and goldens do not belong together; nothing if all is well.
///
/// An op has at least a dozen cases of different names, and a folder of goldens; a folder belongs to an op, and a
/// golden to a case whose manifest and inputs are its own.
pub fn violations(registry: &Registry, goldens: &Goldens) -> Vec<String> {
    let known = |op: &&str| registry.ops().iter().any(|e| e.name == *op);
    let orphans = goldens.ops().filter(|op| !known(op)).map(|op| format!("goldens of {op}: no op has this name"));
    orphans.chain(registry.ops().iter().flat_map(|entry| of_op(entry, goldens))).collect()
}

/// The ops, or the one of a name, that have cases without a golden: `gelu (12 of 12 cases)`.
pub fn without_goldens(registry: &Registry, goldens: &Goldens, op: Option<&str>) -> Vec<String> {
    let missing = |entry: &OpEntry| {
        let cases = (entry.cases)();
        let count = cases.iter().filter(|case| goldens.get(entry.name, &case.name).is_none()).count();
        (count > 0).then(|| format!("{} ({count} of {} cases)", entry.name, cases.len()))
    };
    registry.ops().iter().filter(|entry| op.is_none_or(|op| op == entry.name)).filter_map(missing).collect()
}

const FEWEST_CASES: usize = 12;

fn of_op(entry: &OpEntry, goldens: &Goldens) -> Vec<String> {
    let (op, cases) = (entry.name, (entry.cases)());
    let mut found = Vec::new();
    if cases.len() < FEWEST_CASES {
        found.push(format!("{op}: {} cases, at least {FEWEST_CASES} are wanted", cases.len()));
    }
    if !goldens.ops().any(|name| name == op) {
        found.push(format!("{op}: no folder of goldens"));
        return found;
    }
    for (i, case) in cases.iter().enumerate() {
        let name = &case.name;
        if cases.iter().take(i).any(|other| other.name == *name) {
            found.push(format!("{op}: two cases are named {name}"));
        }
        match goldens.get(op, name).filter(|golden| golden.file(MANIFEST).is_some()) {
            None => found.push(format!("{op} {name}: no golden")),
            Some(golden) => found.extend(agrees(case, golden).err().map(|why| format!("{op} {name}: {why}"))),
        }
    }
    let known = |name: &&str| cases.iter().any(|case| case.name == *name);
    found.extend(
        goldens.cases(op).filter(|name| !known(name)).map(|name| format!("{op} {name}: no case has this name")),
    );
    found
}
