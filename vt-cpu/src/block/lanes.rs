//! How blocks of sixteen rows become vectors with a row in each lane.

use vt_core::View;

use crate::arch::Vector;

use super::WeightBlock;

/// A block type whose quants can be unpacked for sixteen rows at once. Vectors never pass through closures here (those of
/// `array::map`, say): where the compiler does not choose to inline one, it is compiled for the baseline. `rows` are sixteen, and the block of each starts
/// at byte `at`.
pub trait RowLanes: WeightBlock {
    /// Whether quants take all eight bits. Where [`Vector::SIGNED`], such quants are written without their bias, as signed
    /// bytes.
    const WIDE: bool = false;

    /// Writes the quants plus [`BIAS`](WeightBlock::BIAS), 0 to 255, four elements of a row in its lane: those of elements
    /// `4 i .. 4 i + 4` in `out[i]`, of [`ELEMS`](WeightBlock::ELEMS) elements. The result are the bits of
    /// [`scale`](WeightBlock::scale) in the low half of each lane, and those of [`offset`](WeightBlock::offset), if the type
    /// has one, in the high half.
    ///
    /// # Panics
    /// If there are fewer rows than sixteen, or a part of the block is outside of them, or `out` is shorter.
    fn quants<V: Vector>(v: V, rows: &View<'_, u8>, at: usize, out: &mut [[i32; 16]]) -> V::Int;

    /// The scales and the minima of a block's parts, four bytes of a row in its lane: of part `p` byte `p % 4` of vector
    /// `p / 4`. Types of 32 elements have none.
    ///
    /// # Panics
    /// As [`quants`](RowLanes::quants).
    #[inline(always)]
    fn parts<V: Vector>(v: V, _rows: &View<'_, u8>, _at: usize) -> [[V::Int; 4]; 2] {
        [[v.int(0); 4]; 2]
    }
}

/// The low halves of all bytes.
#[inline(always)]
pub(super) fn low_halves<V: Vector>(v: V, x: V::Int) -> V::Int {
    v.and(x, v.int(0x0f0f_0f0f))
}

/// The high halves of all bytes.
#[inline(always)]
pub(super) fn high_halves<V: Vector>(v: V, x: V::Int) -> V::Int {
    low_halves(v, v.shift_right(x, 4))
}

/// Bits `from .. from + mask's` of all bytes, moved to where `mask`, the same in each byte, has ones.
#[inline(always)]
pub(super) fn bits<V: Vector>(v: V, x: V::Int, from: u32, mask: u8) -> V::Int {
    let to = mask.trailing_zeros();
    let moved = if from >= to { v.shift_right(x, from - to) } else { v.shift_left(x, to - from) };
    v.and(moved, v.int(i32::from_le_bytes([mask; 4])))
}

/// Writes four elements of each row: the `k`th four of the `place`th sixteen of a block.
#[inline(always)]
pub(super) fn store<V: Vector>(v: V, out: &mut [[i32; 16]], (place, k): (usize, usize), quants: V::Int) {
    v.store_ints(quants, &mut out[4 * place + k]);
}

/// Writes what low and high halves of bytes hold: sixteen elements each, at the two places.
#[inline(always)]
pub(super) fn store_halves<V: Vector>(v: V, out: &mut [[i32; 16]], [low, high]: [usize; 2], bytes: [V::Int; 4]) {
    for k in 0..4 {
        store(v, out, (low, k), low_halves(v, bytes[k]));
        store(v, out, (high, k), high_halves(v, bytes[k]));
    }
}

/// The eight scales and minima in the 12 bytes of Q4_K and Q5_K that start at `at + 4`; as
/// [`packed_scales`](super::kquant::packed_scales).
#[inline(always)]
pub(super) fn packed_parts<V: Vector>(v: V, rows: &View<'_, u8>, at: usize) -> [[V::Int; 4]; 2] {
    let [_, scales, minima, low_bits] = v.words(rows, at);
    [join_packed(v, scales, low_halves(v, low_bits)), join_packed(v, minima, high_halves(v, low_bits))]
}

#[inline(always)]
fn join_packed<V: Vector>(v: V, first: V::Int, low_bits: V::Int) -> [V::Int; 4] {
    let high_bits = v.and(v.shift_right(first, 2), v.int(0x3030_3030));
    [v.and(first, v.int(0x3f3f_3f3f)), v.or(low_bits, high_bits), v.int(0), v.int(0)]
}
