//! Register tiles: 16 weight rows in lanes by as many tokens as a tier's registers hold.

use super::exact_sum::ExactSum;

/// Weight rows in a panel.
pub const ROWS: usize = 16;

/// One number for each weight row of a panel.
pub type Lanes = [f32; ROWS];

/// A tile: how many tokens are computed at once. All tiles give the same bits.
pub trait Tile {
    /// Tokens in the tile.
    const TOKENS: usize;

    /// `sums[t][row]` = the sum over k of `weights[k][row] * acts[t][k]`, for integers whose sums are below 2^24 in
    /// magnitude. `acts` holds `C` elements of each token, then the next `C` of each.
    fn products<const C: usize>(weights: &[Lanes], acts: &[[f32; C]], sums: &mut [Lanes]);

    /// Adds `sums` to `totals`.
    fn accumulate(sums: &[Lanes], totals: &mut [ExactSum]);

    /// The totals, rounded once.
    fn rounded(totals: &[ExactSum], sums: &mut [Lanes]);

    /// `accs[t] = fma(scale * factors[t], sums[t], accs[t])`, with the product rounded.
    fn add_scaled(scale: &Lanes, factors: &[f32], sums: &[Lanes], accs: &mut [Lanes]);

    /// `accs[t] = fma(scale, factors[t], accs[t])`.
    fn add_products(scale: &Lanes, factors: &[f32], accs: &mut [Lanes]);
}

/// Four vectors of 4 for each token, without fused multiply-add unless the target always has it.
#[derive(Clone, Copy, Debug)]
pub struct Tile2;

/// Whether the compilation's baseline has a fused multiply-add instruction.
const BASELINE_FMA: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// `sum + weights * act`: exact, so fusing makes no difference but speed.
#[inline(always)]
fn multiply_add<const FUSED: bool>(mut sums: Lanes, weights: &Lanes, act: f32) -> Lanes {
    for l in 0..ROWS {
        sums[l] = if FUSED { weights[l].mul_add(act, sums[l]) } else { sums[l] + weights[l] * act };
    }
    sums
}

#[inline(always)]
fn add_scaled(scale: &Lanes, factor: f32, sums: &Lanes, accs: &mut Lanes) {
    for l in 0..ROWS {
        accs[l] = (scale[l] * factor).mul_add(sums[l], accs[l]);
    }
}

#[inline(always)]
fn add_products(scale: &Lanes, factor: f32, accs: &mut Lanes) {
    for l in 0..ROWS {
        accs[l] = scale[l].mul_add(factor, accs[l]);
    }
}

/// Writes the tokens out: the compiler keeps an array that a loop indexes in memory.
macro_rules! tile {
    ($tile:ident, $tokens:literal, $fused:expr, $($t:literal $sum:ident),+) => {
        impl Tile for $tile {
            const TOKENS: usize = $tokens;

            #[inline(always)]
            fn products<const C: usize>(weights: &[Lanes], acts: &[[f32; C]], sums: &mut [Lanes]) {
                $(let mut $sum = [0.0; ROWS];)+
                for (weights, acts) in weights.as_chunks::<C>().0.iter().zip(acts.as_chunks::<$tokens>().0) {
                    for k in 0..C {
                        $($sum = multiply_add::<{ $fused }>($sum, &weights[k], acts[$t][k]);)+
                    }
                }
                $(sums[$t] = $sum;)+
            }

            #[inline(always)]
            fn accumulate(sums: &[Lanes], totals: &mut [ExactSum]) {
                $(totals[$t].add(&sums[$t]);)+
            }

            #[inline(always)]
            fn rounded(totals: &[ExactSum], sums: &mut [Lanes]) {
                $(sums[$t] = totals[$t].rounded();)+
            }

            #[inline(always)]
            fn add_scaled(scale: &Lanes, factors: &[f32], sums: &[Lanes], accs: &mut [Lanes]) {
                $(add_scaled(scale, factors[$t], &sums[$t], &mut accs[$t]);)+
            }

            #[inline(always)]
            fn add_products(scale: &Lanes, factors: &[f32], accs: &mut [Lanes]) {
                $(add_products(scale, factors[$t], &mut accs[$t]);)+
            }
        }
    };
}

tile!(Tile2, 2, BASELINE_FMA, 0 a, 1 b);
