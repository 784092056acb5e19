use half::{bf16, f16};
use vt_core::{View, ViewMut};

use super::half::{bf16_to_f32, round_to_bf16};
use super::{Weight, matmul, matmul_scratch};
#[cfg(target_arch = "aarch64")]
use crate::arch::Neon;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512, Avx512Bf16};
use crate::arch::{Isa, Portable, Work};
use crate::math::testing::numbers;

#[derive(Clone, Copy)]
struct Matmul<'a, W> {
    weights: &'a [W],
    acts: &'a [f32],
    shape: [usize; 3],
}

/// On a tier, by tiles of R rows and T tokens.
struct On<'a, I, W, const R: usize, const T: usize>(I, Matmul<'a, W>);

impl<I: Isa, W: Weight, const R: usize, const T: usize> Work for On<'_, I, W, R, T> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let Self(isa, Matmul { weights, acts, shape }) = self;
        let [m, n, k] = shape;
        let mut out = vec![f32::NAN; m * n];
        let mut scratch = vec![f32::NAN; matmul_scratch::<I, W>(m, k)];
        let (weights, acts) = (View::new(weights, n, k, k), View::new(acts, m, k, k));
        matmul::<I, W, R, T>(isa, weights, acts, &mut ViewMut::new(&mut out, m, n, n), &mut scratch);
        out
    }
}

impl<W: Weight> Matmul<'_, W> {
    fn on_every_tier(self) -> Vec<Vec<f32>> {
        let mut results = vec![Portable.perform(On::<_, _, 3, 2>(Portable, self))];
        #[cfg(target_arch = "x86_64")]
        {
            results.extend(Avx2::new().map(|isa| isa.perform(On::<_, _, 3, 2>(isa, self))));
            results.extend(Avx512::new().map(|isa| isa.perform(On::<_, _, 6, 4>(isa, self))));
            results.extend(Avx512Bf16::new().map(|isa| isa.perform(On::<_, _, 6, 4>(isa, self))));
        }
        #[cfg(target_arch = "aarch64")]
        results.extend(Neon::new().map(|isa| isa.perform(On::<_, _, 3, 2>(isa, self))));
        results
    }
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }).collect()
}

const SHAPES: [[usize; 3]; 24] = [
    [0, 3, 5],
    [3, 0, 5],
    [2, 3, 0],
    [7, 3, 0],
    [1, 1, 1],
    [1, 9, 31],
    [2, 5, 33],
    [3, 6, 100],
    [4, 7, 513],
    [5, 4, 512],
    [6, 66, 48],
    [9, 5, 1030],
    [17, 70, 47],
    [122, 3, 65],
    [1, 3, 1030],
    [2, 2, 1088],
    [130, 67, 16],
    // Several blocks of K, of tokens, of rows, and tiles of every width.
    [4, 9, 96],
    [7, 13, 3000],
    [27, 49, 2080],
    [50, 3, 9001],
    [260, 50, 33],
    [17, 13, 1056],
    [38, 7, 64],
];

/// Compares every tier and tile shape with `rule`, and `rule` with f64.
fn check<W: Weight + Into<f32>>(
    narrow: impl Fn(f32) -> W,
    rule: impl Fn(&[W], &[f32]) -> f32,
    activation: impl Fn(f32) -> f32,
) {
    for shape @ [m, n, k] in SHAPES {
        let weights: Vec<W> = numbers(21, n * k).into_iter().map(&narrow).collect();
        let acts = numbers(22, m * k);
        let row = |i: usize| (&weights[i % n * k..][..k], &acts[i / n * k..][..k]);
        let want: Vec<f32> = (0..m * n).map(|i| rule(row(i).0, row(i).1)).collect();
        for (i, want) in want.iter().enumerate() {
            let products =
                row(i).0.iter().zip(row(i).1).map(|(w, x)| f64::from((*w).into()) * f64::from(activation(*x)));
            let (sum, norm) = products.fold((0.0, 0.0), |(s, n), p| (s + p, n + p.abs()));
            assert!((f64::from(*want) - sum).abs() <= 1e-6 * norm, "{shape:?} {i}");
        }
        // Rows that start with lines of the cache are multiplied as they lie.
        for shift in [0, 1] {
            let mut room = vec![narrow(0.0); n * k + 64];
            let start = room.as_ptr().align_offset(64) + shift;
            room[start..start + n * k].copy_from_slice(&weights);
            let matmul = Matmul { weights: &room[start..start + n * k], acts: &acts, shape };
            let mut results = matmul.on_every_tier();
            results.push(Portable.perform(On::<_, _, 2, 3>(Portable, matmul)));
            for got in results {
                assert_eq!(bits(&got), bits(&want), "{shape:?}");
            }
        }
    }
}

fn tree(mut sums: [f32; 16]) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
    }
    sums[0]
}

fn sixteen_sums<W: Weight + Into<f32>>(w: &[W], x: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (k, (w, x)) in w.iter().zip(x).enumerate() {
        let w: f32 = (*w).into();
        sums[k % 16] = w.mul_add(*x, sums[k % 16]);
    }
    tree(sums)
}

