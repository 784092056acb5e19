//! The tier's vectors: pairs of registers of 256 bits, the first with lanes 0 to 7.

use core::arch::x86_64::*;

use vt_core::View;

use super::Avx2;
use crate::arch::x86_64::{IN_BYTES, IN_HALVES, sixteen_rows};
use crate::arch::{Vector, Words};
use crate::block::RowLanes;

/// Two registers.
#[derive(Clone, Copy)]
pub struct Pair<T>(T, T);

/// One instruction on both registers of pairs.
macro_rules! both {
    ($instruction:ident($a:expr)) => {{
        let a = $a;
        // SAFETY: the caller's token proves that the processor has the instruction.
        unsafe { Pair($instruction(a.0), $instruction(a.1)) }
    }};
    ($instruction:ident($a:expr, $b:expr)) => {{
        let (a, b) = ($a, $b);
        // SAFETY: as above.
        unsafe { Pair($instruction(a.0, b.0), $instruction(a.1, b.1)) }
    }};
    ($instruction:ident($a:expr, $b:expr, $c:expr)) => {{
        let (a, b, c) = ($a, $b, $c);
        // SAFETY: as above.
        unsafe { Pair($instruction(a.0, b.0, c.0), $instruction(a.1, b.1, c.1)) }
    }};
}

/// One value in both registers.
macro_rules! same {
    ($value:expr) => {{
        // SAFETY: as above.
        let value = unsafe { $value };
        Pair(value, value)
    }};
}

impl Words for Avx2 {
    const ROWS: usize = 16;

    type Int = Pair<__m256i>;
    type Float = Pair<__m256>;

    const SIGNED: bool = true;

    #[inline(always)]
    fn int(self, x: i32) -> Self::Int {
        same!(_mm256_set1_epi32(x))
    }

    #[inline(always)]
    fn words(self, rows: &View<'_, u8>, at: usize) -> [Self::Int; 4] {
        let (base, stride) = sixteen_rows(rows, at);
        // SAFETY: `sixteen_rows` checked that they have sixteen bytes there.
        let (low, high) = unsafe { (eight_rows(base, stride), eight_rows(base.add(8 * stride), stride)) };
        [Pair(low[0], high[0]), Pair(low[1], high[1]), Pair(low[2], high[2]), Pair(low[3], high[3])]
    }

    #[inline(always)]
    fn and(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_and_si256(a, b))
    }

    #[inline(always)]
    fn or(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_or_si256(a, b))
    }

    #[inline(always)]
    fn xor(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_xor_si256(a, b))
    }

    #[inline(always)]
    fn shift_left(self, x: Self::Int, by: u32) -> Self::Int {
        both!(_mm256_sllv_epi32(x, self.int(by as i32)))
    }

    #[inline(always)]
    fn shift_right(self, x: Self::Int, by: u32) -> Self::Int {
        both!(_mm256_srlv_epi32(x, self.int(by as i32)))
    }

    #[inline(always)]
    fn shift_right_signed(self, x: Self::Int, by: u32) -> Self::Int {
        both!(_mm256_srav_epi32(x, self.int(by as i32)))
    }

    #[inline(always)]
    fn byte_in_bytes(self, x: Self::Int, byte: usize) -> Self::Int {
        spread(x, byte, &IN_BYTES)
    }

    #[inline(always)]
    fn byte_in_halves(self, x: Self::Int, byte: usize) -> Self::Int {
        spread(x, byte, &IN_HALVES)
    }

    #[inline(always)]
    fn fifth_bits(self, x: Self::Int, first: u32) -> Self::Int {
        // Each byte takes the byte of its lane that has its bit, and keeps the bit.
        let byte = (first / 8) as u8;
        let lane = |i: u8| i32::from_le_bytes([4 * i + byte; 4]);
        let mask = self.int(i32::from_le_bytes([1, 2, 4, 8]) << (first % 8));
        let select = same!(_mm256_setr_epi32(lane(0), lane(1), lane(2), lane(3), lane(0), lane(1), lane(2), lane(3)));
        let bits = self.and(both!(_mm256_shuffle_epi8(x, select)), mask);
        self.and(both!(_mm256_cmpeq_epi8(bits, mask)), self.int(0x1010_1010))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 16], x: Self::Int) -> Self::Int {
        let table = same!(_mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())));
        both!(_mm256_shuffle_epi8(table, x))
    }

    #[inline(always)]
    fn add_ints(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn add_bytes(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_add_epi8(a, b))
    }

    #[inline(always)]
    fn multiply_halves(self, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn bits_to_floats(self, x: Self::Int) -> Self::Float {
        both!(_mm256_castsi256_ps(x))
    }

    #[inline(always)]
    fn halves_to_floats(self, x: Self::Int) -> Self::Float {
        let low = self.and(x, self.int(0xffff));
        // SAFETY: the token proves that the processor has the instructions.
        unsafe {
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low.0, low.1));
            let [first, second] = [_mm256_castsi256_si128(packed), _mm256_extracti128_si256::<1>(packed)];
            Pair(_mm256_cvtph_ps(first), _mm256_cvtph_ps(second))
        }
    }
}

impl Vector for Avx2 {
    /// Products of all eight bits cost this tier more than such a form gains.
    type InPanels<W: RowLanes> = W::FoldedNarrow;

