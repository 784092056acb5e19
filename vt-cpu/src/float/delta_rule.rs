//! The gated delta rule (Yang, Kautz and Hatamizadeh, "Gated Delta Networks", 2024) of a head over the rows of a sequence.
//!
//! For each row and each row s of the state, with a the decay, in the order of [`lanes`](super::lanes) where elements are
//! summed:
//!
//! ```text
//! m   = sum of k[j] q[j]             once a head
//! x   = sum of s[j] k[j]
//! y   = sum of s[j] q[j]
//! d   = fma(-a, x, v) * beta
//! out = fma(d, m, a * y) * scale
//! s   = fma(d, k[j], a * s[j])
//! ```
//!
//! Keys, queries and rows are filled up with zeros to whole vectors. That `a y + d m` is what q reads of the next state, so
//! a state is walked over once a token: each vector of it gets its next version and is then multiplied with the next
//! token's key and query.

use vt_core::{View, ViewMut};

use super::lanes::{LANES, Lanes, dot};
use crate::arch::Isa;

/// Rows of the state that are computed together.
pub const BLOCK: usize = LANES;

/// Tokens that a block of rows goes through before the next block does: block, keys and queries fit in the nearest cache.
const TOKENS: usize = 32;

/// A product is added to this exactly: minus zero keeps the sign of a zero.
const NOTHING: Lanes = [-0.0; LANES];

/// Scratch memory, in f32, for heads of `dim` elements.
pub fn delta_rule_scratch(dim: usize) -> usize {
    (BLOCK + 2 * TOKENS) * dim.next_multiple_of(LANES)
}

/// The tokens of a sequence as a head sees them, and some rows of its state.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// `[tokens, dim]`.
    pub q: View<'a, f32>,
    /// As `q`.
    pub k: View<'a, f32>,
    /// `[tokens, rows]`.
    pub v: View<'a, f32>,
    /// `[tokens, 1]`.
    pub decay: View<'a, f32>,
    /// `[tokens, 1]`.
    pub beta: View<'a, f32>,
    /// The factor of the output.
    pub scale: f32,
}

/// The products of each row of a block with a key and with a query, in partial sums.
struct Products {
    key: [Lanes; BLOCK],
    query: [Lanes; BLOCK],
}

/// A token's key and query, in whole vectors.
#[derive(Clone, Copy)]
struct Token<'a> {
    k: &'a [Lanes],
    q: &'a [Lanes],
}

/// Some tokens of a head, one after another without gaps.
struct Packed<'a> {
    /// Of each token the key and then the query.
    vectors: &'a [Lanes],
    /// The vectors of a key.
    len: usize,
    /// Of each token the product of key and query.
    products: [f32; TOKENS],
    /// The first token's number.
    first: usize,
    count: usize,
}

impl<'a> Packed<'a> {
    #[inline(always)]
    fn token(&self, i: usize) -> Token<'a> {
        let (k, q) = self.vectors[2 * i * self.len..2 * (i + 1) * self.len].split_at(self.len);
        Token { k, q }
    }
}

/// The next version of a row is `kept * row + written * k`.
struct Change<'a> {
    k: &'a [Lanes],
    kept: f32,
    written: Lanes,
}

