use half::f16;
use vt_core::{View, ViewMut};

use super::*;
#[cfg(target_arch = "aarch64")]
use crate::arch::Neon;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Avx2, Avx512};
use crate::arch::{Portable, Work};
use crate::float::half::{f16_to_f32, f32_to_f16};
use crate::math::testing::numbers;
use crate::math::{exp, softcap};

/// A sequence of `positions` keys and values, and queries for its last `rows` positions.
struct Problem {
    group: Group<'static>,
    sinks: Vec<f32>,
    rows: usize,
    positions: usize,
    d_k: usize,
    d_v: usize,
    queries: Vec<f32>,
    keys: Vec<f16>,
    values: Vec<f16>,
}

impl Problem {
    fn new(heads: usize, rows: usize, positions: usize, [d_k, d_v]: [usize; 2], window: Option<usize>) -> Self {
        let halves = |seed, count| numbers(seed, count).into_iter().map(f32_to_f16).collect();
        let queries = numbers(11, rows * heads * d_k).into_iter().map(|x| x * 8.0).collect();
        let group = Group { heads, scale: 0.6, window, cap: None, temperature: None, sinks: &[] };
        let (keys, values) = (halves(12, positions * d_k), halves(13, positions * d_v));
        Self { group, sinks: Vec::new(), rows, positions, d_k, d_v, queries, keys, values }
    }

    fn capped(mut self, cap: f32) -> Self {
        self.group.cap = Some(cap);
        self
    }

    fn warm(mut self, factor: f32, length: usize) -> Self {
        self.group.temperature = Some(Temperature { factor, length });
        self
    }

    /// With sinks of which some are above all scores and some below.
    fn sinking(mut self) -> Self {
        self.sinks = numbers(14, self.group.heads).into_iter().map(|x| x * 20.0).collect();
        self
    }

    /// The factor of query i's scores.
    fn scale(&self, i: usize) -> f32 {
        let position = self.first() + i / self.group.heads;
        self.group.temperature.map_or(self.group.scale, |temperature| temperature.scale(self.group.scale, position))
    }

    fn sink(&self, i: usize) -> Option<f32> {
        self.sinks.get(i % self.group.heads).copied()
    }

    fn first(&self) -> usize {
        self.positions - self.rows
    }

    /// The key positions that the query in row `row` sees.
    fn seen(&self, row: usize) -> std::ops::Range<usize> {
        let position = self.first() + row;
        self.group.window.map_or(0, |w| (position + 1).saturating_sub(w))..position + 1
    }

    fn query(&self, i: usize) -> &[f32] {
        &self.queries[i * self.d_k..(i + 1) * self.d_k]
    }

    fn key(&self, j: usize, d: usize) -> f32 {
        f16_to_f32(self.keys[j * self.d_k + d])
    }

    fn value(&self, j: usize, d: usize) -> f32 {
        f16_to_f32(self.values[j * self.d_v + d])
    }

    /// The rows `from .. from + count` alone.
    fn attend(&self, from: usize, count: usize) -> Vec<u32> {
        Portable.perform(Attend { isa: Portable, problem: self, from, count })
    }

    /// The same on every tier that the machine has.
    fn attend_on_every_tier(&self, from: usize, count: usize) -> Vec<Vec<u32>> {
        let mut results = vec![self.attend(from, count)];
        #[cfg(target_arch = "x86_64")]
        {
            results.extend(Avx2::new().map(|isa| isa.perform(Attend { isa, problem: self, from, count })));
            results.extend(Avx512::new().map(|isa| isa.perform(Attend { isa, problem: self, from, count })));
        }
        #[cfg(target_arch = "aarch64")]
        results.extend(Neon::new().map(|isa| isa.perform(Attend { isa, problem: self, from, count })));
        results
    }
}

struct Attend<'a, I> {
    isa: I,
    problem: &'a Problem,
    from: usize,
    count: usize,
}

impl<I: Isa> Work for Attend<'_, I> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run(self) -> Vec<u32> {
        let p = self.problem;
        let (q, o) = (p.group.heads * p.d_k, p.group.heads * p.d_v);
        let mut out = vec![f32::NAN; self.count * o];
        let mut scratch = vec![f32::NAN; attend_scratch(self.count, p.group.heads, p.d_k, p.d_v)];
        attend(
            self.isa,
            Group { sinks: &p.sinks, ..p.group },
            p.first() + self.from,
            View::new(&p.queries, p.rows, q, q).slice_rows(self.from, self.count),
            (View::new(&p.keys, p.positions, p.d_k, p.d_k), View::new(&p.values, p.positions, p.d_v, p.d_v)),
            &mut ViewMut::new(&mut out, self.count, o, o),
            &mut scratch,
        );
        out.into_iter().map(f32::to_bits).collect()
    }
}

fn problems() -> Vec<Problem> {
    vec![
        Problem::new(1, 1, 1, [64, 64], None),
        Problem::new(1, 1, 200, [64, 64], None),
        Problem::new(7, 1, 130, [64, 64], None),
        Problem::new(2, 9, 70, [128, 128], None),
        Problem::new(1, 130, 130, [16, 48], None),
        Problem::new(3, 40, 300, [20, 9], Some(50)),
        Problem::new(1, 5, 300, [33, 17], Some(1)),
        Problem::new(4, 3, 200, [80, 80], Some(64)),
        Problem::new(2, 0, 5, [8, 8], None),
        Problem::new(1, 1, 200, [64, 64], None).capped(1.5),
        Problem::new(3, 9, 150, [32, 20], Some(70)).capped(0.5).sinking(),
        Problem::new(7, 1, 130, [64, 64], None).sinking(),
        Problem::new(2, 40, 100, [16, 16], None).warm(0.3, 32),
        Problem::new(1, 1, 100, [16, 16], None).warm(0.3, 16).capped(2.0).sinking(),
    ]
}

