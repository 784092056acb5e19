//! A chunk of keys against a tile of queries.

use std::array::from_fn;
use std::ops::Range;

use vt_core::{View, ViewMut};

use super::softmax::{merge, softmax};
use super::{CHUNK, Group, first_key};
use crate::float::Weight;
use crate::float::lanes::{LANES, Lanes, add_tree, multiply_add};
use crate::float::tile::{Extent, Panel, Sums, accumulate, pack_activations, pack_weights};

/// Keys whose scores are computed at a time.
const KEYS: usize = 4;
/// Vectors of the output that are computed at a time.
const VECTORS: usize = 2;

/// The parts of the scratch. Rows are padded to whole vectors.
pub(super) struct Buffers<'a> {
    queries: &'a mut [Lanes],
    keys: &'a mut [Lanes],
    values: &'a mut [Lanes],
    weighted: &'a mut [Lanes],
    state: &'a mut [[f32; 2]],
    d_k: usize,
    k: usize,
    v: usize,
}

impl<'a> Buffers<'a> {
    /// Vectors of scratch for so many queries.
    pub(super) fn vectors(queries: usize, d_k: usize, d_v: usize) -> usize {
        let (k, v) = (d_k.div_ceil(LANES), d_v.div_ceil(LANES));
        queries * k + CHUNK * (k + v) + 4 * v + (2 * queries).div_ceil(LANES)
    }

    #[inline(always)]
    pub(super) fn new(scratch: &'a mut [Lanes], count: usize, d_k: usize, d_v: usize) -> Self {
        assert!(scratch.len() >= Self::vectors(count, d_k, d_v), "scratch of {} vectors", scratch.len());
        let (k, v) = (d_k.div_ceil(LANES), d_v.div_ceil(LANES));
        let (queries, rest) = scratch.split_at_mut(count * k);
        let (keys, rest) = rest.split_at_mut(CHUNK * k);
        let (values, rest) = rest.split_at_mut(CHUNK * v);
        let (weighted, state) = rest.split_at_mut(4 * v);
        let state = &mut state.as_flattened_mut().as_chunks_mut().0[..count];
        Self { queries, keys, values, weighted, state, d_k, k, v }
    }

    /// Query i is head i mod `heads` of row i div `heads`.
    #[inline(always)]
    pub(super) fn pack_queries<E: Weight>(&mut self, queries: View<f32>, heads: usize) {
        if self.k == 0 {
            return;
        }
        for (i, to) in self.queries.chunks_exact_mut(self.k).enumerate() {
            pack_activations::<E>(&queries.row(i / heads)[i % heads * self.d_k..][..self.d_k], to);
        }
    }

    #[inline(always)]
    pub(super) fn pack_chunk<K: Weight, V: Weight>(&mut self, keys: View<K>, values: View<V>) {
        for j in 0..keys.rows() {
            pack_weights(keys.row(j), &mut self.keys[j * self.k..][..self.k]);
            pack_weights(values.row(j), &mut self.values[j * self.v..][..self.v]);
        }
    }

    /// The end: O / L.
    #[inline(always)]
    pub(super) fn divide(&self, heads: usize, d_v: usize, out: &mut ViewMut<f32>) {
        for (i, [_, sum]) in self.state.iter().enumerate() {
            for out in &mut out.row_mut(i / heads)[i % heads * d_v..][..d_v] {
                *out /= sum;
            }
        }
    }
}

/// The chunk that starts at key `key` and has `len` keys that some query may see.
pub(super) struct Chunk {
    pub(super) group: Group,
    pub(super) first: usize,
    pub(super) key: usize,
    pub(super) len: usize,
    pub(super) queries: usize,
}

impl Chunk {
    /// The keys of the chunk that a query sees.
    #[inline(always)]
    fn seen(&self, query: usize) -> Range<usize> {
        let position = self.first + query / self.group.heads;
        let start = first_key(self.group.window, position).saturating_sub(self.key);
        start..(position + 1).saturating_sub(self.key).min(self.len)
    }

    /// Merges the chunk into the T queries from `query` on (as far as they exist).
    #[inline(always)]
    pub(super) fn attend_tile<E: Weight, const T: usize>(
        &self,
        query: usize,
        buffers: &mut Buffers,
        out: &mut ViewMut<f32>,
    ) {
        let queries: [usize; T] = from_fn(|t| (query + t).min(self.queries - 1));
        let seen = queries.map(|query| self.seen(query));
        let end = seen.iter().fold(0, |end, seen| end.max(seen.end));
        if seen.iter().all(|seen| seen.is_empty()) {
            return;
        }
        let mut scores = [[0.0; CHUNK]; T];
        self.scores::<E, T>(&mut scores, queries, end, buffers);
        let mut sums = [(0.0, 0.0); T];
        for t in 0..T {
            sums[t] = softmax(&mut scores[t], seen[t].clone());
        }
        if seen.iter().all(|other| *other == seen[0]) {
            weigh::<T>(from_fn(|t| &scores[t]), seen[0].clone(), buffers.values, buffers.weighted);
        } else {
            let v = buffers.v;
            for t in 0..T {
                weigh::<1>([&scores[t]], seen[t].clone(), buffers.values, &mut buffers.weighted[t * v..][..v]);
            }
        }
        for t in 0..T.min(self.queries - query) {
            if !seen[t].is_empty() {
                self.merge(query + t, sums[t], t, buffers, out);
            }
        }
    }

    /// The scores of the keys before `end`, and of a few after it.
    #[inline(always)]
    fn scores<E: Weight, const T: usize>(
        &self,
        scores: &mut [[f32; CHUNK]; T],
        queries: [usize; T],
        end: usize,
        buffers: &Buffers,
    ) {
        let k = buffers.k;
        let extent = Extent::new::<E>(buffers.d_k);
        let acts: [&[Lanes]; T] = from_fn(|t| &buffers.queries[queries[t] * k..][..k]);
        for j in (0..end).step_by(KEYS) {
            let rows: [&[Lanes]; KEYS] = from_fn(|i| &buffers.keys[(j + i) * k..][..k]);
            let mut sums: Sums<KEYS, T> = [[[0.0; LANES]; T]; KEYS];
            accumulate::<E, KEYS, T>(&mut sums, &Panel { rows, extent, floor: 0 }, acts, 0);
            for i in 0..KEYS {
                for t in 0..T {
                    scores[t][j + i] = add_tree(&sums[i][t]) * self.group.scale;
                }
            }
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

/// `o = fma(p[j], v[j], o)` over the keys `seen`, for T queries.
#[inline(always)]
fn weigh<const T: usize>(p: [&[f32; CHUNK]; T], seen: Range<usize>, values: &[Lanes], out: &mut [Lanes]) {
    let v = values.len() / CHUNK;
    let mut at = 0;
    while at + VECTORS <= v {
        weigh_vectors::<T, VECTORS>(p, seen.clone(), values, at, out);
        at += VECTORS;
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
        for (sums, p) in sums.iter_mut().zip(p) {
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum = multiply_add(sum, value, &[p[j]; LANES]);
            }
        }
    }
    for (t, sums) in sums.iter().enumerate() {
        out[t * v + at..][..V].copy_from_slice(sums);
    }
}