/// One fused step of `vdpbf16ps`, its rounding done on the exact value: a product of bf16 and its sum with an f32 near
/// it are exact in f64, and what is further away cannot be below the normal range.
fn bf16_step(sum: f32, a: f32, b: f32) -> f32 {
    let zero_if_denormal = |x: f32| if x.is_normal() || !x.is_finite() { x } else { 0f32.copysign(x) };
    let (a, b) = (zero_if_denormal(a), zero_if_denormal(b));
    let rounded = a.mul_add(b, sum);
    if rounded.abs() > f32::MIN_POSITIVE {
        return rounded;
    }
    let exact = f64::from(a) * f64::from(b) + f64::from(sum);
    let up = 2f64.powi(60);
    let unbounded = f64::from((exact * up) as f32) / up;
    if unbounded.abs() < f64::from(f32::MIN_POSITIVE) { 0f32.copysign(rounded) } else { rounded }
}

fn pairs_of_bf16(w: &[bf16], x: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    let order = (0..w.len()).map(|k| if k % 2 == 0 { k + 1 } else { k - 1 }).chain([w.len() - w.len() % 2]);
    for k in order.filter(|&k| k < w.len()).take(w.len()) {
        let lane = k % 32 / 2;
        sums[lane] = bf16_step(sums[lane], bf16_to_f32(w[k]), round_to_bf16(x[k]));
    }
    tree(sums)
}

#[test]
fn f32_weights() {
    check::<f32>(|x| x, sixteen_sums, |x| x);
}

#[test]
fn f16_weights() {
    check::<f16>(f16::from_f32, sixteen_sums, |x| x);
}

#[test]
fn bf16_weights() {
    check::<bf16>(bf16::from_f32, pairs_of_bf16, round_to_bf16);
}

#[test]
fn bf16_sums_near_the_end_of_the_range() {
    for (m, k) in [(1, 64), (3, 100), (5, 1030), (9, 2500)] {
        for seed in 0..40 {
            let spread = |seed: u64, count: usize, shift: i32| -> Vec<f32> {
                let exponents = numbers(seed + 1000, count);
                let powers = exponents.iter().map(|e| 2f32.powi((e * 12.0) as i32 + shift));
                numbers(seed, count).iter().zip(powers).map(|(x, p)| x * p).collect()
            };
            // A seed in ten has operands that are themselves denormal.
            let shift = if seed % 10 == 0 { -122 } else { -60 };
            let weights: Vec<bf16> = spread(2 * seed, 3 * k, shift).into_iter().map(bf16::from_f32).collect();
            let acts = spread(2 * seed + 1, m * k, -125 - shift);
            let want: Vec<f32> =
                (0..m * 3).map(|i| pairs_of_bf16(&weights[i % 3 * k..][..k], &acts[i / 3 * k..][..k])).collect();
            let (weights, acts, shape) = (&weights[..], &acts[..], [m, 3, k]);
            for got in (Matmul { weights, acts, shape }).on_every_tier() {
                assert_eq!(bits(&got), bits(&want), "{seed} {m}");
            }
        }
    }
}

#[test]
fn a_tiny_weight_changes_the_road_but_not_the_bits() {
    // Beside it, in its block of K and behind it, sums are flushed or not by other steps.
    for (m, tiny) in [(2, 1e-38), (2, 1e-40), (11, 1e-38), (11, 1e-40), (11, 1e-30)] {
        let k = 3200;
        for at in [0, 31, 1500, 3199] {
            let mut weights: Vec<bf16> = numbers(41, 7 * k).into_iter().map(bf16::from_f32).collect();
            weights[5 * k + at] = bf16::from_f32(tiny);
            let acts = numbers(42, m * k);
            let want: Vec<f32> =
                (0..m * 7).map(|i| pairs_of_bf16(&weights[i % 7 * k..][..k], &acts[i / 7 * k..][..k])).collect();
            let (weights, acts, shape) = (&weights[..], &acts[..], [m, 7, k]);
            for got in (Matmul { weights, acts, shape }).on_every_tier() {
                assert_eq!(bits(&got), bits(&want), "{m} {tiny:e} {at}");
            }
        }
    }
}

#[test]
fn scratch_is_enough_for_fewer_tokens() {
    fn check<W: Weight>() {
        for k in [0, 5, 576, 4096, 70_000] {
            for m in 0..300 {
                let [fewer, more] = [m, m + 1].map(|m| matmul_scratch::<Portable, W>(m, k));
                assert!(fewer <= more, "{m} rows of {k}");
            }
        }
    }
    check::<f32>();
    check::<bf16>();
}

#[test]
fn what_is_not_finite_stays_in_its_row() {
    for (m, k) in [(1, 40), (6, 40)] {
        let mut weights = numbers(31, 5 * k);
        weights[2 * k + 35] = f32::INFINITY;
        let acts = vec![1.0; m * k];
        let out = &Matmul { weights: &weights, acts: &acts, shape: [m, 5, k] }.on_every_tier()[0];
        for (i, x) in out.iter().enumerate() {
            assert_eq!(*x == f32::INFINITY, i % 5 == 2);
        }
    }
}
