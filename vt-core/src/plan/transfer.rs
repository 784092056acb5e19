//! Copies between the host's memory and devices' own.

use std::sync::Arc;

use super::arena::Domain;
use super::memory::{ArenaMemory, Memory};
use super::plan::Plan;
use super::program::{Program, Source};
use super::step::{Copy, Operand, Place};
use crate::memory::DeviceMemory;
use crate::registry::{Device, DeviceStore, Registry};
use crate::{DeviceError, PlanError, RunError, Sizes};

/// By domain and weight, the copies of weights that remote devices read.
pub(crate) type RemoteWeights = Vec<Vec<Option<Arc<dyn DeviceMemory>>>>;

/// Uploads the weights that devices with memory of their own read.
pub(crate) fn upload_weights(
    program: &Program,
    registry: &Registry,
    domains: &[Domain],
) -> Result<RemoteWeights, PlanError> {
    let count = domains.iter().copied().max().unwrap_or(0) + 1;
    let mut copies: RemoteWeights = vec![vec![None; program.weights.len()]; count];
    for node in &program.nodes {
        let device = &registry.devices()[node.device];
        let Some(store) = device.store() else { continue };
        for source in &node.inputs {
            let Source::Weight(i) = *source else { continue };
            let copy = &mut copies[domains[node.device]][i];
            if copy.is_none() {
                let (name, tensor) = &program.weights[i];
                let bytes = tensor.bytes().ok_or_else(|| hidden(&**device, name))?;
                let memory = store.alloc(bytes.len())?;
                store.upload(&*memory, 0, bytes)?;
                *copy = Some(memory);
            }
        }
    }
    Ok(copies)
}

fn hidden(device: &dyn Device, weight: &str) -> DeviceError {
    DeviceError { device: device.name(), message: format!("the host cannot see weight `{weight}`") }
}

/// Copies a value from one memory to another; between two devices through the host.
pub(crate) fn run(plan: &Plan, copy: &Copy, memory: &mut Memory, sizes: Sizes) -> Result<(), RunError> {
    let (from, source) = &copy.from;
    let (to, target) = &copy.to;
    let bytes = source.rows.count(&sizes) * source.row_bytes;
    let mut staging = std::mem::take(&mut memory.staging);
    staging.resize(bytes, 0);
    let result =
        fetch(plan, *from, source, memory, &mut staging).and_then(|()| put(plan, *to, target, memory, &staging));
    memory.staging = staging;
    memory.counters.copies += 1;
    memory.counters.copied_bytes += bytes as u64;
    result
}

fn fetch(plan: &Plan, domain: Domain, operand: &Operand, memory: &Memory, bytes: &mut [u8]) -> Result<(), RunError> {
    match (operand.place, &memory.arenas[domain]) {
        (Place::Input(i), _) => {
            let input = memory.inputs[i];
            // SAFETY: `Memory::enter` noted the pass's inputs, which are borrowed for as long as the pass runs.
            let data = unsafe { std::slice::from_raw_parts(input.start, input.bytes) };
            bytes.copy_from_slice(data);
        }
        (Place::Arena { offset, .. }, ArenaMemory::Host(arena)) => {
            bytes.copy_from_slice(&arena.as_bytes()[offset..offset + bytes.len()]);
        }
        (Place::Arena { offset, .. }, ArenaMemory::Remote(arena)) => {
            let store = store(plan, domain)?;
            store.synchronize()?;
            store.download(&**arena, offset, bytes)?;
        }
        (Place::Weight(_) | Place::State(_), _) => {}
    }
    Ok(())
}

fn put(plan: &Plan, domain: Domain, operand: &Operand, memory: &mut Memory, bytes: &[u8]) -> Result<(), RunError> {
    let Place::Arena { offset, .. } = operand.place else { return Ok(()) };
    match &mut memory.arenas[domain] {
        ArenaMemory::Host(arena) => arena.as_bytes_mut()[offset..offset + bytes.len()].copy_from_slice(bytes),
        ArenaMemory::Remote(arena) => store(plan, domain)?.upload(&**arena, offset, bytes)?,
    }
    Ok(())
}

fn store(plan: &Plan, domain: Domain) -> Result<&dyn DeviceStore, RunError> {
    let device = plan.device_of(domain);
    device
        .and_then(|d| d.store())
        .ok_or_else(|| RunError::Device(DeviceError { device: "host", message: "has no memory of its own".to_owned() }))
}
