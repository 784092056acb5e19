//! What every tier can do with sixteen numbers, or sixteen rows of them, in plain loops.

use half::f16;

use crate::float::half::f16_to_f32;

/// Sixteen rows of sixteen numbers.
pub type Block = [[f32; 16]; 16];

#[inline(always)]
pub(super) fn widen(halves: &[f16; 16]) -> [f32; 16] {
    let mut wide = [0.0; 16];
    for (wide, &half) in wide.iter_mut().zip(halves) {
        *wide = f16_to_f32(half);
    }
    wide
}

#[inline(always)]
pub(super) fn transpose(rows: &Block) -> Block {
    let mut columns = [[0.0; 16]; 16];
    for (r, row) in rows.iter().enumerate() {
        for (c, &x) in row.iter().enumerate() {
            columns[c][r] = x;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::arch::{Avx2, Avx512};
    use crate::arch::{Isa, Portable, Work};

    struct Both<I>(I, [f16; 16], Block);

    impl<I: Isa> Work for Both<I> {
        type Output = ([f32; 16], Block);

        #[inline(always)]
        fn run(self) -> Self::Output {
            (self.0.widen(&self.1), self.0.transpose(&self.2))
        }
    }

    fn check<I: Isa>(isa: I) {
        let rows: Block = std::array::from_fn(|r| std::array::from_fn(|c| (100 * r + c) as f32));
        for first in (0..=u16::MAX).step_by(16) {
            let halves = std::array::from_fn(|i| f16::from_bits(first + i as u16));
            let (wide, columns) = isa.perform(Both(isa, halves, rows));
            for (wide, half) in wide.iter().zip(halves) {
                assert!(wide.to_bits() == half.to_f32().to_bits() || half.is_nan() && wide.is_nan(), "{half}");
            }
            for (c, column) in columns.iter().enumerate() {
                assert_eq!(*column, std::array::from_fn(|r| (100 * r + c) as f32), "{} column {c}", I::NAME);
            }
        }
    }

    #[test]
    fn every_half_is_widened_and_rows_become_columns() {
        check(Portable);
        #[cfg(target_arch = "x86_64")]
        {
            Avx2::new().into_iter().for_each(check);
            Avx512::new().into_iter().for_each(check);
        }
    }
}
