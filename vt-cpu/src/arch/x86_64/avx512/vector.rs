//! The tier's vectors: registers of 512 bits.

use core::arch::x86_64::*;

use super::Avx512;
use crate::arch::Vector;

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

impl Vector for Avx512 {
    type Int = __m512i;
    type Float = __m512;

    instructions! {
        ints(lanes: &[i32; 16]) -> __m512i = _mm512_loadu_si512(lanes.as_ptr().cast());
        int(x: i32) -> __m512i = _mm512_set1_epi32(x);
        store_ints(x: __m512i, lanes: &mut [i32; 16]) = _mm512_storeu_si512(lanes.as_mut_ptr().cast(), x);
        floats(lanes: &[f32; 16]) -> __m512 = _mm512_loadu_ps(lanes.as_ptr());
        float(x: f32) -> __m512 = _mm512_set1_ps(x);
        store_floats(x: __m512, lanes: &mut [f32; 16]) = _mm512_storeu_ps(lanes.as_mut_ptr(), x);
        dot_bytes(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = _mm512_dpbusd_epi32(sum, a, b);
        dot_halves(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = _mm512_dpwssd_epi32(sum, a, b);
        multiply_add_ints(a: __m512i, b: __m512i, sum: __m512i) -> __m512i =
            _mm512_add_epi32(sum, _mm512_mullo_epi32(a, b));
        to_floats(x: __m512i) -> __m512 = _mm512_cvtepi32_ps(x);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        multiply(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        multiply_add(a: __m512, b: __m512, sum: __m512) -> __m512 = _mm512_fmadd_ps(a, b, sum);
        transpose(rows: [__m512i; 16]) -> [__m512i; 16] = transpose(rows);
    }
}

/// In three steps: 2 x 2 lanes, 4 x 4 lanes, and the quarters of registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(r: [__m512i; 16]) -> [__m512i; 16] {
    let pairs: [__m512i; 16] = std::array::from_fn(|i| {
        let (a, b) = (r[i & !1], r[i | 1]);
        if i & 1 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) }
    });
    // Of four rows, in each quarter: column i of that quarter.
    let fours: [__m512i; 16] = std::array::from_fn(|i| {
        let (four, column) = (i & !3, i & 3);
        let (a, b) = (pairs[four + column / 2], pairs[four + 2 + column / 2]);
        if column & 1 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
    });
    std::array::from_fn(|i| {
        let (quarter, column) = (i / 4, i % 4);
        let [a, b, c, d] = [fours[column], fours[4 + column], fours[8 + column], fours[12 + column]];
        let (low, high) = if quarter < 2 {
            (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d))
        } else {
            (_mm512_shuffle_i32x4::<0xee>(a, b), _mm512_shuffle_i32x4::<0xee>(c, d))
        };
        if quarter & 1 == 0 { _mm512_shuffle_i32x4::<0x88>(low, high) } else { _mm512_shuffle_i32x4::<0xdd>(low, high) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Isa, Work};

    struct Transpose(Avx512, [[i32; 16]; 16]);

    impl Work for Transpose {
        type Output = [[i32; 16]; 16];

        #[inline(always)]
        fn run(self) -> Self::Output {
            let columns = self.0.transpose(self.1.map(|row| self.0.ints(&row)));
            columns.map(|column| {
                let mut lanes = [0; 16];
                self.0.store_ints(column, &mut lanes);
                lanes
            })
        }
    }

    #[test]
    fn rows_become_columns() {
        let Some(isa) = Avx512::new() else { return };
        let rows: [[i32; 16]; 16] = std::array::from_fn(|r| std::array::from_fn(|c| (100 * r + c) as i32));
        let columns = isa.perform(Transpose(isa, rows));
        for (c, column) in columns.iter().enumerate() {
            assert_eq!(*column, std::array::from_fn(|r| (100 * r + c) as i32), "column {c}");
        }
    }
}
