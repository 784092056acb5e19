//! The tier's vectors: registers of 512 bits.

use core::arch::x86_64::*;

use vt_core::View;

use super::Avx512;
use crate::arch::x86_64::{IN_BYTES, IN_HALVES, sixteen_rows};
use crate::arch::{Vector, Words};
use crate::block::RowLanes;

/// Instructions by name. Loads and stores take an array's address, whose length the type states.
macro_rules! instructions {
    ($($name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $body:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) $(-> $out)? {
            // SAFETY: the token proves that the processor has the instruction, and addresses are those of whole arrays.
            unsafe { $body }
        }
    )+};
}

impl Words for Avx512 {
    const ROWS: usize = 16;

    type Int = __m512i;
    type Float = __m512;

    const SIGNED: bool = false;

    instructions! {
        int(x: i32) -> __m512i = _mm512_set1_epi32(x);
        words(rows: &View<'_, u8>, at: usize) -> [__m512i; 4] = words(sixteen_rows(rows, at));
        and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
        or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
        xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512(a, b);
        shift_left(x: __m512i, by: u32) -> __m512i = _mm512_sllv_epi32(x, _mm512_set1_epi32(by as i32));
        shift_right(x: __m512i, by: u32) -> __m512i = _mm512_srlv_epi32(x, _mm512_set1_epi32(by as i32));
        shift_right_signed(x: __m512i, by: u32) -> __m512i = _mm512_srav_epi32(x, _mm512_set1_epi32(by as i32));
        bits(x: __m512i, from: u32, mask: u8) -> __m512i = bits(x, from, mask);
        fifth_bits(x: __m512i, first: u32) -> __m512i = fifth_bits(x, first);
        look_up(table: &[u8; 16], x: __m512i) -> __m512i =
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast())), x);
        byte_in_bytes(x: __m512i, byte: usize) -> __m512i = spread(x, byte, &IN_BYTES);
        byte_in_halves(x: __m512i, byte: usize) -> __m512i = spread(x, byte, &IN_HALVES);
        add_ints(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        add_bytes(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi8(a, b);
        multiply_halves(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi16(a, b);
        halves_to_floats(x: __m512i) -> __m512 = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x));
        bits_to_floats(x: __m512i) -> __m512 = _mm512_castsi512_ps(x);
    }
}

impl Vector for Avx512 {
    type InPanels<W: RowLanes> = W::Folded;

    instructions! {
        ints(lanes: &[i32; 16]) -> __m512i = _mm512_loadu_si512(lanes.as_ptr().cast());
        store_ints(x: __m512i, lanes: &mut [i32; 16]) = _mm512_storeu_si512(lanes.as_mut_ptr().cast(), x);
        floats(lanes: &[f32; 16]) -> __m512 = _mm512_loadu_ps(lanes.as_ptr());
        float(x: f32) -> __m512 = _mm512_set1_ps(x);
        store_floats(x: __m512, lanes: &mut [f32; 16]) = _mm512_storeu_ps(lanes.as_mut_ptr(), x);
        dot_bytes(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = _mm512_dpbusd_epi32(sum, a, b);
        dot_signed_bytes(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = {
            let top = _mm512_set1_epi8(-128);
            let more = _mm512_dpbusd_epi32(_mm512_setzero_si512(), top, b);
            _mm512_sub_epi32(_mm512_dpbusd_epi32(sum, _mm512_xor_si512(a, top), b), more)
        };
        dot_halves(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = dot_halves(sum, a, b);
        multiply_add_ints(a: __m512i, b: __m512i, sum: __m512i) -> __m512i =
            _mm512_add_epi32(sum, _mm512_mullo_epi32(a, b));
        to_floats(x: __m512i) -> __m512 = _mm512_cvtepi32_ps(x);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        multiply(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        multiply_add(a: __m512, b: __m512, sum: __m512) -> __m512 = _mm512_fmadd_ps(a, b, sum);
    }
}

/// Four rows, four apart, side by side in one register, and then 4 x 4 lanes transposed within its quarters.
///
/// # Safety
/// The processor has AVX-512F, and sixteen bytes can be read from each of the sixteen rows.
#[inline(always)]
unsafe fn words((base, stride): (*const u8, usize)) -> [__m512i; 4] {
    // SAFETY: as the caller says.
    unsafe {
        let [a, b] = [side_by_side(base, stride), side_by_side(base.add(stride), stride)];
        let [c, d] = [side_by_side(base.add(2 * stride), stride), side_by_side(base.add(3 * stride), stride)];
        let low = [_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d)];
        let high = [_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d)];
        [
            _mm512_unpacklo_epi64(low[0], low[1]),
            _mm512_unpackhi_epi64(low[0], low[1]),
            _mm512_unpacklo_epi64(high[0], high[1]),
            _mm512_unpackhi_epi64(high[0], high[1]),
        ]
    }
}

/// Sixteen bytes of every fourth row.
///
/// # Safety
/// The processor has AVX-512F, and sixteen bytes can be read from each of the four rows.
#[inline(always)]
unsafe fn side_by_side(row: *const u8, stride: usize) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let x = _mm512_castsi128_si512(_mm_loadu_si128(row.cast()));
        let x = _mm512_inserti32x4::<1>(x, _mm_loadu_si128(row.add(4 * stride).cast()));
        let x = _mm512_inserti32x4::<2>(x, _mm_loadu_si128(row.add(8 * stride).cast()));
        _mm512_inserti32x4::<3>(x, _mm_loadu_si128(row.add(12 * stride).cast()))
    }
}

/// Within each quarter, the bytes that the indices give when `byte` is added to them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn spread(x: __m512i, byte: usize, indices: &[i8; 16]) -> __m512i {
    // SAFETY: sixteen bytes are read from an array of them.
    let indices = unsafe { _mm_loadu_si128(indices.as_ptr().cast()) };
    _mm512_shuffle_epi8(x, _mm512_add_epi8(_mm512_broadcast_i32x4(indices), _mm512_set1_epi8(byte as i8)))
}

/// `sum + a0 * b0 + a1 * b1` in one instruction, of which the compiler would make two.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dot_halves(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instruction, which reads and writes these registers only.
    unsafe {
        core::arch::asm!(
            "vpdpwssd {sum}, {a}, {b}",
            sum = inout(zmm_reg) sum, a = in(zmm_reg) a, b = in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// Each byte takes the eight bits that have the wanted one in their middle, round about the pair of lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn fifth_bits(x: __m512i, first: u32) -> __m512i {
    let from = |byte: u32| u64::from((32 * (byte / 4) + first + byte % 4 + 60) % 64) << (8 * byte);
    let select = (0..8).fold(0, |select, byte| select | from(byte));
    _mm512_and_si512(_mm512_multishift_epi64_epi8(_mm512_set1_epi64(select as i64), x), _mm512_set1_epi8(16))
}

/// Each byte times a matrix of bits that moves some of them, in place of a shift, for which there is one port, and a mask.
#[inline]
#[target_feature(enable = "avx512f,gfni")]
fn bits(x: __m512i, from: u32, mask: u8) -> __m512i {
    let to = mask.trailing_zeros();
    if from == to {
        return _mm512_and_si512(x, _mm512_set1_epi8(mask as i8));
    }
    // The last row of the matrix gives bit 0.
    let row = |bit: u32| u64::from(mask >> bit & 1) << ((bit + 8 + from - to) % 8) << (8 * (7 - bit));
    let matrix = (0..8).fold(0, |matrix, bit| matrix | row(bit));
    _mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(matrix as i64))
}
