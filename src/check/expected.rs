//! What a case's result should be.

use std::collections::BTreeMap;
use std::sync::Arc;

use vt_core::op::AnyCase;
use vt_core::registry::{Device, KernelInfo, Registry};
use vt_cpu::CPU;

use super::array::{self, NamedArray};
use super::compare::{compare, numbers_of};
use super::digest::digest;
use super::goldens::{Golden, MANIFEST};
use super::manifest;
use super::report::Failure;
use super::runner::{self, NoResult};
use crate::npy::{Array, Kind};

/// The expected outputs by name, and the digest of the defined bits.
#[derive(Debug)]
pub(super) struct Expected {
    arrays: BTreeMap<String, Array>,
    digest: Option<String>,
}

impl Expected {
    /// What the case's golden says.
    pub fn of_golden(case: &AnyCase, golden: &Golden) -> Result<Self, String> {
        agrees(case, golden)?;
        let outputs = golden.names().filter_map(|file| {
            let name = file.strip_suffix(".npy").filter(|name| name.starts_with("out"))?;
            let array = Array::from_file(golden.file(file)?).map_err(|e| format!("{file}: {e}"));
            Some(array.map(|array| (name.to_owned(), array)))
        });
        Ok(Self { arrays: outputs.collect::<Result<_, _>>()?, digest: golden.digest().map(str::to_owned) })
    }

    /// What the reference device's plainest kernel gives, for a case without a golden.
    pub fn of_reference(registry: &Arc<Registry>, case: &AnyCase) -> Result<Self, String> {
        let device = registry.devices().iter().find(|d| d.store().is_none()).ok_or("there is no reference device")?;
        let (_, result) = plainest(registry, &**device, case, |_| true)
            .map_err(|why| format!("there is no golden, and the reference device has no result: {why}"))?;
        let arrays = result.iter().map(|a| Ok((a.name.clone(), exact(a)?))).collect::<Result<_, String>>()?;
        Ok(Self { arrays, digest: Some(digest(&result)) })
    }

    /// Whether the outputs are what is expected.
    pub fn hold(&self, device: &str, case: &AnyCase, outputs: &[NamedArray]) -> Result<(), Failure> {
        self.within_tolerance(case, outputs)?;
        if device != CPU {
            return Ok(());
        }
        let found = digest(outputs);
        match &self.digest {
            Some(expected) if *expected == found => Ok(()),
            Some(expected) => Err(Failure::Bits { expected: expected.clone(), found }),
            None => Err(Failure::Golden("it has no digest: it must be blessed".to_owned())),
        }
    }

    /// Whether the outputs are as near to what is expected as the op's tolerance wants.
    pub fn within_tolerance(&self, case: &AnyCase, outputs: &[NamedArray]) -> Result<(), Failure> {
        for output in outputs {
            let missing = || Failure::Golden(format!("{} is missing: compute it", output.file()));
            compare(case.op.tolerance(), self.arrays.get(&output.name).ok_or_else(missing)?, output)?;
        }
        Ok(())
    }
}

/// The result of the kernel of lowest rank that takes the case, of those that `which` accepts.
pub(super) fn plainest(
    registry: &Arc<Registry>,
    device: &dyn Device,
    case: &AnyCase,
    which: impl Fn(&str) -> bool,
) -> Result<(KernelInfo, Vec<NamedArray>), String> {
    let kernels = runner::kernels(registry, device, case)?;
    let mut refusal = "no kernel".to_owned();
    for kernel in kernels.into_iter().rev().filter(|k| which(&k.name)) {
        match runner::run(registry, device.name(), &kernel, case) {
            Ok(result) => return Ok((kernel, result)),
            Err(NoResult::Refused(why)) => refusal = format!("{}: {why}", kernel.name),
            Err(NoResult::Failed(why)) => return Err(format!("{}: {why}", kernel.name)),
        }
    }
    Err(refusal)
}

/// Whether a golden's manifest and inputs are those of the case.
pub(super) fn agrees(case: &AnyCase, golden: &Golden) -> Result<(), String> {
    if golden.file(MANIFEST) != Some(manifest::text(case)?.as_bytes()) {
        return Err("the manifest is not that of the case: write the inputs again".to_owned());
    }
    let other = |a: &NamedArray| golden.file(&a.file()) != Some(&a.array.to_file());
    match array::inputs(case)?.iter().find(|a| other(a)) {
        Some(input) => Err(format!("{} is not the case's input: write the inputs again", input.file())),
        None => Ok(()),
    }
}

/// A result as a golden holds it: in float64, or in bytes of blocks.
fn exact(found: &NamedArray) -> Result<Array, String> {
    if found.dtype.is_block() {
        return Ok(found.array.clone());
    }
    let numbers = numbers_of(found.dtype, found.array.data());
    let data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    Array::new(Kind::F64, found.array.shape(), data).map_err(|e| e.to_string())
}