impl Head<'_> {
    /// Writes `out` `[tokens, rows]`, and the state `[rows, dim]` anew. To be called inside the tier's `perform`, with as
    /// much scratch memory as [`delta_rule_scratch`] says.
    #[inline(always)]
    pub fn run<I: Isa>(&self, isa: I, state: &mut ViewMut<'_, f32>, out: &mut ViewMut<'_, f32>, scratch: &mut [f32]) {
        let (dim, len) = (self.k.cols(), self.k.cols().div_ceil(LANES));
        let (block, vectors) = scratch.as_chunks_mut::<LANES>().0.split_at_mut(BLOCK * len);
        for first in (0..self.k.rows()).step_by(TOKENS) {
            let tokens = self.pack(first, TOKENS.min(self.k.rows() - first), vectors);
            for from in (0..state.rows()).step_by(BLOCK) {
                let mut part = state.tile(from, BLOCK.min(state.rows() - from), 0, dim);
                load(&part, block);
                self.run_block(isa, block, &tokens, from, part.rows(), out);
                store(block, &mut part);
            }
        }
    }

    #[inline(always)]
    fn pack<'v>(&self, first: usize, count: usize, vectors: &'v mut [Lanes]) -> Packed<'v> {
        let len = self.k.cols().div_ceil(LANES);
        let mut products = [0.0; TOKENS];
        for (i, both) in vectors.chunks_exact_mut(2 * len).take(count).enumerate() {
            let (k, q) = both.split_at_mut(len);
            fill(self.k.row(first + i), k);
            fill(self.q.row(first + i), q);
            products[i] = dot(k.as_flattened(), q.as_flattened());
        }
        Packed { vectors, len, products, first, count }
    }

    /// Some tokens, for `width` rows from `from` on.
    #[inline(always)]
    fn run_block<I: Isa>(
        &self,
        isa: I,
        block: &mut [Lanes],
        tokens: &Packed<'_>,
        from: usize,
        width: usize,
        out: &mut ViewMut<'_, f32>,
    ) {
        let mut read = Products { key: [[0.0; LANES]; BLOCK], query: [[0.0; LANES]; BLOCK] };
        multiply(isa, block, tokens.token(0), &mut read);
        for i in 0..tokens.count {
            let t = tokens.first + i;
            let (kept, beta) = (self.decay.row(t)[0], self.beta.row(t)[0]);
            let v = vector(&self.v.row(t)[from..from + width]);
            let (x, y) = (isa.add_trees(&read.key.each_ref()), isa.add_trees(&read.query.each_ref()));
            let (mut written, mut result) = ([0.0; LANES], [0.0; LANES]);
            for r in 0..LANES {
                written[r] = (-kept).mul_add(x[r], v[r]) * beta;
                result[r] = written[r].mul_add(tokens.products[i], kept * y[r]) * self.scale;
            }
            put(&result, &mut out.row_mut(t)[from..from + width]);
            let change = Change { k: tokens.token(i).k, kept, written };
            if i + 1 < tokens.count {
                change_and_multiply(isa, block, &change, tokens.token(i + 1), &mut read);
            } else {
                apply(isa, block, &change);
            }
        }
    }
}

/// A vector of up to sixteen numbers, with zeros behind them.
#[inline(always)]
fn vector(x: &[f32]) -> Lanes {
    match x.first_chunk() {
        Some(whole) => *whole,
        None => {
            let mut padded = [0.0; LANES];
            padded[..x.len()].copy_from_slice(x);
            padded
        }
    }
}

/// The first numbers of a vector.
#[inline(always)]
fn put(vector: &Lanes, to: &mut [f32]) {
    match to.first_chunk_mut() {
        Some(whole) => *whole = *vector,
        None => to.copy_from_slice(&vector[..to.len()]),
    }
}

/// A row in whole vectors, with zeros behind it.
#[inline(always)]
fn fill(row: &[f32], to: &mut [Lanes]) {
    for (to, row) in to.iter_mut().zip(row.chunks(LANES)) {
        *to = vector(row);
    }
}

/// Copies rows of the state to the block; rows that there are not are zeros.
#[inline(always)]
fn load(state: &ViewMut<'_, f32>, block: &mut [Lanes]) {
    for (r, row) in block.chunks_exact_mut(state.cols().div_ceil(LANES)).enumerate() {
        if r < state.rows() {
            fill(state.row(r), row);
        } else {
            row.fill([0.0; LANES]);
        }
    }
}

