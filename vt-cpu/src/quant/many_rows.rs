//! The road for many activation rows that suits a tier.

use vt_core::{Elem, View, ViewMut};

#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon};
use crate::arch::{Isa, Portable};
use crate::block::RowLanes;

#[cfg(target_arch = "x86_64")]
use super::dots::{dots, dots_scratch};
use super::panels::{panels, panels_scratch};
#[cfg(target_arch = "aarch64")]
use super::quads::{quads, quads_scratch};
#[cfg(target_arch = "x86_64")]
use super::tiles::{tiles, tiles_scratch};

/// A tier with a road for many rows. All roads give the same bits.
pub trait ManyRows: Isa {
    /// Up to this many activation rows [`few_rows`](super::few_rows()) is faster.
    const FEW_ROWS: usize;

    /// The elements of scratch.
    type Scratch: Elem;

    /// Whether the road is the fastest one for so many activation rows.
    fn suits<W: RowLanes>(_rows: usize) -> bool {
        true
    }

    /// The elements of scratch that [`many_rows`](ManyRows::many_rows) needs for `m` activation rows of `k` elements, or
    /// fewer rows: at most 1.5 MB.
    fn many_rows_scratch<W: RowLanes>(m: usize, k: usize) -> usize;

    /// `out = acts * weights^T`: weight rows `[n, K]` in blocks of `W`, activation rows `[m, K]` in blocks of `W::Act`,
    /// and `out` `[m, n]`. To be called inside [`perform`](Isa::perform); implementations are `#[inline(always)]`.
    ///
    /// # Panics
    /// If the shapes do not belong together, or `scratch` is too short.
    fn many_rows<W: RowLanes>(
        self,
        weights: View<'_, u8>,
        acts: View<'_, u8>,
        out: &mut ViewMut<'_, f32>,
        scratch: &mut [Self::Scratch],
    );
}

impl ManyRows for Portable {
    const FEW_ROWS: usize = 24;

    type Scratch = f32;

    fn many_rows_scratch<W: RowLanes>(m: usize, k: usize) -> usize {
        panels_scratch::<W>(m, k)
    }

    #[inline(always)]
    fn many_rows<W: RowLanes>(
        self,
        weights: View<'_, u8>,
        acts: View<'_, u8>,
        out: &mut ViewMut<'_, f32>,
        scratch: &mut [f32],
    ) {
        panels::<W>(weights, acts, out, scratch);
    }
}

/// Tiles of so many vectors of rows and tokens as the tier's registers hold.
#[cfg(target_arch = "x86_64")]
macro_rules! by_dots {
    ($isa:ident, $rows:literal x $tokens:literal) => {
        impl ManyRows for $isa {
            const FEW_ROWS: usize = 0;

            type Scratch = i32;

            fn many_rows_scratch<W: RowLanes>(m: usize, k: usize) -> usize {
                dots_scratch::<W, Self, $rows>(m, k)
            }

            #[inline(always)]
            fn many_rows<W: RowLanes>(
                self,
                weights: View<'_, u8>,
                acts: View<'_, u8>,
                out: &mut ViewMut<'_, f32>,
                scratch: &mut [i32],
            ) {
                dots::<W, Self, $rows, $tokens>(self, weights, acts, out, scratch);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
by_dots!(Avx2, 1 x 4);
#[cfg(target_arch = "x86_64")]
by_dots!(Avx512, 2 x 6);

#[cfg(target_arch = "x86_64")]
impl ManyRows for Amx {
    const FEW_ROWS: usize = 0;

    type Scratch = i32;

    /// Sums of 32 elements are scaled one by one, which pays when tiles are full.
    fn suits<W: RowLanes>(rows: usize) -> bool {
        rows >= if W::ELEMS == 256 { 16 } else { 32 }
    }

    fn many_rows_scratch<W: RowLanes>(m: usize, k: usize) -> usize {
        tiles_scratch::<W>(m, k)
    }

    #[inline(always)]
    fn many_rows<W: RowLanes>(
        self,
        weights: View<'_, u8>,
        acts: View<'_, u8>,
        out: &mut ViewMut<'_, f32>,
        scratch: &mut [i32],
    ) {
        tiles::<W>(self, weights, acts, out, scratch);
    }
}

/// Tiles of so many columns of tokens in so many registers each as the tier's registers hold.
#[cfg(target_arch = "aarch64")]
macro_rules! by_quads {
    ($isa:ident, $registers:literal x $columns:literal) => {
        impl ManyRows for $isa {
            const FEW_ROWS: usize = 0;

            type Scratch = i32;

            fn many_rows_scratch<W: RowLanes>(m: usize, k: usize) -> usize {
                quads_scratch::<W, Self>(m, k)
            }

            #[inline(always)]
            fn many_rows<W: RowLanes>(
                self,
                weights: View<'_, u8>,
                acts: View<'_, u8>,
                out: &mut ViewMut<'_, f32>,
                scratch: &mut [i32],
            ) {
                quads::<W, Self, $registers, $columns>(self, weights, acts, out, scratch);
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
by_quads!(Neon, 2 x 2);
#[cfg(target_arch = "aarch64")]
by_quads!(Dotprod, 2 x 4);
#[cfg(target_arch = "aarch64")]
by_quads!(I8mm, 4 x 2);