    #[inline(always)]
    fn ints(self, lanes: &[i32; 16]) -> Self::Int {
        let [low, high] = lanes.as_chunks::<8>().0 else { unreachable!("sixteen lanes") };
        // SAFETY: the addresses are those of eight lanes each.
        unsafe { Pair(_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store_ints(self, x: Self::Int, lanes: &mut [i32; 16]) {
        let [low, high] = lanes.as_chunks_mut::<8>().0 else { unreachable!("sixteen lanes") };
        // SAFETY: as in `ints`.
        unsafe {
            _mm256_storeu_si256(low.as_mut_ptr().cast(), x.0);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), x.1);
        }
    }

    #[inline(always)]
    fn floats(self, lanes: &[f32; 16]) -> Self::Float {
        let [low, high] = lanes.as_chunks::<8>().0 else { unreachable!("sixteen lanes") };
        // SAFETY: as in `ints`.
        unsafe { Pair(_mm256_loadu_ps(low.as_ptr()), _mm256_loadu_ps(high.as_ptr())) }
    }

    #[inline(always)]
    fn float(self, x: f32) -> Self::Float {
        same!(_mm256_set1_ps(x))
    }

    #[inline(always)]
    fn store_floats(self, x: Self::Float, lanes: &mut [f32; 16]) {
        let [low, high] = lanes.as_chunks_mut::<8>().0 else { unreachable!("sixteen lanes") };
        // SAFETY: as in `ints`.
        unsafe {
            _mm256_storeu_ps(low.as_mut_ptr(), x.0);
            _mm256_storeu_ps(high.as_mut_ptr(), x.1);
        }
    }

    /// Pairs of products are summed in halves, which bytes of seven bits do not overflow.
    #[inline(always)]
    fn dot_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int {
        let pairs = both!(_mm256_maddubs_epi16(a, b));
        both!(_mm256_add_epi32(sum, both!(_mm256_madd_epi16(pairs, self.int(0x0001_0001)))))
    }

    /// In halves, the even bytes and the odd ones: what is done to `b` serves all rows, and what is done to `a` all tokens.
    #[inline(always)]
    fn dot_signed_bytes(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int {
        let even = both!(_mm256_madd_epi16(even_bytes(a), even_bytes(b)));
        let odd = both!(_mm256_madd_epi16(odd_bytes(a), odd_bytes(b)));
        both!(_mm256_add_epi32(both!(_mm256_add_epi32(sum, even)), odd))
    }

    #[inline(always)]
    fn dot_halves(self, sum: Self::Int, a: Self::Int, b: Self::Int) -> Self::Int {
        both!(_mm256_add_epi32(sum, both!(_mm256_madd_epi16(a, b))))
    }

    #[inline(always)]
    fn multiply_add_ints(self, a: Self::Int, b: Self::Int, sum: Self::Int) -> Self::Int {
        both!(_mm256_add_epi32(sum, both!(_mm256_mullo_epi32(a, b))))
    }

    #[inline(always)]
    fn to_floats(self, x: Self::Int) -> Self::Float {
        both!(_mm256_cvtepi32_ps(x))
    }

    #[inline(always)]
    fn add(self, a: Self::Float, b: Self::Float) -> Self::Float {
        both!(_mm256_add_ps(a, b))
    }

    #[inline(always)]
    fn multiply(self, a: Self::Float, b: Self::Float) -> Self::Float {
        both!(_mm256_mul_ps(a, b))
    }

    #[inline(always)]
    fn multiply_add(self, a: Self::Float, b: Self::Float, sum: Self::Float) -> Self::Float {
        both!(_mm256_fmadd_ps(a, b, sum))
    }
}

/// Within each half of the registers, the bytes that the indices give when `byte` is added to them.
#[inline(always)]
fn spread(x: Pair<__m256i>, byte: usize, indices: &[i8; 16]) -> Pair<__m256i> {
    // SAFETY: sixteen bytes are read from an array of them.
    let indices = same!(_mm256_broadcastsi128_si256(_mm_loadu_si128(indices.as_ptr().cast())));
    let select = both!(_mm256_add_epi8(indices, same!(_mm256_set1_epi8(byte as i8))));
    both!(_mm256_shuffle_epi8(x, select))
}

/// The even bytes as halves.
#[inline(always)]
fn even_bytes(x: Pair<__m256i>) -> Pair<__m256i> {
    odd_bytes(both!(shift_up_byte(x)))
}

/// The odd bytes as halves.
#[inline(always)]
fn odd_bytes(x: Pair<__m256i>) -> Pair<__m256i> {
    both!(shift_down_byte(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn shift_up_byte(x: __m256i) -> __m256i {
    _mm256_slli_epi16::<8>(x)
}

#[inline]
#[target_feature(enable = "avx2")]
fn shift_down_byte(x: __m256i) -> __m256i {
    _mm256_srai_epi16::<8>(x)
}

/// Two rows, four apart, side by side in one register, and then 4 x 4 lanes transposed within its halves.
///
/// # Safety
/// Sixteen bytes can be read from each of the eight rows.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn eight_rows(base: *const u8, stride: usize) -> [__m256i; 4] {
    let row = |r: usize| {
        // SAFETY: as the caller says.
        unsafe { _mm_loadu_si128(base.add(r * stride).cast()) }
    };
    let mut two = [_mm256_setzero_si256(); 4];
    for (r, two) in two.iter_mut().enumerate() {
        *two = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(r)), row(r + 4));
    }
    let low = [_mm256_unpacklo_epi32(two[0], two[1]), _mm256_unpacklo_epi32(two[2], two[3])];
    let high = [_mm256_unpackhi_epi32(two[0], two[1]), _mm256_unpackhi_epi32(two[2], two[3])];
    [
        _mm256_unpacklo_epi64(low[0], low[1]),
        _mm256_unpackhi_epi64(low[0], low[1]),
        _mm256_unpacklo_epi64(high[0], high[1]),
        _mm256_unpackhi_epi64(high[0], high[1]),
    ]
}