#[inline(always)]
fn store(block: &[Lanes], state: &mut ViewMut<'_, f32>) {
    let len = state.cols().div_ceil(LANES);
    for r in 0..state.rows() {
        for (to, vector) in state.row_mut(r).chunks_mut(LANES).zip(&block[r * len..]) {
            put(vector, to);
        }
    }
}

/// The products of the block's rows with a token's key and query.
#[inline(always)]
fn multiply<I: Isa>(isa: I, block: &[Lanes], token: Token<'_>, read: &mut Products) {
    for (r, row) in block.chunks_exact(token.k.len()).enumerate() {
        let (mut key, mut query) = ([0.0; LANES], [0.0; LANES]);
        for ((s, k), q) in row.iter().zip(token.k).zip(token.q) {
            key = isa.add_product(&key, s, k);
            query = isa.add_product(&query, s, q);
        }
        (read.key[r], read.query[r]) = (key, query);
    }
}

/// The next version of a vector of a row.
#[inline(always)]
fn next<I: Isa>(isa: I, s: &Lanes, k: &Lanes, kept: &Lanes, written: &Lanes) -> Lanes {
    isa.add_product(&isa.add_product(&NOTHING, s, kept), k, written)
}

/// The next version of the block.
#[inline(always)]
fn apply<I: Isa>(isa: I, block: &mut [Lanes], change: &Change<'_>) {
    let kept = [change.kept; LANES];
    for (row, written) in block.chunks_exact_mut(change.k.len()).zip(change.written) {
        for (s, k) in row.iter_mut().zip(change.k) {
            *s = next(isa, s, k, &kept, &[written; LANES]);
        }
    }
}

