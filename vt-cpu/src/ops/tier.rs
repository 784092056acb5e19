//! What kernels must know of a tier beside its instructions.

use vt_core::{View, ViewMut};

#[cfg(target_arch = "aarch64")]
use crate::arch::Neon;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512, Avx512Bf16};
use crate::arch::{Isa, Portable};
use crate::float::{Weight, matmul};
use crate::quant::ManyRows;

/// A tier of kernels.
pub(crate) trait Tier: ManyRows + FloatTiles {}

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
