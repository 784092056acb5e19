//! Causal attention with grouped queries (Vaswani et al., arXiv 1706.03762; Ainslie et al., arXiv 2305.13245).
//!
//! The query at position p sees the keys 0 ..= p, with a window only the last `window` of them. Keys go in chunks at
//! absolute positions, chunk c holding the keys 64 c .. 64 c + 64. In each chunk, over the keys that the query sees:
//!
//! 1. `s[j] = (y + x[0] + x[1] + ...) * scale` from y = +0, where `x[i]` is the sum over the elements 16 i .. 16 i + 16:
//!    `x[i] = fma(q[d], k[j][d], x[i])`, d ascending from +0; with a temperature the scale is that of
//!    [`Temperature::scale`]; with a cap s is then that of [`softcap`](crate::math::softcap);
//! 2. `m` is the greatest s, starting from -inf (a NaN is never the greater one);
//! 3. `p[j] = exp(s[j] - m)` by [`exp`](crate::math::exp);
//! 4. `l` is the sum of p: p[j] is added to partial sum j mod 16, j ascending, then the tree of the lanes;
//! 5. `o = fma(p[j], v[j], o)`, j ascending from +0.
//!
//! The first chunk with a key gives the state (M, L, O); each later one is merged into it in order:
//! `N = max(M, m)`, `a = exp(M - N)`, `b = exp(m - N)`, `L = fma(L, a, l * b)`, `O = fma(O, a, o * b)`, `M = N`. In the
//! end the result is `O / L`. A sink of the head, z, is merged last, as a chunk with m = z, l = 1 and o = 0 would be:
//! `N = max(M, z)`, `a = exp(M - N)`, `L = fma(L, a, exp(z - N))`, `O = O * a`. Keys that a query does not see are skipped, and so are chunks without any that it does.
//! So a result depends on its own query, keys and values only.

mod buffers;
mod chunk;
mod softmax;
mod temperature;
#[cfg(test)]
mod tests;

use vt_core::{View, ViewMut};

use crate::arch::Isa;
use crate::float::Weight;
use crate::float::lanes::{LANES, Lanes};
use buffers::Buffers;
use chunk::Chunk;
pub use temperature::Temperature;

/// Keys in a chunk.
pub const CHUNK: usize = 64;

/// What a tile of attention has in common: one key/value head and the query heads that share it.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// Query heads.
    pub heads: usize,
    /// What scores are multiplied by.
    pub scale: f32,
    /// How many of the last keys a query sees, its own among them; at least 1.
    pub window: Option<usize>,
    /// What no score exceeds: positive, with an inverse.
    pub cap: Option<f32>,
    /// How the scores of later queries grow.
    pub temperature: Option<Temperature>,
    /// What joins the sum of each head's exponentials; none, or one for each head.
    pub sinks: &'a [f32],
}

/// The f32 elements that [`attend`] needs as scratch for `rows` tokens of `heads` query heads.
pub fn attend_scratch(rows: usize, heads: usize, d_k: usize, d_v: usize) -> usize {
    Buffers::vectors(rows * heads, d_k, d_v) * LANES
}

/// Attention of the tokens at the positions `first`, `first + 1`, ... of one sequence.
///
/// `queries` [t, heads * d_k], a row holding the group's heads one after another; `keys` [positions, d_k] and `values`
/// [positions, d_v], rows by position, at least up to the last token's; `out` [t, heads * d_v].
///
/// # Panics
/// If shapes disagree, keys or sinks are missing, the window is 0, or scratch is shorter than [`attend_scratch`] says.
#[inline(always)]
pub fn attend<I: Isa, K: Weight, V: Weight>(
    isa: I,
    group: Group<'_>,
    first: usize,
    queries: View<f32>,
    (keys, values): (View<K>, View<V>),
    out: &mut ViewMut<f32>,
    scratch: &mut [f32],
) {
    let (rows, d_k, d_v) = (queries.rows(), keys.cols(), values.cols());
    assert!(queries.cols() == group.heads * d_k, "{} heads of {d_k} in {} columns", group.heads, queries.cols());
    assert!(out.cols() == group.heads * d_v && out.rows() == rows, "{} heads of {d_v}, {rows} rows", group.heads);
    assert!(keys.rows().min(values.rows()) >= first + rows, "{} keys up to {first} + {rows}", keys.rows());
    assert!(group.window != Some(0), "an empty window");
    assert!(group.sinks.is_empty() || group.sinks.len() == group.heads, "{} sinks", group.sinks.len());
    if rows == 0 || group.heads == 0 {
        return;
    }
    let scratch = scratch.as_chunks_mut().0;
    if rows * group.heads == 1 {
        attend_tiles::<I, K, V, 1>(isa, group, first, queries, (keys, values), out, scratch);
    } else {
        attend_tiles::<I, K, V, 4>(isa, group, first, queries, (keys, values), out, scratch);
    }
}

/// All chunks, T queries at a time.
#[inline(always)]
fn attend_tiles<I: Isa, K: Weight, V: Weight, const T: usize>(
    isa: I,
    group: Group<'_>,
    first: usize,
    queries: View<f32>,
    (keys, values): (View<K>, View<V>),
    out: &mut ViewMut<f32>,
    scratch: &mut [Lanes],
) {
    let (rows, d_k, d_v) = (queries.rows(), keys.cols(), values.cols());
    let mut buffers = Buffers::new(scratch, rows * group.heads, d_k, d_v);
    let start = first_key(group.window, first) / CHUNK * CHUNK;
    for key in (start..first + rows).step_by(CHUNK) {
        let len = CHUNK.min(first + rows - key);
        buffers.pack_chunk(isa, keys.slice_rows(key, len), values.slice_rows(key, len));
        let chunk = Chunk { group, first, key, len, queries };
        for query in (0..rows * group.heads).step_by(T) {
            chunk.attend_tile::<I, T>(query, &mut buffers, out);
        }
    }
    if !group.sinks.is_empty() {
        buffers.merge_sinks(group.sinks, d_v, out);
    }
    buffers.divide(group.heads, d_v, out);
}

/// The first key that the query at `position` sees.
#[inline(always)]
fn first_key(window: Option<usize>, position: usize) -> usize {
    window.map_or(0, |window| (position + 1).saturating_sub(window))
}
