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

    /// Words that each word of a token takes in its column.
    const SPREAD: usize = 1;

    /// Whether sums of products are halves of 16 bits at first.
    const HALVES: bool = false;

    /// The form in which panels hold blocks.
    type InPanels<W: RowLanes>: RowLanes;

    /// Eight elements of four rows, two words of each, as [`add_dots`](Quads::add_dots) takes them.
    fn arrange(self, words: [Self::Int; 2]) -> [Self::Int; 2];

    /// Words of token `t`, from its word `from` on, as [`add_dots`](Quads::add_dots) takes them: at their places in its column.
    fn put_words<const N: usize>(words: [i32; N], from: usize, t: usize, column: &mut [i32]);

    /// One value of each of four rows, as registers of sums have them: [`TOKENS`](Quads::TOKENS) of them.
    fn store_rows(self, rows: Self::Int, to: &mut [Quad]);

    /// One value of each of a column's tokens, likewise.
    fn tokens(self, tokens: &[i32]) -> Self::Float;

    /// The sums of a column's tokens with eight rows each, token after token, as bits.
    fn load_sums<const R: usize>(self, sums: &[Quad; R]) -> [Self::Float; R];

    /// And back.
    fn store_sums<const R: usize>(self, column: &[Self::Float; R], sums: &mut [Quad; R]);

    /// Adds the products of eight rows of signed bytes, four registers for eight elements, and of tokens. So many products as
    /// `fit`, a power of two, have a sum of no more than 15 bits and a sign.
    fn add_dots<const R: usize, const T: usize>(
        self,
        sums: &Sums<Self::Int, R, T>,
        rows: &[Quad],
        tokens: &[&[Quad]; T],
        fit: usize,
    ) -> Sums<Self::Int, R, T>;

    /// Words of a token as [`add_words`](Quads::add_words) takes them.
    fn spread_words<const N: usize>(words: [i32; N], to: &mut [i32]);

    /// Adds to each lane the products of its signed bytes in each of two or four registers with those of a token's word. So many
    /// products as `fit` have a sum of no more than 15 bits and a sign.
    fn add_words<const N: usize>(self, sum: Self::Int, rows: [Self::Int; N], token: &[Quad], fit: usize) -> Self::Int;

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

/// What tiers with dot products of bytes compute alike: four words in a register.
macro_rules! words_by_lanes {
    () => {
        #[inline(always)]
        fn spread_words<const N: usize>(words: [i32; N], to: &mut [i32]) {
            to.copy_from_slice(&words);
        }

        #[inline(always)]
        fn add_words<const N: usize>(
            self,
            sum: int32x4_t,
            rows: [int32x4_t; N],
            token: &[Quad],
            _: usize,
        ) -> int32x4_t {
            const { assert!(N == 2 || N == 4) };
            let words = self.load(&token[0]);
            // SAFETY: the token proves that the processor has the instructions.
            unsafe {
                let sum = dot_bytes::<1>(dot_bytes::<0>(sum, rows[0], words), rows[1], words);
                if N == 2 { sum } else { dot_bytes::<3>(dot_bytes::<2>(sum, rows[N - 2], words), rows[N - 1], words) }
            }
        }
    };
}

pub(super) use {one_token_a_column, quads_alike, words_by_lanes};