/// The formula in f64.
fn exact(p: &Problem, i: usize) -> Vec<f64> {
    let seen = p.seen(i / p.group.heads);
    let score = |j: usize| {
        let dot: f64 = p.query(i).iter().enumerate().map(|(d, q)| f64::from(*q) * f64::from(p.key(j, d))).sum();
        let steps = p.group.temperature.map_or(0.0, |t| {
            let position = p.first() + i / p.group.heads;
            f64::from(t.factor) * (1.0 + (position / t.length) as f64).ln()
        });
        let scaled = dot * f64::from(p.group.scale) * (1.0 + steps);
        p.group.cap.map_or(scaled, |cap| f64::from(cap) * (scaled / f64::from(cap)).tanh()).exp()
    };
    let weights: Vec<f64> = seen.clone().map(score).collect();
    let total = weights.iter().sum::<f64>() + p.sink(i).map_or(0.0, |sink| f64::from(sink).exp());
    let weigh = |d: usize| seen.clone().zip(&weights).map(|(j, w)| w * f64::from(p.value(j, d))).sum::<f64>();
    (0..p.d_v).map(|d| weigh(d) / total).collect()
}

fn tree(mut sums: [f32; 16]) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
    }
    sums[0]
}

/// The rule, one operation after another.
fn by_the_rule(p: &Problem, i: usize) -> Vec<u32> {
    let mut state: Option<(f32, f32, Vec<f32>)> = None;
    for chunk in 0..p.positions.div_ceil(64) {
        let keys: Vec<usize> = p.seen(i / p.group.heads).filter(|j| j / 64 == chunk).collect();
        if keys.is_empty() {
            continue;
        }
        let scores: Vec<f32> = keys
            .iter()
            .map(|&j| {
                let mut dot = 0.0;
                for (part, query) in p.query(i).chunks(16).enumerate() {
                    dot += query.iter().enumerate().fold(0.0, |x, (d, q)| q.mul_add(p.key(j, 16 * part + d), x));
                }
                p.group.cap.map_or(dot * p.scale(i), |cap| softcap(dot * p.scale(i), cap))
            })
            .collect();
        let m = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sums = [0.0; 16];
        let mut o = vec![0.0f32; p.d_v];
        for (&j, s) in keys.iter().zip(&scores) {
            let weight = exp(s - m);
            sums[j % 16] += weight;
            for (d, o) in o.iter_mut().enumerate() {
                *o = weight.mul_add(p.value(j, d), *o);
            }
        }
        let l = tree(sums);
        state = Some(match state {
            None => (m, l, o),
            Some((old_m, old_l, old_o)) => {
                let n = old_m.max(m);
                let (a, b) = (exp(old_m - n), exp(m - n));
                let o = old_o.iter().zip(&o).map(|(old, o)| old.mul_add(a, o * b)).collect();
                (n, old_l.mul_add(a, l * b), o)
            }
        });
    }
    let (m, mut l, mut o) = state.expect("every query sees its own key");
    if let Some(sink) = p.sink(i) {
        let n = m.max(sink);
        l = l.mul_add(exp(m - n), exp(sink - n));
        o.iter_mut().for_each(|o| *o *= exp(m - n));
    }
    o.iter().map(|o| (o / l).to_bits()).collect()
}

#[test]
fn it_is_the_formula() {
    for p in problems() {
        let got = p.attend(0, p.rows);
        for i in 0..p.rows * p.group.heads {
            for (d, want) in exact(&p, i).into_iter().enumerate() {
                let got = f64::from(f32::from_bits(got[i * p.d_v + d]));
                assert!((got - want).abs() < 4e-6, "query {i}, {d}: {got} {want}");
            }
        }
    }
}

#[test]
fn it_is_the_rule_bit_by_bit_in_every_tier() {
    for p in problems() {
        let want: Vec<u32> = (0..p.rows * p.group.heads).flat_map(|i| by_the_rule(&p, i)).collect();
        for got in p.attend_on_every_tier(0, p.rows) {
            assert_eq!(got, want);
        }
    }
}

#[test]
fn a_row_alone_is_the_same_as_among_others() {
    for p in problems() {
        let all = p.attend(0, p.rows);
        let width = p.group.heads * p.d_v;
        for from in 0..p.rows {
            for count in [1, 3] {
                let count = count.min(p.rows - from);
                for got in p.attend_on_every_tier(from, count) {
                    assert_eq!(got, all[from * width..(from + count) * width]);
                }
            }
        }
    }
}

#[test]
fn keys_that_are_not_seen_have_no_influence() {
    for window in [None, Some(70)] {
        let clean = Problem::new(2, 3, 200, [64, 64], window);
        let mut poisoned = Problem::new(2, 3, 200, [64, 64], window);
        let seen = poisoned.seen(0);
        for j in (0..200).filter(|j| !seen.contains(j)) {
            poisoned.keys[j * 64..(j + 1) * 64].fill(f16::NAN);
            poisoned.values[j * 64..(j + 1) * 64].fill(f16::INFINITY);
        }
        assert_eq!(poisoned.attend(0, 3)[..128], clean.attend(0, 3)[..128]);
    }
}

#[test]
fn a_nan_among_the_keys_makes_the_result_nan() {
    let mut p = Problem::new(1, 1, 100, [16, 16], None);
    p.keys[5 * 16] = f16::NAN;
    assert!(p.attend(0, 1).into_iter().all(|bits| f32::from_bits(bits).is_nan()));
}
