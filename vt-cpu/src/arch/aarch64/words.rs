//! Vectors of four lanes, in one register, the same on all tiers.

use core::arch::aarch64::*;
use core::arch::asm;

use vt_core::View;

use super::neon::transpose_square;
use super::{Dotprod, I8mm, Neon};
use crate::arch::Words;

/// Indices of a table's bytes that give the first byte of each lane, in all its bytes. With a number added to each index
/// it is that byte.
const IN_BYTES: [u8; 16] = [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12];

/// The same in the low bytes of both halves, and in the high ones what is outside of the table: zeros.
const IN_HALVES: [u8; 16] = [0, 128, 0, 128, 4, 128, 4, 128, 8, 128, 8, 128, 12, 128, 12, 128];

/// Instructions by name.
macro_rules! instructions {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)+) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            // SAFETY: the token proves that the processor has the instructions.
            unsafe { $body }
        }
    )+};
}

macro_rules! words {
    ($($tier:ident)+) => {$(
        impl Words for $tier {
            const ROWS: usize = 4;

            type Int = int32x4_t;
            type Float = float32x4_t;

            const SIGNED: bool = true;

            instructions! {
                int(x: i32) -> int32x4_t = vdupq_n_s32(x);
                words(rows: &View<'_, u8>, at: usize) -> [int32x4_t; 4] = words(rows, at);
                and(a: int32x4_t, b: int32x4_t) -> int32x4_t = vandq_s32(a, b);
                or(a: int32x4_t, b: int32x4_t) -> int32x4_t = vorrq_s32(a, b);
                xor(a: int32x4_t, b: int32x4_t) -> int32x4_t = veorq_s32(a, b);
                shift_left(x: int32x4_t, by: u32) -> int32x4_t = vshlq_s32(x, vdupq_n_s32(by as i32));
                shift_right(x: int32x4_t, by: u32) -> int32x4_t = shift_right(x, by);
                shift_right_signed(x: int32x4_t, by: u32) -> int32x4_t = vshlq_s32(x, vdupq_n_s32(-(by as i32)));
                high_halves(x: int32x4_t) -> int32x4_t =
                    vreinterpretq_s32_u8(vshrq_n_u8::<4>(vreinterpretq_u8_s32(x)));
                byte_in_bytes(x: int32x4_t, byte: usize) -> int32x4_t = spread(x, byte, &IN_BYTES);
                byte_in_halves(x: int32x4_t, byte: usize) -> int32x4_t = spread(x, byte, &IN_HALVES);
                fifth_bits(x: int32x4_t, first: u32) -> int32x4_t = fifth_bits(x, first);
                insert(x: int32x4_t, bits: int32x4_t, mask: u8) -> int32x4_t = insert(x, bits, mask);
                insert_fifth_bits(x: int32x4_t, bits: int32x4_t, first: u32) -> int32x4_t =
                    insert(x, test_bits(bits, first), 0x10);
                look_up(table: &[u8; 16], x: int32x4_t) -> int32x4_t =
                    vreinterpretq_s32_u8(vqtbl1q_u8(vld1q_u8(table.as_ptr()), vreinterpretq_u8_s32(x)));
                add_ints(a: int32x4_t, b: int32x4_t) -> int32x4_t = vaddq_s32(a, b);
                add_bytes(a: int32x4_t, b: int32x4_t) -> int32x4_t =
                    vreinterpretq_s32_u8(vaddq_u8(vreinterpretq_u8_s32(a), vreinterpretq_u8_s32(b)));
                multiply_halves(a: int32x4_t, b: int32x4_t) -> int32x4_t =
                    vreinterpretq_s32_u16(vmulq_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b)));
                halves_to_floats(x: int32x4_t) -> float32x4_t =
                    vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(vreinterpretq_u32_s32(x))));
                bits_to_floats(x: int32x4_t) -> float32x4_t = vreinterpretq_f32_s32(x);
            }
        }
    )+};
}

words!(Neon Dotprod I8mm);

#[inline]
#[target_feature(enable = "neon")]
fn words(rows: &View<'_, u8>, at: usize) -> [int32x4_t; 4] {
    assert!(rows.rows() >= 4 && at <= rows.cols() && rows.cols() - at >= 16, "four rows of sixteen bytes");
    let (base, stride) = rows.as_ptr_and_stride();
    let mut r = [vdupq_n_f32(0.0); 4];
    for (i, r) in r.iter_mut().enumerate() {
        // SAFETY: the rows exist, and have sixteen bytes there.
        *r = unsafe { vreinterpretq_f32_u8(vld1q_u8(base.add(i * stride + at))) };
    }
    let [a, b, c, d] = transpose_square(r);
    [vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(b), vreinterpretq_s32_f32(c), vreinterpretq_s32_f32(d)]
}

#[inline]
#[target_feature(enable = "neon")]
fn shift_right(x: int32x4_t, by: u32) -> int32x4_t {
    vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), vdupq_n_s32(-(by as i32))))
}

/// The bytes that the indices give when `byte` is added to them.
#[inline]
#[target_feature(enable = "neon")]
fn spread(x: int32x4_t, byte: usize, indices: &[u8; 16]) -> int32x4_t {
    // SAFETY: sixteen bytes are read from an array of them.
    let indices = unsafe { vld1q_u8(indices.as_ptr()) };
    vreinterpretq_s32_u8(vqtbl1q_u8(vreinterpretq_u8_s32(x), vaddq_u8(indices, vdupq_n_u8(byte as u8))))
}

/// Each byte takes the byte of its lane that has its bit, and looks at the bit: all ones, or zeros.
#[inline]
#[target_feature(enable = "neon")]
fn test_bits(x: int32x4_t, first: u32) -> int32x4_t {
    let bytes = vreinterpretq_u8_s32(spread(x, (first / 8) as usize, &IN_BYTES));
    let mask = vreinterpretq_u8_s32(vdupq_n_s32(0x0804_0201 << (first % 8)));
    vreinterpretq_s32_u8(vtstq_u8(bytes, mask))
}

#[inline]
#[target_feature(enable = "neon")]
fn fifth_bits(x: int32x4_t, first: u32) -> int32x4_t {
    vandq_s32(test_bits(x, first), vdupq_n_s32(0x1010_1010))
}

/// In one instruction, which the compiler would make two of.
#[inline]
#[target_feature(enable = "neon")]
fn insert(mut x: int32x4_t, bits: int32x4_t, mask: u8) -> int32x4_t {
    let mask = vdupq_n_u8(mask);
    // SAFETY: the processor has the instruction, which reads and writes these registers only.
    unsafe {
        asm!(
            "bit {x:v}.16b, {bits:v}.16b, {mask:v}.16b",
            x = inout(vreg) x, bits = in(vreg) bits, mask = in(vreg) mask,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    x
}
