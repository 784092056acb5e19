//! Vectors of sixteen 32-bit lanes, for kernels that need an instruction which the compiler does not find by itself.

use super::Words;
use crate::block::RowLanes;

/// A tier with vectors of sixteen lanes, in one register or more, and dot products of bytes. The methods are instructions, inlined into the
/// tier's [`perform`](super::Isa::perform): elsewhere they are right, but slow.
pub trait Vector: Words {
    /// The form in which panels hold blocks.
    type InPanels<W: RowLanes>: RowLanes;

    /// The lanes of an array.
    fn ints(self, lanes: &[i32; 16]) -> Self::Int;
    /// Writes the lanes.
    fn store_ints(self, x: Self::Int, lanes: &mut [i32; 16]);
    /// The lanes of an array.
    fn floats(self, lanes: &[f32; 16]) -> Self::Float;
    /// All lanes alike.
    fn float(self, x: f32) -> Self::Float;
    /// Writes the lanes.
    fn store_floats(self, x: Self::Float, lanes: &mut [f32; 16]);

    /// `sum + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3` in each lane, of the unsigned bytes of `a`, at most 127 where
    /// [`SIGNED`](Words::SIGNED), and the signed ones of `b`. Wraps.
    fn dot_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The same of signed bytes.
    fn dot_signed_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum + a0 * b0 + a1 * b1` in each lane, of signed halves. Wraps.
    fn dot_halves(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum + a * b`. Wraps.
    fn multiply_add_ints(self, a: Self::Int, b: Self::Int, sum: Self::Int) -> Self::Int;
    /// The nearest floats, ties to even.
    fn to_floats(self, x: Self::Int) -> Self::Float;
    /// `a + b`.
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b`.
    fn multiply(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b + sum`, rounded once.
    fn multiply_add(self, a: Self::Float, b: Self::Float, sum: Self::Float) -> Self::Float;
}
