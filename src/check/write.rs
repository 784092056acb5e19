//! Writing goldens: the inputs of cases, and the digests of the defined results.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vt_core::op::{AnyCase, OpEntry};
use vt_core::registry::Registry;
use vt_cpu::CPU;

use super::array;
use super::digest::digest;
use super::expected::{Expected, plainest};
use super::goldens::{DIGEST, GoldenError, Goldens, MANIFEST};
use super::manifest;
use super::report::{Check, Failure, Outcome, Report};

/// Kernels of the CPU whose source defines the result have names that start with this.
const DEFINITION: &str = "portable";

/// Writes manifest and inputs of every case, of one op or of all, to `dir/<op>/<case>/`; the number of cases.
///
/// Outputs and digests stay as they are; `goldens/make.py` and [`bless`] make them.
///
/// # Errors
/// If there is no such op, a case has no data, or a file cannot be written.
pub fn write_inputs(registry: &Registry, dir: &Path, op: Option<&str>) -> Result<usize, GoldenError> {
    let mut count = 0;
    for entry in entries(registry, op)? {
        for case in (entry.cases)() {
            write_case(&dir.join(entry.name).join(&case.name), &case)?;
            count += 1;
        }
    }
    Ok(count)
}

fn write_case(dir: &Path, case: &AnyCase) -> Result<(), GoldenError> {
    let bad = |message| GoldenError::Case { op: case.op.name().to_owned(), case: case.name.clone(), message };
    fs::create_dir_all(dir).map_err(GoldenError::at(dir))?;
    write_file(dir.join(MANIFEST), manifest::text(case).map_err(bad)?.as_bytes())?;
    for input in array::inputs(case).map_err(bad)? {
        write_file(dir.join(input.file()), &input.array.to_file())?;
    }
    Ok(())
}

/// Writes the digest of what the portable kernels of device `cpu` give for every golden in `dir`, of one op or of all.
///
/// A result outside the op's tolerance is reported as a failure, and gets no digest.
///
/// # Errors
/// If there is no such op or device, or a file cannot be read or written.
pub fn bless(registry: &Arc<Registry>, dir: &Path, op: Option<&str>) -> Result<Report, GoldenError> {
    let goldens = Goldens::read(dir)?;
    let mut report = Report::default();
    for entry in entries(registry, op)? {
        for case in (entry.cases)() {
            let (kernel, blessed) = defined(registry, &goldens, &case);
            if let Ok(digest) = &blessed {
                let path = dir.join(entry.name).join(&case.name).join(DIGEST);
                write_file(path, format!("{digest}\n").as_bytes())?;
            }
            let outcome = blessed.map_or_else(Outcome::Failed, |_| Outcome::Passed);
            report.checks.push(Check { op: entry.name, case: case.name, device: CPU, kernel, outcome });
        }
    }
    Ok(report)
}

/// The portable kernel for a case, and the digest of its result.
fn defined(registry: &Arc<Registry>, goldens: &Goldens, case: &AnyCase) -> (String, Result<String, Failure>) {
    let golden = goldens.get(case.op.name(), &case.name).ok_or("there is none: write the inputs");
    let expected = match golden.map_err(str::to_owned).and_then(|g| Expected::of_golden(case, g)) {
        Ok(expected) => expected,
        Err(why) => return (String::new(), Err(Failure::Golden(why))),
    };
    let cpu = registry.devices().iter().find(|d| d.name() == CPU).ok_or_else(|| format!("no device is named `{CPU}`"));
    match cpu.and_then(|cpu| plainest(registry, &**cpu, case, |name| name.starts_with(DEFINITION))) {
        Ok((kernel, outputs)) => (kernel.name, expected.within_tolerance(case, &outputs).map(|()| digest(&outputs))),
        Err(why) => (String::new(), Err(Failure::Error(why))),
    }
}

fn entries<'a>(registry: &'a Registry, op: Option<&str>) -> Result<Vec<&'a OpEntry>, GoldenError> {
    let list: Vec<_> = registry.ops().iter().filter(|e| op.is_none_or(|name| name == e.name)).collect();
    match op {
        Some(name) if list.is_empty() => Err(GoldenError::NoOp(name.to_owned())),
        _ => Ok(list),
    }
}

fn write_file(path: PathBuf, bytes: &[u8]) -> Result<(), GoldenError> {
    fs::write(&path, bytes).map_err(GoldenError::at(&path))
}
