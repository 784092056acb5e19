//! The scratch of a tile of attention.

use vt_core::{View, ViewMut};

use super::CHUNK;
use super::softmax::merge_sink;
use crate::arch::Isa;
use crate::float::lanes::{LANES, Lanes};
use crate::float::{Weight, widen_row};

/// Vectors of keys in a chunk.
pub(super) const GROUPS: usize = CHUNK / LANES;

/// The parts of the scratch.
pub(super) struct Buffers<'a> {
    /// The keys of a chunk in lanes: element after element, of each all keys.
    pub(super) keys: &'a mut [[Lanes; GROUPS]],
    /// The values of a chunk: key after key, padded to whole vectors.
    pub(super) values: &'a mut [Lanes],
    /// The chunk's outputs for the queries of a tile.
    pub(super) weighted: &'a mut [Lanes],
    /// The greatest score and the sum of each query.
    pub(super) state: &'a mut [[f32; 2]],
    /// Vectors of a value.
    pub(super) v: usize,
}

impl<'a> Buffers<'a> {
    /// Vectors of scratch for so many queries.
    pub(super) fn vectors(queries: usize, d_k: usize, d_v: usize) -> usize {
        let v = d_v.div_ceil(LANES);
        GROUPS * d_k + CHUNK * v + 4 * v + (2 * queries).div_ceil(LANES)
    }

    #[inline(always)]
    pub(super) fn new(scratch: &'a mut [Lanes], queries: usize, d_k: usize, d_v: usize) -> Self {
        assert!(scratch.len() >= Self::vectors(queries, d_k, d_v), "scratch of {} vectors", scratch.len());
        let v = d_v.div_ceil(LANES);
        let (keys, rest) = scratch.split_at_mut(GROUPS * d_k);
        let (values, rest) = rest.split_at_mut(CHUNK * v);
        let (weighted, state) = rest.split_at_mut(4 * v);
        let state = &mut state.as_flattened_mut().as_chunks_mut().0[..queries];
        Self { keys: keys.as_chunks_mut().0, values, weighted, state, v }
    }

    /// At most [`CHUNK`] keys and values. Of keys that are missing the buffer holds anything.
    #[inline(always)]
    pub(super) fn pack_chunk<I: Isa, K: Weight, V: Weight>(&mut self, isa: I, keys: View<K>, values: View<V>) {
        for group in 0..keys.rows().div_ceil(LANES) {
            let rows = LANES.min(keys.rows() - group * LANES);
            pack_keys(isa, keys.slice_rows(group * LANES, rows), group, self.keys);
        }
        for j in 0..values.rows() {
            widen_row(isa, values.row(j), &mut self.values[j * self.v..][..self.v]);
        }
    }

    /// Merges each head's sink.
    #[inline(always)]
    pub(super) fn merge_sinks(&mut self, sinks: &[f32], d_v: usize, out: &mut ViewMut<f32>) {
        let heads = sinks.len();
        for (i, state) in self.state.iter_mut().enumerate() {
            merge_sink(state, &mut out.row_mut(i / heads)[i % heads * d_v..][..d_v], sinks[i % heads]);
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

/// At most sixteen keys into the lanes of a group.
#[inline(always)]
fn pack_keys<I: Isa, K: Weight>(isa: I, keys: View<K>, group: usize, to: &mut [[Lanes; GROUPS]]) {
    for (i, to) in to.chunks_mut(LANES).enumerate() {
        let mut block = [[0.0; LANES]; LANES];
        for (r, row) in block.iter_mut().enumerate().take(keys.rows()) {
            let key = &keys.row(r)[i * LANES..];
            widen_row(isa, &key[..LANES.min(key.len())], std::slice::from_mut(row));
        }
        let columns = isa.transpose(&block);
        for (to, column) in to.iter_mut().zip(&columns) {
            to[group] = *column;
        }
    }
}
