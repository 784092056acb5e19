//! Vectors of 32-bit lanes with a weight row in each, for unpacking blocks of several rows at once.

use vt_core::View;

use super::Isa;

/// A tier with such vectors, in one register or more. The methods are instructions, inlined into the tier's
/// [`perform`](Isa::perform): elsewhere they are right, but slow.
pub trait Words: Isa {
    /// Weight rows in a vector.
    const ROWS: usize;

    /// An `i32` a lane, or four bytes, or two `i16`.
    type Int: Copy;
    /// An `f32` a lane.
    type Float: Copy;

    /// Whether bytes that take all eight bits are best multiplied as signed ones.
    const SIGNED: bool;

    /// All lanes alike.
    fn int(self, x: i32) -> Self::Int;

    /// Bytes `at .. at + 16` of as many rows as there are lanes: lane `r` of vector `i` has bytes `4 i .. 4 i + 4` of row `r`.
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
    /// Bits `from ..` of all bytes, moved to where `mask`, the same in each byte, has ones.
    #[inline(always)]
    fn bits(self, x: Self::Int, from: u32, mask: u8) -> Self::Int {
        self.and(self.moved(x, from, mask), self.int(i32::from_le_bytes([mask; 4])))
    }
    /// The same, with anything where `mask` has zeros.
    #[inline(always)]
    fn moved(self, x: Self::Int, from: u32, mask: u8) -> Self::Int {
        let to = mask.trailing_zeros();
        if from >= to { self.shift_right(x, from - to) } else { self.shift_left(x, to - from) }
    }
    /// The high halves of all bytes.
    #[inline(always)]
    fn high_halves(self, x: Self::Int) -> Self::Int {
        self.bits(x, 4, 15)
    }
    /// Byte `byte` of each lane in all four of its bytes.
    fn byte_in_bytes(self, x: Self::Int, byte: usize) -> Self::Int;
    /// Byte `byte` of each lane, unsigned, in both of its halves.
    fn byte_in_halves(self, x: Self::Int, byte: usize) -> Self::Int;
    /// Four bits of each lane, one for each of its bytes: byte `j` has bit `first + j` of the lane, a multiple of 4, as
    /// its bit 4, and else zeros.
    fn fifth_bits(self, x: Self::Int, first: u32) -> Self::Int;

    /// `x`, whose bits there are zeros, with those of `bits` where `mask`, the same in each byte, has ones.
    #[inline(always)]
    fn insert(self, x: Self::Int, bits: Self::Int, mask: u8) -> Self::Int {
        self.or(x, self.and(bits, self.int(i32::from_le_bytes([mask; 4]))))
    }
    /// `x`, whose bytes are below 16, with [`fifth_bits`](Words::fifth_bits).
    #[inline(always)]
    fn insert_fifth_bits(self, x: Self::Int, bits: Self::Int, first: u32) -> Self::Int {
        self.or(x, self.fifth_bits(bits, first))
    }

    /// The table's entries at the places that the bytes say: each is below 16.
    fn look_up(self, table: &[u8; 16], x: Self::Int) -> Self::Int;

    /// The sums of lanes. Wraps.
    fn add_ints(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The sums of bytes. Wraps.
    fn add_bytes(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The low halves of the products of halves.
    fn multiply_halves(self, a: Self::Int, b: Self::Int) -> Self::Int;
    /// The half-precision numbers in the low halves.
    fn halves_to_floats(self, x: Self::Int) -> Self::Float;
    /// The floats that have these bits.
    fn bits_to_floats(self, x: Self::Int) -> Self::Float;
}
