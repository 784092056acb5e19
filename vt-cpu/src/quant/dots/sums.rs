//! Where the sums of a tile wait between chunks of K.

use vt_core::ViewMut;

use crate::arch::Vector;

use super::Lanes;
use super::panel::store_floats;
use super::tile::{Floats, floats};

/// Where the sums of a tile come from before a chunk of K, or go to after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Nowhere: they are zeros.
    Nothing,
    /// Scratch: of a tile first those of one vector of rows, then the next one's.
    Scratch,
    /// The outputs.
    Outputs,
}

/// The sums of a tile's tokens.
pub(super) struct TileSums<'a, 'b> {
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) scratch: &'a mut [Lanes],
    pub(super) outputs: &'a mut ViewMut<'b, f32>,
}

impl TileSums<'_, '_> {
    #[inline(always)]
    pub(super) fn load<V: Vector, const R: usize, const T: usize>(&self, v: V) -> Floats<V, R, T> {
        let mut accs = [[v.float(0.0); T]; R];
        match self.from {
            Place::Nothing => {}
            Place::Scratch => {
                let scratch = &self.scratch[..R * T];
                for r in 0..R {
                    for t in 0..T {
                        accs[r][t] = floats(v, &scratch[r * T + t]);
                    }
                }
            }
            Place::Outputs => {
                for t in 0..T {
                    for (r, lanes) in self.outputs.row(t).as_chunks().0.iter().take(R).enumerate() {
                        accs[r][t] = v.floats(lanes);
                    }
                }
            }
        }
        accs
    }

    #[inline(always)]
    pub(super) fn store<V: Vector, const R: usize, const T: usize>(&mut self, v: V, accs: &Floats<V, R, T>) {
        if self.to == Place::Outputs {
            for t in 0..T {
                for (r, lanes) in self.outputs.row_mut(t).as_chunks_mut().0.iter_mut().take(R).enumerate() {
                    v.store_floats(accs[r][t], lanes);
                }
            }
            return;
        }
        let scratch = &mut self.scratch[..R * T];
        for r in 0..R {
            for t in 0..T {
                store_floats(v, accs[r][t], &mut scratch[r * T + t]);
            }
        }
    }
}
