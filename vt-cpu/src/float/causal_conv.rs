//! The causal convolution of each channel over the rows of a sequence, and its activation.

use vt_core::{View, ViewMut};

use crate::math::silu;

/// Channels that are computed together: their weights and last rows stay in the cache.
const STRIP: usize = 256;

/// Scratch memory, in f32, for `channels` of `taps` weights.
pub fn causal_conv_scratch(channels: usize, taps: usize) -> usize {
    STRIP.min(channels) * (2 * taps - 1)
}

/// Neighbouring rows of one sequence, some channels of them.
pub struct CausalConv<'a> {
    /// `[rows, channels]`.
    pub x: View<'a, f32>,
    /// `[channels, taps]`.
    pub weight: View<'a, f32>,
    /// As many as [`causal_conv_scratch`] says.
    pub scratch: &'a mut [f32],
}

impl CausalConv<'_> {
    /// Writes `out` `[rows, channels]`, and the state `[channels, taps - 1]` anew.
    ///
    /// Of each channel: `w[0] * s[0]`, then `sum = fma(w[j], s[j], sum)`, j ascending; the result is `silu(sum)`.
    #[inline(always)]
    pub fn run(&mut self, state: &mut ViewMut<'_, f32>, out: &mut ViewMut<'_, f32>) {
        let channels = self.x.cols();
        for from in (0..channels).step_by(STRIP) {
            self.strip(from, STRIP.min(channels - from), state, out);
        }
    }

    #[inline(always)]
    fn strip(&mut self, from: usize, width: usize, state: &mut ViewMut<'_, f32>, out: &mut ViewMut<'_, f32>) {
        let taps = self.weight.cols();
        let x = self.x.slice_cols(from, width);
        let (weights, history) = self.scratch.split_at_mut(width * taps);
        let history = &mut history[..width * (taps - 1)];
        for c in 0..width {
            put_column(weights, width, c, self.weight.row(from + c));
            put_column(history, width, c, state.row(from + c));
        }
        for t in 0..x.rows() {
            let out = &mut out.row_mut(t)[from..from + width];
            for (j, weights) in weights.chunks_exact(width).enumerate() {
                let source = row(x, history, t + j + 1, taps);
                if j == 0 {
                    out.iter_mut().zip(weights).zip(source).for_each(|((out, w), s)| *out = w * s);
                } else {
                    out.iter_mut().zip(weights).zip(source).for_each(|((out, w), s)| *out = w.mul_add(*s, *out));
                }
            }
            out.iter_mut().for_each(|out| *out = silu(*out));
        }
        for j in 0..taps - 1 {
            let source = row(x, history, x.rows() + j + 1, taps);
            source.iter().enumerate().for_each(|(c, s)| state.row_mut(from + c)[j] = *s);
        }
    }
}

/// Row `at - taps` of a sequence, counted from the first row of `x`; those before it are `history`'s.
#[inline(always)]
fn row<'a>(x: View<'a, f32>, history: &'a [f32], at: usize, taps: usize) -> &'a [f32] {
    if at >= taps { x.row(at - taps) } else { &history[(at - 1) * x.cols()..][..x.cols()] }
}

/// Writes column `c` of a matrix with rows of `width`.
#[inline(always)]
fn put_column(matrix: &mut [f32], width: usize, c: usize, column: &[f32]) {
    column.iter().enumerate().for_each(|(j, x)| matrix[j * width + c] = *x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier};

    /// The rule, channel by channel, over all rows of a sequence at once.
    fn by_the_rule(x: &[f32], weight: &[f32], channels: usize, taps: usize) -> Vec<f32> {
        let at =
            |t: usize, c: usize, j: usize| if t + j + 1 < taps { 0.0 } else { x[(t + j + 1 - taps) * channels + c] };
        let one = |t: usize, c: usize| {
            let w = &weight[c * taps..][..taps];
            silu((1..taps).fold(w[0] * at(t, c, 0), |sum, j| w[j].mul_add(at(t, c, j), sum)))
        };
        (0..x.len() / channels).flat_map(|t| (0..channels).map(move |c| one(t, c))).collect()
    }

    /// The rows in pieces of `chunk`.
    fn convolved(x: &[f32], weight: &[f32], channels: usize, taps: usize, chunk: usize) -> Vec<f32> {
        let mut state = vec![0.0; channels * (taps - 1)];
        let mut scratch = vec![f32::NAN; causal_conv_scratch(channels, taps)];
        let mut all = vec![f32::NAN; x.len()];
        for (x, out) in x.chunks(chunk * channels).zip(all.chunks_mut(chunk * channels)) {
            let rows = x.len() / channels;
            let (x, weight) = (View::new(x, rows, channels, channels), View::new(weight, channels, taps, taps));
            let mut state = ViewMut::new(&mut state, channels, taps - 1, taps - 1);
            let mut out = ViewMut::new(out, rows, channels, channels);
            CausalConv { x, weight, scratch: &mut scratch }.run(&mut state, &mut out);
        }
        all
    }

    #[test]
    fn pieces_and_tiers_follow_the_rule() {
        for (channels, taps) in [(1, 2), (48, 4), (300, 3), (520, 4)] {
            let (x, weight) = (numbers(1, 23 * channels), numbers(2, channels * taps));
            let want: Vec<u32> = by_the_rule(&x, &weight, channels, taps).iter().map(|x| x.to_bits()).collect();
            for chunk in [1, 2, 5, 23] {
                for got in on_every_tier(|| convolved(&x, &weight, channels, taps, chunk)) {
                    assert!(got.iter().map(|x| x.to_bits()).eq(want.iter().copied()), "{channels} {taps} {chunk}");
                }
            }
        }
    }
}
