//! What kernels must know of a tier beside its instructions.

use vt_core::{View, ViewMut};

use crate::arch::Portable;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512};
use crate::float::{Weight, matmul};
use crate::quant::ManyRows;

/// A tier of kernels.
pub(crate) trait Tier: ManyRows {
    /// [`matmul`] with the tile of rows and tokens that suits the tier's registers. To be called inside its `perform`.
    fn float_matmul<W: Weight>(self, weights: View<W>, acts: View<f32>, out: &mut ViewMut<f32>, scratch: &mut [f32]);
}

macro_rules! tier {
    ($tier:ty, $rows:literal x $tokens:literal) => {
        impl Tier for $tier {
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

tier!(Portable, 3 x 2);
#[cfg(target_arch = "x86_64")]
tier!(Avx2, 3 x 2);
#[cfg(target_arch = "x86_64")]
tier!(Avx512, 6 x 4);
