//! Reading and writing operands.

use vt::core::kernel::{KernelError, RemoteOperand};

use crate::memory::Buffer;

/// What `look` makes of an operand's bytes. The memory is locked meanwhile: `look` must read or write no other operand,
/// because those of one plan share their memory.
pub(super) fn read<R>(operand: &RemoteOperand<'_>, look: impl FnOnce(&[u8]) -> R) -> Result<R, KernelError> {
    let buffer = Buffer::of(operand.memory)?;
    Ok(buffer.read(operand.offset, operand.bytes(), look)?)
}

/// A copy of an f32 operand.
pub(super) fn floats(operand: &RemoteOperand<'_>) -> Result<Vec<f32>, KernelError> {
    read(operand, |bytes| bytes.as_chunks().0.iter().map(|x| f32::from_ne_bytes(*x)).collect())
}

/// Writes an f32 operand.
pub(super) fn write_floats(operand: &RemoteOperand<'_>, values: &[f32]) -> Result<(), KernelError> {
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_ne_bytes()).collect();
    Ok(Buffer::of(operand.memory)?.write(operand.offset, &bytes)?)
}
