//! Sixteen partial sums: the order in which vt adds along a row.
//!
//! Element k of a row goes to partial sum k mod 16, k ascending, each from +0; elements that are absent because the row
//! is no multiple of 16 are skipped. Then the sums are added as a tree of halves: i + (i + 8), then i + (i + 4),
//! i + (i + 2), i + (i + 1). It is one vector in AVX-512, two in AVX2, four in NEON, and every level of the tree adds
//! the upper half of a register (or the later registers) to the lower.
//!
//! Loops stand where `array::from_fn` would read better: it takes a closure, and a closure cannot be marked to be
//! inlined.

/// The number of partial sums.
pub const LANES: usize = 16;

/// Partial sum l in place l.
pub type Lanes = [f32; LANES];

/// The tree.
#[inline(always)]
pub fn add_tree(sums: &Lanes) -> f32 {
    let mut eight = [0.0; 8];
    for i in 0..8 {
        eight[i] = sums[i] + sums[i + 8];
    }
    let mut four = [0.0; 4];
    for i in 0..4 {
        four[i] = eight[i] + eight[i + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

/// `row` as whole chunks, and the rest padded to a chunk, with its length.
#[inline(always)]
pub(super) fn chunks(row: &[f32]) -> (&[Lanes], Lanes, usize) {
    let (whole, rest) = row.as_chunks::<LANES>();
    let mut padded = [0.0; LANES];
    padded[..rest.len()].copy_from_slice(rest);
    (whole, padded, rest.len())
}

/// Where `lane < present` the new sum, elsewhere the old one: how absent elements are skipped.
#[inline(always)]
pub(super) fn keep_absent(old: &Lanes, new: &Lanes, present: usize) -> Lanes {
    let mut kept = *old;
    for (l, (kept, new)) in kept.iter_mut().zip(new).enumerate() {
        *kept = if l < present { *new } else { *kept };
    }
    kept
}

/// `sum = fma(a, b, sum)` in every lane.
#[inline(always)]
pub(crate) fn multiply_add(sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
    let mut new = *sums;
    for ((new, a), b) in new.iter_mut().zip(a).zip(b) {
        *new = a.mul_add(*b, *new);
    }
    new
}

/// The sum of the products of `a` and `b`, each added by fma. The longer one's surplus is not looked at.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let len = a.len().min(b.len());
    let (a_whole, a_rest, present) = chunks(&a[..len]);
    let (b_whole, b_rest, _) = chunks(&b[..len]);
    let mut sums = [0.0; LANES];
    for (a, b) in a_whole.iter().zip(b_whole) {
        sums = multiply_add(&sums, a, b);
    }
    let last = multiply_add(&sums, &a_rest, &b_rest);
    add_tree(&keep_absent(&sums, &last, present))
}

/// The sum of the squares, each added by fma.
#[inline(always)]
pub fn sum_of_squares(row: &[f32]) -> f32 {
    dot(row, row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{numbers, on_every_tier};

    /// The rule, element by element.
    fn by_the_rule(len: usize, step: impl Fn(f32, usize) -> f32) -> f32 {
        let mut sums = [0.0f32; 16];
        for k in 0..len {
            sums[k % 16] = step(sums[k % 16], k);
        }
        for half in [8, 4, 2, 1] {
            for i in 0..half {
                sums[i] += sums[i + half];
            }
        }
        sums[0]
    }

    #[test]
    fn sums_follow_the_rule_on_every_tier() {
        for len in (0..70).chain([255, 1000]) {
            let (a, b) = (numbers(1, len), numbers(2, len));
            let want = [by_the_rule(len, |s, k| a[k].mul_add(b[k], s)), by_the_rule(len, |s, k| a[k].mul_add(a[k], s))];
            for got in on_every_tier(|| [dot(&a, &b), sum_of_squares(&a)]) {
                assert_eq!(got.map(f32::to_bits), want.map(f32::to_bits), "{len}");
            }
        }
    }

    #[test]
    fn an_absent_element_is_not_a_zero() {
        // 1e-30 * -1e-30 rounds to -0, and the tree keeps the sign only if all sixteen sums have it; the sixteenth
        // would lose it to another +0.
        let (a, b) = ([1e-30; 31], [-1e-30; 31]);
        assert_eq!(dot(&a, &b).to_bits(), (-0.0f32).to_bits());
        assert_eq!(dot(&[f32::NAN], &[]), 0.0);
    }
}
