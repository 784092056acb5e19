//! The register tile of the portable panels: 16 weight rows in lanes by two tokens, as four vectors of 4 for each token.
//! It is written out token by token: the compiler keeps an array that a loop indexes in memory.

use super::exact_sum::ExactSum;

/// Weight rows in a panel.
pub const ROWS: usize = 16;

/// One number for each weight row of a panel.
pub type Lanes = [f32; ROWS];

/// Tokens in a tile.
pub(super) const TOKENS: usize = 2;

/// One number for each row and token of a tile.
pub(super) type Tile = [Lanes; TOKENS];

/// Whether the compilation's baseline has a fused multiply-add instruction.
const BASELINE_FMA: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// The sum over k of `weights[k][row] * acts[t][k]`, for integers whose sums are below 2^24 in magnitude. `acts` holds
/// `C` elements of each token, then the next `C` of each.
#[inline(always)]
pub(super) fn products<const C: usize>(weights: &[Lanes], acts: &[[f32; C]]) -> Tile {
    let mut first = [0.0; ROWS];
    let mut second = [0.0; ROWS];
    for (weights, [a, b]) in weights.as_chunks::<C>().0.iter().zip(acts.as_chunks().0) {
        for k in 0..C {
            first = multiply_add(first, &weights[k], a[k]);
            second = multiply_add(second, &weights[k], b[k]);
        }
    }
    [first, second]
}

/// `sum + weights * act`: exact, so fusing makes no difference but speed.
#[inline(always)]
fn multiply_add(mut sums: Lanes, weights: &Lanes, act: f32) -> Lanes {
    for l in 0..ROWS {
        sums[l] = if BASELINE_FMA { weights[l].mul_add(act, sums[l]) } else { sums[l] + weights[l] * act };
    }
    sums
}

/// Adds `sums` to `totals`.
#[inline(always)]
pub(super) fn accumulate(sums: &Tile, totals: &mut [ExactSum; TOKENS]) {
    totals[0].add(&sums[0]);
    totals[1].add(&sums[1]);
}

/// The totals, rounded once.
#[inline(always)]
pub(super) fn rounded(totals: &[ExactSum; TOKENS]) -> Tile {
    [totals[0].rounded(), totals[1].rounded()]
}

/// `accs[t] = fma(scale * factors[t], sums[t], accs[t])`, with the product rounded.
#[inline(always)]
pub(super) fn add_scaled(scale: &Lanes, factors: &[f32], sums: &Tile, accs: &mut Tile) {
    for t in 0..TOKENS {
        for l in 0..ROWS {
            accs[t][l] = (scale[l] * factors[t]).mul_add(sums[t][l], accs[t][l]);
        }
    }
}

/// `accs[t] = fma(scale, factors[t], accs[t])`.
#[inline(always)]
pub(super) fn add_products(scale: &Lanes, factors: &[f32], accs: &mut Tile) {
    for t in 0..TOKENS {
        for l in 0..ROWS {
            accs[t][l] = scale[l].mul_add(factors[t], accs[t][l]);
        }
    }
}
