//! Products expert by expert: the rows of an expert are brought together, multiplied as those of any matrix, and what
//! they give goes back to their places. Neither changes a bit: an output is what the road gives.

use std::ops::Range;

use vt_core::{Elem, View, ViewMut};

use super::Groups;
use crate::arch::prefetch;

/// Rows of an expert that are multiplied at once, at most.
const MOST_ROWS: usize = 256;

/// Columns that are made at once, at most: of as many rows they stay in a second-level cache.
pub const MOST_COLS: usize = 512;

/// Columns that a part is a multiple of: two vectors of weight rows.
const GRAIN: usize = 32;

/// Bytes of the next expert's weights that are asked for: where they are depends on the choice, so nothing foresees it.
const AHEAD: usize = 16 << 10;

/// How rows are multiplied with a matrix.
pub trait Road {
    /// The elements of activations: bytes of blocks, or f32.
    type Act: Elem;
    /// The elements of weights: bytes of blocks, or floats.
    type Weight: Elem;

    /// `out = acts * weights^T`: weight rows `[n, K]`, activation rows `[m, K]`, as many as [`most_rows`] at most, and
    /// `out` `[m, n]`.
    fn multiply(&mut self, weights: View<'_, Self::Weight>, acts: View<'_, Self::Act>, out: &mut ViewMut<'_, f32>);
}

/// The rows of an expert that are multiplied at once, at most, where each of `tokens` chooses it once.
pub fn most_rows(tokens: usize) -> usize {
    tokens.clamp(1, MOST_ROWS)
}

/// How many of `cols` columns are made at once: parts of about one size.
fn part_cols(cols: usize) -> usize {
    cols.div_ceil(cols.div_ceil(MOST_COLS).max(1)).next_multiple_of(GRAIN).min(cols)
}

/// Products of rows with the weights of their experts.
pub struct ByExpert<'a, R: Road> {
    /// The road.
    pub road: R,
    /// Activation rows.
    pub acts: View<'a, R::Act>,
    /// Neighbouring places that share an activation row.
    pub sharing: usize,
    /// The weight rows of all experts, one expert's after the other's.
    pub weights: View<'a, R::Weight>,
    /// The weight rows of an expert.
    pub expert_rows: usize,
    /// Those of them that are multiplied: the columns of the output.
    pub cols: Range<usize>,
    /// Room for the activation rows of one expert that are multiplied at once.
    pub gathered: &'a mut [R::Act],
    /// Room for what they give, in at most [`MOST_COLS`] columns.
    pub made: &'a mut [f32],
    /// How many rows there is room for.
    pub most_rows: usize,
}

impl<'a, R: Road> ByExpert<'a, R> {
    /// Writes `out`, a row for each place. Experts ascend, so that weights are read in the order in which they lie.
    pub fn run(&mut self, groups: &Groups<'_>, out: &mut ViewMut<'_, f32>) {
        let mut next = groups.first_from(0);
        while let Some(expert) = next {
            next = groups.first_from(expert + 1);
            next.into_iter().for_each(|next| ask_for(self.weights_of(next)));
            let weights = self.weights_of(expert);
            for places in groups.of(expert).chunks(self.most_rows) {
                match places {
                    [place] => self.multiply_one(weights, *place as usize, out),
                    places => self.multiply_many(weights, places, out),
                }
            }
        }
    }

    fn weights_of(&self, expert: usize) -> View<'a, R::Weight> {
        self.weights.slice_rows(expert * self.expert_rows + self.cols.start, self.cols.len())
    }

    /// A single row stays where it is.
    fn multiply_one(&mut self, weights: View<'_, R::Weight>, place: usize, out: &mut ViewMut<'_, f32>) {
        let cols = out.cols();
        self.road.multiply(weights, self.acts.slice_rows(place / self.sharing, 1), &mut out.tile(place, 1, 0, cols));
    }

    fn multiply_many(&mut self, weights: View<'_, R::Weight>, places: &[i32], out: &mut ViewMut<'_, f32>) {
        let (rows, k) = (places.len(), self.acts.cols());
        let gathered = &mut self.gathered[..rows * k];
        for (to, place) in gathered.chunks_exact_mut(k.max(1)).zip(places) {
            to.copy_from_slice(self.acts.row(*place as usize / self.sharing));
        }
        let acts = View::new(gathered, rows, k, k);
        let part = part_cols(out.cols());
        for from in (0..out.cols()).step_by(part.max(1)) {
            let cols = part.min(out.cols() - from);
            let made = &mut self.made[..rows * cols];
            self.road.multiply(weights.slice_rows(from, cols), acts, &mut ViewMut::new(made, rows, cols, cols));
            for (made, place) in made.chunks_exact(cols).zip(places) {
                out.row_mut(*place as usize)[from..from + cols].copy_from_slice(made);
            }
        }
    }
}

