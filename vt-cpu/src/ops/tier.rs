//! What kernels must know of a tier beside its instructions.

use vt_core::{View, ViewMut};

#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512, Avx512Bf16};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon};
use crate::arch::{Isa, Portable};
use crate::block::RowLanes;
use crate::float::{Weight, matmul};
use crate::quant::ManyRows;

use super::matmul_bt_quant::{MultiplyFew, MultiplyPanels};

/// A tier of kernels.
pub(crate) trait Tier: BlockTier + FloatTiles {}

/// Products with weights in blocks, by texts that all kernels share: compiling them takes long.
pub(crate) trait BlockTier: ManyRows {
    /// The elements of scratch that [`multiply`](BlockTier::multiply) needs for `m` activation rows of `k` elements, or
    /// fewer.
    fn scratch<W: RowLanes>(m: usize, k: usize) -> usize {
        Self::many_rows_scratch::<W>(m, k)
    }

    /// Multiplies few activation rows, at most [`FEW_ROWS`](ManyRows::FEW_ROWS).
    fn multiply_few<W: RowLanes>(self, product: MultiplyFew<'_, W>) {
        product.compute(self);
    }

    /// Multiplies any number of activation rows.
    fn multiply<W: RowLanes>(self, product: MultiplyPanels<'_, Self, W>) {
        product.compute();
    }
}

impl BlockTier for Portable {}
#[cfg(target_arch = "x86_64")]
impl BlockTier for Avx2 {}
#[cfg(target_arch = "x86_64")]
impl BlockTier for Avx512 {}
#[cfg(target_arch = "aarch64")]
impl BlockTier for Neon {}
#[cfg(target_arch = "aarch64")]
impl BlockTier for Dotprod {}
#[cfg(target_arch = "aarch64")]
impl BlockTier for I8mm {}

/// What tiles do not suit has the vectors' road.
#[cfg(target_arch = "x86_64")]
impl BlockTier for Amx {
    fn scratch<W: RowLanes>(m: usize, k: usize) -> usize {
        Self::many_rows_scratch::<W>(m, k).max(Avx512::scratch::<W>(m, k))
    }

    fn multiply_few<W: RowLanes>(self, product: MultiplyFew<'_, W>) {
        self.vectors().multiply_few(product);
    }

    fn multiply<W: RowLanes>(self, product: MultiplyPanels<'_, Self, W>) {
        if Self::suits::<W>(product.acts.rows()) {
            product.compute();
        } else {
            let MultiplyPanels { acts, weights, out, scratch, block, .. } = product;
            let tier = self.vectors();
            tier.multiply(MultiplyPanels { tier, acts, weights, out, scratch, block });
        }
    }
}

/// Instructions for matmuls with float weights.
pub(crate) trait FloatTiles: Isa {
    /// [`matmul`] with the tile of rows and tokens that suits the tier's registers. To be called inside its `perform`.
    fn float_matmul<W: Weight>(self, weights: View<W>, acts: View<f32>, out: &mut ViewMut<f32>, scratch: &mut [f32]);
}

macro_rules! tiles {
    ($tier:ty, $rows:literal x $tokens:literal) => {
        impl FloatTiles for $tier {
            #[inline(always)]
            fn float_matmul<W: Weight>(
                self,
                weights: View<W>,
                acts: View<f32>,
                out: &mut ViewMut<f32>,
                scratch: &mut [f32],
            ) {
                matmul::<Self, W, $rows, $tokens>(self, weights, acts, out, scratch);
            }
        }
    };
}

impl Tier for Portable {}
#[cfg(target_arch = "x86_64")]
impl Tier for Avx2 {}
#[cfg(target_arch = "x86_64")]
impl Tier for Avx512 {}
#[cfg(target_arch = "aarch64")]
impl Tier for Neon {}

tiles!(Portable, 3 x 2);
#[cfg(target_arch = "x86_64")]
tiles!(Avx2, 3 x 2);
#[cfg(target_arch = "x86_64")]
tiles!(Avx512, 6 x 4);
#[cfg(target_arch = "x86_64")]
tiles!(Avx512Bf16, 6 x 4);
#[cfg(target_arch = "aarch64")]
tiles!(Neon, 3 x 2);
