//! Groups of consecutive blocks of a weight row: their scales are converted together, in lanes.

use crate::block::{Offset, SubScales, WeightBlock};

use super::expanded::GroupRow;
use super::signed_offset;

/// Blocks in a group.
pub(super) const GROUP: usize = 16;

/// What a group's blocks hold beside quants.
pub(super) struct Heads {
    scale: [f32; GROUP],
    /// `m` or `-dmin`.
    pub(super) offset: [f32; GROUP],
    pub(super) sub_scales: [SubScales; GROUP],
    pub(super) minima: [SubScales; GROUP],
}

impl Heads {
    pub(super) const ZERO: Self =
        Self { scale: [0.0; GROUP], offset: [0.0; GROUP], sub_scales: [[0; 16]; GROUP], minima: [[0; 16]; GROUP] };

    /// Reads up to [`GROUP`] blocks.
    #[inline(always)]
    pub(super) fn read<W: WeightBlock>(&mut self, blocks: &[u8]) {
        let (mut scale, mut offset) = ([0; GROUP], [0; GROUP]);
        for (i, block) in blocks.chunks_exact(W::BYTES).enumerate().take(GROUP) {
            scale[i] = W::scale(block);
            if W::OFFSET != Offset::None {
                offset[i] = W::offset(block);
            }
            if W::ELEMS == 256 {
                self.sub_scales[i] = W::sub_scales(block);
            }
            if W::MINIMA > 0 {
                self.minima[i] = W::minima(block);
            }
        }
        for i in 0..GROUP {
            self.scale[i] = W::scale_value(scale[i]);
        }
        if W::OFFSET != Offset::None {
            for i in 0..GROUP {
                self.offset[i] = signed_offset::<W>(offset[i]);
            }
        }
    }

    /// The products of scales with an activation row's, each rounded once.
    #[inline(always)]
    pub(super) fn factors<W: WeightBlock>(&self, row: &GroupRow<'_>) -> Factors {
        let mut factors = Factors { scale: [0.0; GROUP], offset: [0.0; GROUP] };
        for i in 0..GROUP {
            factors.scale[i] = self.scale[i] * row.scales[i];
        }
        if W::MINIMA > 0 {
            for i in 0..GROUP {
                factors.offset[i] = self.offset[i] * row.scales[i];
            }
        }
        factors
    }
}

/// What a group's sums are multiplied by: `dw * da`, and `-(dmin * da)` where there are minima.
pub(super) struct Factors {
    pub(super) scale: [f32; GROUP],
    pub(super) offset: [f32; GROUP],
}
