//! Vectors of sixteen 32-bit lanes, for kernels that need an instruction which the compiler does not find by itself.

use vt_core::View;

use super::Isa;
use crate::block::RowLanes;

/// A tier with vectors of sixteen lanes, in one register or more, and dot products of bytes. The methods are instructions, inlined into the
/// tier's [`perform`](Isa::perform): elsewhere they are right, but slow.
pub trait Vector: Isa {
    /// Sixteen `i32`, or 64 bytes, or 32 `i16`.
    type Int: Copy;
    /// Sixteen `f32`.
    type Float: Copy;

    /// The form in which panels hold blocks.
    type InPanels<W: RowLanes>: RowLanes;

    /// Whether bytes that take all eight bits are best multiplied as signed ones.
    const SIGNED: bool;

    /// The lanes of an array.
    fn ints(self, lanes: &[i32; 16]) -> Self::Int;
    /// All lanes alike.
    fn int(self, x: i32) -> Self::Int;
    /// Writes the lanes.
    fn store_ints(self, x: Self::Int, lanes: &mut [i32; 16]);
    /// The lanes of an array.
    fn floats(self, lanes: &[f32; 16]) -> Self::Float;
    /// All lanes alike.
    fn float(self, x: f32) -> Self::Float;
    /// Writes the lanes.
    fn store_floats(self, x: Self::Float, lanes: &mut [f32; 16]);

    /// Bytes `at .. at + 16` of sixteen rows: lane `r` of vector `i` has bytes `4 i .. 4 i + 4` of row `r`.
    ///
    /// # Panics
    /// If there are fewer rows, or they are shorter.
    fn words(self, rows: &View<'_, u8>, at: usize) -> [Self::Int; 4];

    /// Bitwise.
    fn and(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// Bitwise.
    fn or(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// Bitwise.
    fn xor(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// Each lane's bits moved up by `by`, zeros behind them.
    fn shift_left(self, x: Self::Int, by: u32) -> Self::Int;
    /// Each lane's bits moved down by `by`, zeros before them.
    fn shift_right(self, x: Self::Int, by: u32) -> Self::Int;
    /// Each lane, as a signed number, over two to the power of `by`, rounded down.
    fn shift_right_signed(self, x: Self::Int, by: u32) -> Self::Int;
    /// Byte `byte` of each lane in all four of its bytes.
    fn byte_in_bytes(self, x: Self::Int, byte: usize) -> Self::Int;
    /// Byte `byte` of each lane, unsigned, in both of its halves.
    fn byte_in_halves(self, x: Self::Int, byte: usize) -> Self::Int;
    /// Four bits of each lane, one for each of its bytes: byte `j` has bit `first + j` of the lane, a multiple of 4, as
    /// its bit 4, and else zeros.
    fn fifth_bits(self, x: Self::Int, first: u32) -> Self::Int;

    /// The table's entries at the places that the bytes say: each is below 16.
    fn look_up(self, table: &[u8; 16], x: Self::Int) -> Self::Int;

    /// `sum + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3` in each lane, of the unsigned bytes of `a`, at most 127 where
    /// [`SIGNED`](Vector::SIGNED), and the signed ones of `b`. Wraps.
    fn dot_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The same of signed bytes.
    fn dot_signed_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum + a0 * b0 + a1 * b1` in each lane, of signed halves. Wraps.
    fn dot_halves(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The sums of lanes. Wraps.
    fn add_ints(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The sums of bytes. Wraps.
    fn add_bytes(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The low halves of the products of halves.
    fn multiply_halves(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// `sum + a * b`. Wraps.
    fn multiply_add_ints(self, a: Self::Int, b: Self::Int, sum: Self::Int) -> Self::Int;
    /// The nearest floats, ties to even.
    fn to_floats(self, x: Self::Int) -> Self::Float;
    /// The half-precision numbers in the low halves.
    fn halves_to_floats(self, x: Self::Int) -> Self::Float;
    /// The floats that have these bits.
    fn bits_to_floats(self, x: Self::Int) -> Self::Float;
    /// `a + b`.
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b`.
    fn multiply(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b + sum`, rounded once.
    fn multiply_add(self, a: Self::Float, b: Self::Float, sum: Self::Float) -> Self::Float;
}
