//! How blocks of several rows become vectors with a row in each lane.

use vt_core::View;

use crate::arch::{Ahead, Words};

use super::WeightBlock;

/// A block type whose quants can be unpacked for several rows at once, as many as a vector has lanes. Vectors never pass through closures here (those of
/// `array::map`, say): where the compiler does not choose to inline one, it is compiled for the baseline. The block of each of the `rows`
/// starts at byte `at`.
pub trait RowLanes: WeightBlock {
    /// The same blocks with quants times the scales of their parts, if those products take eight bits; else the type
    /// itself. Worth its multiplications where quants meet many tokens.
    type Folded: RowLanes;

    /// [`Folded`](RowLanes::Folded) if its products take at most seven bits, else the type itself: for tiers whose sums of
    /// products of eight bits cost more.
    type FoldedNarrow: RowLanes;

    /// Whether quants take all eight bits. Where [`Words::SIGNED`], such quants are written without their bias, as signed
    /// bytes.
    const WIDE: bool = false;

    /// What quants without their bias never pass in magnitude.
    const MAGNITUDE: usize;

    /// Hands over the quants, times their parts' scales where the type is [`FOLDED`](WeightBlock::FOLDED), plus [`BIAS`](WeightBlock::BIAS), 0 to 255, sixteen of [`ELEMS`](WeightBlock::ELEMS)
    /// at a time, and returns what else is in the block.
    ///
    /// # Panics
    /// If there are fewer rows than lanes, or a part of the block is outside of them.
    fn quants<V: Words>(v: V, rows: &Rows<'_>, at: usize, to: &mut impl Quants<V>) -> Scales<V>;

    /// [`scale_value`](WeightBlock::scale_value) of the low halves of lanes.
    #[inline(always)]
    fn scale_values<V: Words>(v: V, bits: V::Int) -> V::Float {
        v.halves_to_floats(bits)
    }
}

/// What a block of several rows has beside its quants.
pub struct Scales<V: Words> {
    /// The bits of [`scale`](WeightBlock::scale) in the low half of each lane, and those of
    /// [`offset`](WeightBlock::offset), if the type has one, in the high half.
    pub block: V::Int,
    /// The scales of the block's parts, four bytes of a row in its lane: of part `p` byte `p % 4` of vector `p / 4`.
    pub parts: [V::Int; 4],
    /// The minima, likewise.
    pub minima: [V::Int; 4],
}

impl<V: Words> Scales<V> {
    /// Those of a block without parts.
    #[inline(always)]
    pub(super) fn of_block(v: V, block: V::Int) -> Self {
        Self { block, parts: [v.int(0); 4], minima: [v.int(0); 4] }
    }
}

/// What takes the quants of a block of several rows as they are unpacked.
pub trait Quants<V: Words> {
    /// Elements `16 place .. 16 place + 16`, four of each row as bytes in its lane of each vector. Implementations are
    /// `#[inline(always)]`.
    fn take(&mut self, v: V, place: usize, quants: [V::Int; 4]);
}

/// As many rows of weights as a vector has lanes, and bytes that will be needed later.
pub struct Rows<'a> {
    rows: View<'a, u8>,
    ahead: Ahead<'a>,
}

impl<'a> Rows<'a> {
    /// The rows; `ahead` are asked for step by step while they are read.
    #[inline(always)]
    pub fn new(rows: View<'a, u8>, ahead: &'a [u8]) -> Self {
        Self { rows, ahead: Ahead::new(ahead) }
    }

    /// [`Words::words`], and asks for as much as was read so far of all rows.
    #[inline(always)]
    pub(super) fn words<V: Words>(&self, v: V, at: usize) -> [V::Int; 4] {
        self.ahead.ask((at + 16) * V::ROWS);
        v.words(&self.rows, at)
    }
}

/// The low halves of all bytes.
#[inline(always)]
pub(super) fn low_halves<V: Words>(v: V, x: V::Int) -> V::Int {
    v.and(x, v.int(0x0f0f_0f0f))
}

/// The high halves of all bytes.
#[inline(always)]
pub(super) fn high_halves<V: Words>(v: V, x: V::Int) -> V::Int {
    v.high_halves(x)
}

/// `low`, whose bits there are zeros, with such [`bits`](Words::bits) of `x`.
#[inline(always)]
pub(super) fn with_bits<V: Words>(v: V, low: V::Int, x: V::Int, from: u32, mask: u8) -> V::Int {
    v.insert(low, v.moved(x, from, mask), mask)
}

/// What low and high halves of bytes hold: sixteen elements each, at the two places.
#[inline(always)]
pub(super) fn take_halves<V: Words>(v: V, to: &mut impl Quants<V>, [low, high]: [usize; 2], bytes: [V::Int; 4]) {
    let mut quants = [bytes; 2];
    for k in 0..4 {
        quants[0][k] = low_halves(v, bytes[k]);
        quants[1][k] = high_halves(v, bytes[k]);
    }
    to.take(v, low, quants[0]);
    to.take(v, high, quants[1]);
}

/// The first 16 bytes of Q4_K and Q5_K: scale and offset, then eight scales and minima; as
/// [`packed_scales`](super::kquant::packed_scales).
#[inline(always)]
pub(super) fn packed_parts<V: Words>(v: V, rows: &Rows<'_>, at: usize) -> Scales<V> {
    let [block, scales, minima, low_bits] = rows.words(v, at);
    Scales {
        block,
        parts: join_packed(v, scales, low_halves(v, low_bits)),
        minima: join_packed(v, minima, high_halves(v, low_bits)),
    }
}

#[inline(always)]
fn join_packed<V: Words>(v: V, first: V::Int, low_bits: V::Int) -> [V::Int; 4] {
    let high_bits = v.and(v.shift_right(first, 2), v.int(0x3030_3030));
    [v.and(first, v.int(0x3f3f_3f3f)), v.or(low_bits, high_bits), v.int(0), v.int(0)]
}
