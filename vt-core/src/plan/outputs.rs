//! What a pass computed.

use super::memory::{ArenaMemory, Memory};
use super::step::Operand;
use super::step::Place;
use crate::{Elem, Sizes, Tensor, TensorError, View};

/// The graph's outputs after a pass.
#[derive(Debug)]
pub struct Outputs<'m> {
    operands: &'m [Operand],
    sizes: Sizes,
    memory: &'m Memory,
}

impl<'m> Outputs<'m> {
    pub(crate) fn new(operands: &'m [Operand], sizes: Sizes, memory: &'m Memory) -> Self {
        Self { operands, sizes, memory }
    }

    /// The number of outputs.
    pub fn len(&self) -> usize {
        self.operands.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty()
    }

    /// The bytes of output `i`.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn bytes(&self, i: usize) -> &'m [u8] {
        let operand = &self.operands[i];
        let bytes = operand.rows.count(&self.sizes) * operand.row_bytes;
        match (operand.place, &self.memory.arenas[0]) {
            (Place::Arena { offset, .. }, ArenaMemory::Host(arena)) => &arena.as_bytes()[offset..offset + bytes],
            _ => &[],
        }
    }

    /// The rows of output `i`; a block type's in bytes.
    ///
    /// # Errors
    /// If the elements are not `T`.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn rows<T: Elem>(&self, i: usize) -> Result<View<'m, T>, TensorError> {
        let operand = &self.operands[i];
        if !T::fits(operand.dtype) {
            return Err(TensorError::Type { dtype: operand.dtype, wanted: std::any::type_name::<T>() });
        }
        let bytes = self.bytes(i);
        // SAFETY: buffers start at multiples of 64 bytes, and every bit pattern of an `Elem` is a value.
        let data = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) };
        let cols = operand.row_bytes / size_of::<T>();
        Ok(View::new(data, operand.rows.count(&self.sizes), cols, cols))
    }

    /// A copy of output `i`.
    ///
    /// # Errors
    /// If it cannot be made.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn tensor(&self, i: usize) -> Result<Tensor, TensorError> {
        let operand = &self.operands[i];
        let desc = operand.ty.tensor().ok_or(TensorError::NotOnHost)?;
        let shape: Vec<usize> = desc.shape.iter().map(|d| self.sizes.of(*d)).collect();
        Tensor::from_bytes(operand.dtype, &shape, self.bytes(i))
    }
}