/// Asks for the first of an expert's weights.
fn ask_for<W>(weights: View<'_, W>) {
    let row_bytes = weights.cols() * size_of::<W>();
    let rows = AHEAD.div_ceil(row_bytes.max(1)).min(weights.rows());
    (0..rows).for_each(|row| prefetch(weights.row(row)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_columns_are_of_about_one_size_and_fit() {
        let parts = [0, 1, 16, 40, 512, 513, 768, 1000, 1024, 1030].map(part_cols);
        assert_eq!(parts, [0, 1, 16, 40, 512, 288, 384, 512, 512, 352]);
        assert!((0..5000).all(|cols| part_cols(cols) <= cols.min(MOST_COLS)));
    }

    /// Counts the calls, and multiplies element by element.
    #[derive(Default)]
    struct Plain(Vec<[usize; 2]>);

    impl Road for Plain {
        type Act = f32;
        type Weight = f32;

        fn multiply(&mut self, weights: View<'_, f32>, acts: View<'_, f32>, out: &mut ViewMut<'_, f32>) {
            self.0.push([acts.rows(), weights.rows()]);
            for row in 0..acts.rows() {
                for n in 0..weights.rows() {
                    out.row_mut(row)[n] = acts.row(row).iter().zip(weights.row(n)).map(|(a, w)| a * w).sum();
                }
            }
        }
    }

    /// All of 30 rows choose expert 1, more than there is room for; one of them also expert 2.
    #[test]
    fn rows_go_back_to_their_places_however_many_choose_an_expert() {
        let (tokens, n, k) = (30, 600, 3);
        let numbers = |n: usize| (0..n).map(|i| (i % 23) as f32 - 11.0).collect::<Vec<f32>>();
        let (acts, weights) = (numbers(tokens * k), numbers(3 * n * k));
        let mut chosen = vec![1; 2 * tokens];
        chosen[13] = 2;
        let mut scratch = vec![0; super::super::groups_scratch(chosen.len(), 3)];
        let groups = Groups::new(View::new(&chosen, tokens, 2, 2), 3, &mut scratch).unwrap();
        let cols = 20..590;
        let mut out = vec![f32::NAN; chosen.len() * cols.len()];
        let mut by_expert = ByExpert {
            road: Plain::default(),
            acts: View::new(&acts, tokens, k, k),
            sharing: 2,
            weights: View::new(&weights, 3 * n, k, k),
            expert_rows: n,
            cols: cols.clone(),
            gathered: &mut vec![0.0; 25 * k],
            made: &mut vec![0.0; 25 * MOST_COLS],
            most_rows: 25,
        };
        by_expert.run(&groups, &mut ViewMut::new(&mut out, chosen.len(), cols.len(), cols.len()));
        assert_eq!(by_expert.road.0, [[25, 288], [25, 282], [25, 288], [25, 282], [9, 288], [9, 282], [1, 570]]);
        for (place, expert) in chosen.iter().enumerate() {
            let (act, out) = (&acts[place / 2 * k..][..k], &out[place * cols.len()..][..cols.len()]);
            for (n_, out) in cols.clone().zip(out) {
                let weight = &weights[(*expert as usize * n + n_) * k..][..k];
                assert_eq!(*out, act.iter().zip(weight).map(|(a, w)| a * w).sum::<f32>(), "{place} {n_}");
            }
        }
    }
}