/// [`apply`], and [`multiply`] with the next token, two rows at a time: each vector is loaded and stored once.
#[inline(always)]
fn change_and_multiply<I: Isa>(
    isa: I,
    block: &mut [Lanes],
    change: &Change<'_>,
    token: Token<'_>,
    read: &mut Products,
) {
    let vectors = change.k.len();
    let kept = [change.kept; LANES];
    for (pair, rows) in block.chunks_exact_mut(2 * vectors).enumerate() {
        let (first, second) = rows.split_at_mut(vectors);
        let written = [[change.written[2 * pair]; LANES], [change.written[2 * pair + 1]; LANES]];
        let (mut key, mut query) = ([[0.0; LANES]; 2], [[0.0; LANES]; 2]);
        let tokens = change.k.iter().zip(token.k).zip(token.q);
        for ((s0, s1), ((k, next_k), next_q)) in first.iter_mut().zip(second).zip(tokens) {
            *s0 = next(isa, s0, k, &kept, &written[0]);
            *s1 = next(isa, s1, k, &kept, &written[1]);
            key[0] = isa.add_product(&key[0], s0, next_k);
            key[1] = isa.add_product(&key[1], s1, next_k);
            query[0] = isa.add_product(&query[0], s0, next_q);
            query[1] = isa.add_product(&query[1], s1, next_q);
        }
        for i in 0..2 {
            (read.key[2 * pair + i], read.query[2 * pair + i]) = (key[i], query[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "aarch64")]
    use crate::arch::Neon;
    #[cfg(target_arch = "x86_64")]
    use crate::arch::{Avx2, Avx512};
    use crate::arch::{Portable, Work};
    use crate::math::testing::numbers;

    /// What tokens give and leave: the outputs, and the state after the last one.
    type Outcome = (Vec<u32>, Vec<u32>);

    struct Case {
        dim: usize,
        rows: usize,
        tokens: usize,
    }

    impl Case {
        fn inputs(&self) -> [Vec<f32>; 5] {
            let Self { dim, rows, tokens } = *self;
            let small = |seed, n: usize| numbers(seed, n).iter().map(|x| x * 0.2).collect();
            let gates = |seed| numbers(seed, tokens).iter().map(|x| x.abs()).collect();
            [small(1, tokens * dim), small(2, tokens * dim), numbers(3, tokens * rows), gates(4), gates(5)]
        }

        fn state(&self) -> Vec<f32> {
            numbers(6, self.rows * self.dim)
        }

        /// The rule, row by row.
        fn by_the_rule(&self) -> Outcome {
            let Self { dim, rows, tokens } = *self;
            let ([q, k, v, decay, beta], mut state) = (self.inputs(), self.state());
            let mut out = vec![0.0; tokens * rows];
            let whole = |x: &[f32]| [x, &[0.0; LANES][..x.len().next_multiple_of(LANES) - x.len()]].concat();
            let dot = |a: &[f32], b: &[f32]| dot(&whole(a), &whole(b));
            for t in 0..tokens {
                let (q, k, a) = (&q[t * dim..][..dim], &k[t * dim..][..dim], decay[t]);
                for (r, s) in state.chunks_exact_mut(dim).enumerate() {
                    let (x, y) = (dot(s, k), dot(s, q));
                    let d = (-a).mul_add(x, v[t * rows + r]) * beta[t];
                    out[t * rows + r] = d.mul_add(dot(k, q), a * y) * 0.25;
                    s.iter_mut().zip(k).for_each(|(s, k)| *s = d.mul_add(*k, a * *s));
                }
            }
            (bits(&out), bits(&state))
        }

        /// The tokens in pieces of `chunk`.
        fn computed<I: Isa>(&self, isa: I, chunk: usize) -> Outcome {
            let Self { dim, rows, tokens } = *self;
            let ([q, k, v, decay, beta], mut state) = (self.inputs(), self.state());
            let mut out = vec![f32::NAN; tokens * rows];
            let mut scratch = vec![f32::NAN; delta_rule_scratch(dim)];
            for from in (0..tokens).step_by(chunk) {
                let n = chunk.min(tokens - from);
                let view = |data, cols| View::new(data, tokens, cols, cols).slice_rows(from, n);
                let (decay, beta) = (view(&decay, 1), view(&beta, 1));
                let head = Head { q: view(&q, dim), k: view(&k, dim), v: view(&v, rows), decay, beta, scale: 0.25 };
                let mut state = ViewMut::new(&mut state, rows, dim, dim);
                let mut out = ViewMut::new(&mut out[from * rows..], n, rows, rows);
                isa.perform(Run { isa, head, state: &mut state, out: &mut out, scratch: &mut scratch });
            }
            (bits(&out), bits(&state))
        }

        fn check<I: Isa>(&self, isa: I) {
            let want = self.by_the_rule();
            for chunk in [1, 2, 5, 100] {
                let (dim, rows) = (self.dim, self.rows);
                assert!(self.computed(isa, chunk) == want, "{} {dim} x {rows} in pieces of {chunk}", I::NAME);
            }
        }
    }

    struct Run<'a, 'b, I> {
        isa: I,
        head: Head<'a>,
        state: &'b mut ViewMut<'a, f32>,
        out: &'b mut ViewMut<'a, f32>,
        scratch: &'b mut [f32],
    }

    impl<I: Isa> Work for Run<'_, '_, I> {
        type Output = ();

        #[inline(always)]
        fn run(self) {
            self.head.run(self.isa, self.state, self.out, self.scratch);
        }
    }

    fn bits(x: &[f32]) -> Vec<u32> {
        x.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn pieces_and_tiers_follow_the_rule() {
        for (dim, rows, tokens) in [(16, 1, 3), (32, 16, 11), (128, 40, 70), (48, 33, 7), (1, 3, 5), (25, 20, 33)] {
            let case = Case { dim, rows, tokens };
            case.check(Portable);
            #[cfg(target_arch = "x86_64")]
            {
                Avx2::new().into_iter().for_each(|isa| case.check(isa));
                Avx512::new().into_iter().for_each(|isa| case.check(isa));
            }
            #[cfg(target_arch = "aarch64")]
            Neon::new().into_iter().for_each(|isa| case.check(isa));
        }
    }
}
