//! What every tier can do with sixteen numbers, or sixteen rows of them, in plain loops.

use half::{bf16, f16};

use crate::float::half::f16_to_f32;
use crate::float::lanes::{Lanes, add_tree};
use crate::float::pairs::{add_products, split};

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
pub(super) fn add_trees(sums: &[&Lanes; 16]) -> Lanes {
    let mut totals = [0.0; 16];
    for (total, sums) in totals.iter_mut().zip(sums) {
        *total = add_tree(sums);
    }
    totals
}

#[inline(always)]
pub(super) fn dot_pairs(sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let ([a_odd, a_even], [b_odd, b_even]) = (split(a), split(b));
    add_products(&add_products(sums, &a_odd, &b_odd), &a_even, &b_even)
}

#[inline(always)]
pub(super) fn lower(lowest: &mut [u16; 32], halves: &[bf16; 32]) {
    for (lowest, x) in lowest.iter_mut().zip(halves) {
        *lowest = (*lowest).min((x.to_bits() & 0x7fff).wrapping_sub(1));
    }
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
    #[cfg(target_arch = "aarch64")]
    use crate::arch::Neon;
    #[cfg(target_arch = "x86_64")]
    use crate::arch::{Avx2, Avx512, Avx512Bf16};
    use crate::arch::{Isa, Portable, Work};

    struct Both<I>(I, [f16; 16], Block);

    impl<I: Isa> Work for Both<I> {
        type Output = ([f32; 16], Block);

        #[inline(always)]
        fn run(self) -> Self::Output {
            (self.0.widen(&self.1), self.0.transpose(&self.2))
        }
    }

    struct Trees<I>(I, Block);

    impl<I: Isa> Work for Trees<I> {
        type Output = Lanes;

        #[inline(always)]
        fn run(self) -> Lanes {
            self.0.add_trees(&self.1.each_ref())
        }
    }

    fn check_trees<I: Isa>(isa: I) {
        // Sums of such numbers depend on their order.
        let rows: Block = std::array::from_fn(|r| std::array::from_fn(|c| 1.1f32.powi((r * 16 + c * 7) as i32 % 97)));
        let expected = rows.map(|mut sums| {
            for half in [8, 4, 2, 1] {
                for i in 0..half {
                    sums[i] += sums[i + half];
                }
            }
            sums[0]
        });
        assert_eq!(isa.perform(Trees(isa, rows)), expected, "{}", I::NAME);
    }

    #[test]
    fn sixteen_sums_are_added_as_trees() {
        check_trees(Portable);
        #[cfg(target_arch = "x86_64")]
        {
            Avx2::new().into_iter().for_each(check_trees);
            Avx512::new().into_iter().for_each(check_trees);
            Avx512Bf16::new().into_iter().for_each(check_trees);
        }
        #[cfg(target_arch = "aarch64")]
        Neon::new().into_iter().for_each(check_trees);
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
        #[cfg(target_arch = "aarch64")]
        Neon::new().into_iter().for_each(check);
    }
}
