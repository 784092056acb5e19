//! A chunk of keys against a tile of queries.

use std::array::from_fn;
use std::ops::Range;

use vt_core::{View, ViewMut};

use super::buffers::{Buffers, GROUPS};
use super::softmax::{merge, softmax};
use super::{CHUNK, Group, first_key};
use crate::arch::Isa;
use crate::float::lanes::{LANES, Lanes, multiply_add};
use crate::math::softcap;

/// Elements of a dot product that are summed by themselves.
const PART: usize = 16;

/// The chunk that starts at key `key` and has `len` keys that some query may see.
pub(super) struct Chunk<'a> {
    pub(super) group: Group<'a>,
    pub(super) first: usize,
    pub(super) key: usize,
    pub(super) len: usize,
    /// A row holds the group's heads one after another. Query i is head i mod `heads` of row i div `heads`.
    pub(super) queries: View<'a, f32>,
}

impl Chunk<'_> {
    /// The keys of the chunk that a query sees.
    #[inline(always)]
    fn seen(&self, query: usize) -> Range<usize> {
        let position = self.first + query / self.group.heads;
        let start = first_key(self.group.window, position).saturating_sub(self.key);
        start..(position + 1).saturating_sub(self.key).min(self.len)
    }

    /// Merges the chunk into the T queries from `query` on (as far as they exist).
    #[inline(always)]
    pub(super) fn attend_tile<I: Isa, const T: usize>(
        &self,
        query: usize,
        buffers: &mut Buffers,
        out: &mut ViewMut<f32>,
    ) {
        let count = self.queries.rows() * self.group.heads;
        let queries: [usize; T] = from_fn(|t| (query + t).min(count - 1));
        let seen = queries.map(|query| self.seen(query));
        if seen.iter().all(|seen| seen.is_empty()) {
            return;
        }
        let mut scores = [[0.0; CHUNK]; T];
        let groups = seen.iter().fold(GROUPS, |start, seen| start.min(seen.start / LANES))
            ..seen.iter().fold(0, |end, seen| end.max(seen.end.div_ceil(LANES)));
        self.scores::<I, T>(&mut scores, queries, groups, buffers.keys);
        let mut sums = [(0.0, 0.0); T];
        for t in 0..T {
            sums[t] = softmax(&mut scores[t], seen[t].clone());
        }
        if seen.iter().all(|other| *other == seen[0]) {
            weigh::<I, T>(from_fn(|t| &scores[t]), seen[0].clone(), buffers.values, buffers.weighted);
        } else {
            let v = buffers.v;
            for t in 0..T {
                weigh::<I, 1>([&scores[t]], seen[t].clone(), buffers.values, &mut buffers.weighted[t * v..][..v]);
            }
        }
        for t in 0..T.min(count - query) {
            if !seen[t].is_empty() {
                self.merge(query + t, sums[t], t, buffers, out);
            }
        }
    }

    /// The factor of a query's scores.
    #[inline(always)]
    fn scale(&self, query: usize) -> f32 {
        let Group { heads, scale, temperature, .. } = self.group;
        temperature.map_or(scale, |temperature| temperature.scale(scale, self.first + query / heads))
    }

    #[inline(always)]
    fn query(&self, i: usize) -> &[f32] {
        let d_k = self.queries.cols() / self.group.heads;
        &self.queries.row(i / self.group.heads)[i % self.group.heads * d_k..][..d_k]
    }

    /// The scores of the keys in some groups of sixteen.
    #[inline(always)]
    fn scores<I: Isa, const T: usize>(
        &self,
        scores: &mut [[f32; CHUNK]; T],
        queries: [usize; T],
        groups: Range<usize>,
        keys: &[[Lanes; GROUPS]],
    ) {
        let scales = queries.map(|query| self.scale(query));
        let queries = queries.map(|query| self.query(query));
        if I::VECTORS >= 2 * T * GROUPS && groups == (0..GROUPS) {
            some_scores::<T, GROUPS>(scores, queries, 0, keys, scales);
        } else {
            for group in groups {
                some_scores::<T, 1>(scores, queries, group, keys, scales);
            }
        }
        if let Some(cap) = self.group.cap {
            scores.as_flattened_mut().iter_mut().for_each(|score| *score = softcap(*score, cap));
        }
    }

    /// Merges tile row `t`'s part of the chunk into a query's state and output.
    #[inline(always)]
    fn merge(&self, query: usize, sums: (f32, f32), t: usize, buffers: &mut Buffers, out: &mut ViewMut<f32>) {
        let heads = self.group.heads;
        let d_v = out.cols() / heads;
        let out = &mut out.row_mut(query / heads)[query % heads * d_v..][..d_v];
        let weighted = &buffers.weighted[t * buffers.v..][..buffers.v].as_flattened()[..d_v];
        let first = first_key(self.group.window, self.first + query / heads);
        if self.key <= first {
            // The first chunk with a key that the query sees.
            buffers.state[query] = [sums.0, sums.1];
            out.copy_from_slice(weighted);
        } else {
            merge(&mut buffers.state[query], out, sums, weighted);
        }
    }
}

/// The scores of `G` groups from `first` on, which are zeros before.
#[inline(always)]
fn some_scores<const T: usize, const G: usize>(
    scores: &mut [[f32; CHUNK]; T],
    queries: [&[f32]; T],
    first: usize,
    keys: &[[Lanes; GROUPS]],
    scales: [f32; T],
) {
    for (part, keys) in keys.chunks(PART).enumerate() {
        let mut sums = [[[0.0; LANES]; G]; T];
        for (d, keys) in keys.iter().enumerate() {
            for t in 0..T {
                let query = [queries[t][part * PART + d]; LANES];
                for g in 0..G {
                    sums[t][g] = multiply_add(&sums[t][g], &query, &keys[first + g]);
                }
            }
        }
        for t in 0..T {
            for (score, sum) in scores[t][first * LANES..].iter_mut().zip(sums[t].as_flattened()) {
                *score += sum;
            }
        }
    }
    for (scores, scale) in scores.iter_mut().zip(scales) {
        for score in &mut scores[first * LANES..][..G * LANES] {
            *score *= scale;
        }
    }
}

/// `o = fma(p[j], v[j], o)` over the keys `seen`, for T queries.
#[inline(always)]
fn weigh<I: Isa, const T: usize>(p: [&[f32; CHUNK]; T], seen: Range<usize>, values: &[Lanes], out: &mut [Lanes]) {
    let v = values.len() / CHUNK;
    let mut at = 0;
    while I::VECTORS >= 8 * T && at + 4 <= v {
        weigh_vectors::<T, 4>(p, seen.clone(), values, at, out);
        at += 4;
    }
    while at < v {
        weigh_vectors::<T, 1>(p, seen.clone(), values, at, out);
        at += 1;
    }
}

/// V vectors of the output from vector `at` on.
#[inline(always)]
fn weigh_vectors<const T: usize, const V: usize>(
    p: [&[f32; CHUNK]; T],
    seen: Range<usize>,
    values: &[Lanes],
    at: usize,
    out: &mut [Lanes],
) {
    let v = values.len() / CHUNK;
    let mut sums = [[[0.0; LANES]; V]; T];
    for j in seen {
        let value = &values[j * v + at..][..V];
        for t in 0..T {
            let p = [p[t][j]; LANES];
            for i in 0..V {
                sums[t][i] = multiply_add(&sums[t][i], &value[i], &p);
            }
        }
    }
    for (t, sums) in sums.iter().enumerate() {
        out[t * v + at..][..V].copy_from_slice(sums);
    }
}
