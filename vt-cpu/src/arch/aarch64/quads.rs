//! Tiles of eight weight rows, in quads of four, and a few tokens: what the tiers compute differently, and what they
//! compute alike.

use crate::arch::Words;
use crate::block::RowLanes;

/// Sums of a tile, in R registers for each of T columns: a column is a token, or, where two rows meet two tokens in a register,
/// two.
pub type Sums<V, const R: usize, const T: usize> = [[V; R]; T];

/// Four lanes in memory.
pub type Quad = [i32; 4];

/// A tier with products of bytes. The methods are instructions, inlined into the tier's
/// [`perform`](crate::arch::Isa::perform): elsewhere they are right, but slow.
pub trait Quads: Words {
    /// Tokens of a column.
    const TOKENS: usize;

    /// The form in which panels hold blocks.
    type InPanels<W: RowLanes>: RowLanes;

    /// Eight elements of four rows, two words of each, as [`add_dots`](Quads::add_dots) takes them.
    fn arrange(self, words: [Self::Int; 2]) -> [Self::Int; 2];

    /// One value of each of four rows, as registers of sums have them: [`TOKENS`](Quads::TOKENS) of them.
    fn store_rows(self, rows: Self::Int, to: &mut [Quad]);

    /// One value of each of a column's tokens, likewise.
    fn tokens(self, tokens: &[i32]) -> Self::Float;

    /// The sums of a column's tokens with eight rows each, token after token, as bits.
    fn load_sums<const R: usize>(self, sums: &[Quad; R]) -> [Self::Float; R];

    /// And back.
    fn store_sums<const R: usize>(self, column: &[Self::Float; R], sums: &mut [Quad; R]);

    /// Adds the products of eight rows of signed bytes, four registers for eight elements, and of tokens, whose elements
    /// alternate by eight where a column has two. `most` is the greatest magnitude of the rows' bytes.
    fn add_dots<const R: usize, const T: usize>(
        self,
        sums: &Sums<Self::Int, R, T>,
        rows: &[Quad],
        tokens: &[&[Quad]; T],
        most: usize,
    ) -> Sums<Self::Int, R, T>;

    /// Lanes from memory.
    fn load(self, lanes: &Quad) -> Self::Int;
    /// Lanes to memory.
    fn store(self, x: Self::Int, lanes: &mut Quad);
    /// The bits of floats.
    fn bits(self, x: Self::Float) -> Self::Int;
    /// `sum + a * b`. Wraps.
    fn multiply_add_ints(self, a: Self::Int, b: Self::Int, sum: Self::Int) -> Self::Int;
    /// The nearest floats, ties to even.
    fn to_floats(self, x: Self::Int) -> Self::Float;
    /// `a * b`.
    fn multiply(self, a: Self::Float, b: Self::Float) -> Self::Float;
    /// `a * b + sum`, rounded once.
    fn multiply_add(self, a: Self::Float, b: Self::Float, sum: Self::Float) -> Self::Float;
}

/// What all tiers compute alike.
macro_rules! quads_alike {
    () => {
        #[inline(always)]
        fn load(self, lanes: &Quad) -> int32x4_t {
            // SAFETY: the address is that of four lanes.
            unsafe { vld1q_s32(lanes.as_ptr()) }
        }

        #[inline(always)]
        fn store(self, x: int32x4_t, lanes: &mut Quad) {
            // SAFETY: as above.
            unsafe { vst1q_s32(lanes.as_mut_ptr(), x) }
        }

        #[inline(always)]
        fn bits(self, x: float32x4_t) -> int32x4_t {
            // SAFETY: the token proves that the processor has the instructions.
            unsafe { vreinterpretq_s32_f32(x) }
        }

        #[inline(always)]
        fn multiply_add_ints(self, a: int32x4_t, b: int32x4_t, sum: int32x4_t) -> int32x4_t {
            // SAFETY: as above.
            unsafe { vmlaq_s32(sum, a, b) }
        }

        #[inline(always)]
        fn to_floats(self, x: int32x4_t) -> float32x4_t {
            // SAFETY: as above.
            unsafe { vcvtq_f32_s32(x) }
        }

        #[inline(always)]
        fn multiply(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
            // SAFETY: as above.
            unsafe { vmulq_f32(a, b) }
        }

        #[inline(always)]
        fn multiply_add(self, a: float32x4_t, b: float32x4_t, sum: float32x4_t) -> float32x4_t {
            // SAFETY: as above.
            unsafe { vfmaq_f32(sum, a, b) }
        }
    };
}

/// What tiers with a token in a column compute alike: four rows in a register.
macro_rules! one_token_a_column {
    () => {
        const TOKENS: usize = 1;

        #[inline(always)]
        fn arrange(self, words: [int32x4_t; 2]) -> [int32x4_t; 2] {
            words
        }

        #[inline(always)]
        fn store_rows(self, rows: int32x4_t, to: &mut [Quad]) {
            self.store(rows, &mut to[0]);
        }

        #[inline(always)]
        fn tokens(self, tokens: &[i32]) -> float32x4_t {
            // SAFETY: the token proves that the processor has the instruction.
            unsafe { vdupq_n_f32(f32::from_bits(tokens[0] as u32)) }
        }

        #[inline(always)]
        fn load_sums<const R: usize>(self, sums: &[Quad; R]) -> [float32x4_t; R] {
            let mut column = [self.bits_to_floats(self.int(0)); R];
            for r in 0..R {
                column[r] = self.bits_to_floats(self.load(&sums[r]));
            }
            column
        }

        #[inline(always)]
        fn store_sums<const R: usize>(self, column: &[float32x4_t; R], sums: &mut [Quad; R]) {
            for r in 0..R {
                self.store(self.bits(column[r]), &mut sums[r]);
            }
        }
    };
}

pub(super) use {one_token_a_column, quads_alike};
