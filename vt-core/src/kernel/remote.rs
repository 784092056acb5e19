//! What a kernel of a device with memory of its own sees.

use crate::DType;
use crate::memory::DeviceMemory;

/// Where an operand lies in a device's memory: the whole operand, whatever the tile and what the kernel needs of it.
///
/// The operands of a step usually share one block of memory: hold no lock on it for one while taking it for another.
#[derive(Clone, Copy, Debug)]
pub struct RemoteOperand<'a> {
    /// The memory.
    pub memory: &'a dyn DeviceMemory,
    /// Its first byte in it.
    pub offset: usize,
    /// The type of its elements.
    pub dtype: DType,
    /// Its rows, in this pass.
    pub rows: usize,
    /// The elements in a row.
    pub cols: usize,
    /// The bytes in a row; rows follow each other without gaps.
    pub row_bytes: usize,
}

impl RemoteOperand<'_> {
    /// The bytes of the operand, in this pass.
    pub fn bytes(&self) -> usize {
        self.rows * self.row_bytes
    }
}
