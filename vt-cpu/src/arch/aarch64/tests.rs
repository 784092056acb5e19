//! The instructions of every tier against their descriptions.

use vt_core::View;

use super::{Dotprod, I8mm, Neon, Quad, Quads, Sums};
use crate::arch::{Isa, Words, Work};

const TABLE: [u8; 16] = [3, 1, 4, 15, 9, 2, 6, 53, 58, 97, 93, 238, 46, 26, 43, 255];

/// What a tier makes of some words: each method that is more than one instruction.
struct OfWords<'a, V> {
    v: V,
    rows: View<'a, u8>,
    at: usize,
    a: Quad,
    b: Quad,
}

#[derive(Debug, PartialEq)]
struct Results {
    words: [Quad; 4],
    shifted: [Quad; 4],
    fifth_bits: [Quad; 8],
    looked_up: Quad,
    spread: [[Quad; 2]; 4],
    wrapping: [Quad; 2],
    halves: Quad,
}

impl<V: Quads> Work for OfWords<'_, V> {
    type Output = Results;

    #[inline(always)]
    fn run(self) -> Results {
        let v = self.v;
        let zero = [0; 4];
        let mut results = Results {
            words: [zero; 4],
            shifted: [zero; 4],
            fifth_bits: [zero; 8],
            looked_up: zero,
            spread: [[zero; 2]; 4],
            wrapping: [zero; 2],
            halves: zero,
        };
        let (a, b) = (v.load(&self.a), v.load(&self.b));
        let words = v.words(&self.rows, self.at);
        for (i, word) in words.into_iter().enumerate() {
            v.store(word, &mut results.words[i]);
            v.store(v.byte_in_bytes(a, i), &mut results.spread[i][0]);
            v.store(v.byte_in_halves(a, i), &mut results.spread[i][1]);
        }
        v.store(v.shift_left(a, 5), &mut results.shifted[0]);
        v.store(v.shift_right(a, 5), &mut results.shifted[1]);
        v.store(v.shift_right_signed(a, 5), &mut results.shifted[2]);
        v.store(v.high_halves(a), &mut results.shifted[3]);
        for i in 0..8 {
            v.store(v.fifth_bits(a, 4 * i as u32), &mut results.fifth_bits[i]);
        }
        v.store(v.look_up(&TABLE, v.and(a, v.int(0x0f0f_0f0f))), &mut results.looked_up);
        v.store(v.add_bytes(a, b), &mut results.wrapping[0]);
        v.store(v.multiply_halves(a, b), &mut results.wrapping[1]);
        v.store(v.bits(v.halves_to_floats(v.and(a, v.int(0x7fff_3fff)))), &mut results.halves);
        results
    }
}

fn bytes(x: i32) -> [u8; 4] {
    x.to_le_bytes()
}

fn expected(all: &OfWords<'_, ()>) -> Results {
    let word = |r: usize, at: usize| i32::from_le_bytes(all.rows.row(r)[at..at + 4].try_into().unwrap());
    let lanes = |f: &dyn Fn(i32, i32) -> i32| std::array::from_fn(|i| f(all.a[i], all.b[i]));
    let low = |x: i32| x & 0xffff;
    Results {
        words: std::array::from_fn(|i| std::array::from_fn(|r| word(r, all.at + 4 * i))),
        shifted: [
            lanes(&|a, _| a << 5),
            lanes(&|a, _| (a as u32 >> 5) as i32),
            lanes(&|a, _| a >> 5),
            lanes(&|a, _| (a >> 4) & 0x0f0f_0f0f),
        ],
        fifth_bits: std::array::from_fn(|i| {
            lanes(&|a, _| i32::from_le_bytes(std::array::from_fn(|j| ((a >> (4 * i + j)) as u8 & 1) << 4)))
        }),
        looked_up: lanes(&|a, _| i32::from_le_bytes(bytes(a).map(|x| TABLE[usize::from(x & 15)]))),
        spread: std::array::from_fn(|byte| {
            let byte = |a: i32| bytes(a)[byte];
            [
                lanes(&|a, _| i32::from_le_bytes([byte(a); 4])),
                lanes(&|a, _| i32::from_le_bytes([byte(a), 0, byte(a), 0])),
            ]
        }),
        wrapping: [
            lanes(&|a, b| i32::from_le_bytes(std::array::from_fn(|j| bytes(a)[j].wrapping_add(bytes(b)[j])))),
            lanes(&|a, b| low(low(a).wrapping_mul(low(b))) | (a >> 16).wrapping_mul(b >> 16) << 16),
        ],
        halves: lanes(&|a, _| half::f16::from_bits(a as u16 & 0x3fff).to_f32().to_bits() as i32),
    }
}

fn check_words<V: Quads>(isa: V) {
    let data: Vec<u8> = (0..4 * 40).map(|i| (i * 7 % 251) as u8).collect();
    let rows = View::new(&data, 4, 37, 40);
    for seed in 0..500u32 {
        let random = |i: usize| ((seed * 32 + i as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(seed)) as i32;
        let (a, b) = (std::array::from_fn(random), std::array::from_fn(|i| random(i + 4)));
        let at = seed as usize % 22;
        let want = expected(&OfWords { v: (), rows, at, a, b });
        assert_eq!(isa.perform(OfWords { v: isa, rows, at, a, b }), want, "{}", V::NAME);
    }
}

/// Eight rows of `elems` bytes with `T` columns of tokens, as kernels multiply them.
struct Product<'a, V, const R: usize, const T: usize> {
    v: V,
    rows: &'a [Vec<u8>],
    tokens: &'a [Vec<u8>],
    fit: usize,
}

impl<V: Quads, const R: usize, const T: usize> Work for Product<'_, V, R, T> {
    type Output = Vec<[f32; 8]>;

    #[inline(always)]
    fn run(self) -> Vec<[f32; 8]> {
        let v = self.v;
        let word = |row: &[u8], i: usize| i32::from_le_bytes(row[4 * i..4 * i + 4].try_into().unwrap());
        let elems = self.rows[0].len();
        let mut rows = vec![[0; 4]; elems / 2];
        for step in 0..elems / 8 {
            for quad in 0..2 {
                let words = [0, 1].map(|i| std::array::from_fn(|r| word(&self.rows[4 * quad + r], 2 * step + i)));
                let arranged = v.arrange([v.load(&words[0]), v.load(&words[1])]);
                v.store(arranged[0], &mut rows[4 * step + 2 * quad]);
                v.store(arranged[1], &mut rows[4 * step + 2 * quad + 1]);
            }
        }
        let column = |t: usize| -> Vec<Quad> {
            let mut words = vec![0; (elems / 4 * V::TOKENS * V::SPREAD).next_multiple_of(4)];
            for (t, token) in self.tokens[t * V::TOKENS..][..V::TOKENS].iter().enumerate() {
                (0..elems / 8).for_each(|i| V::put_words([0, 1].map(|k| word(token, 2 * i + k)), 2 * i, t, &mut words));
            }
            words.as_chunks().0.to_vec()
        };
        let columns: [Vec<Quad>; T] = std::array::from_fn(column);
        let ones: Sums<V::Int, R, T> = [[v.int(1); R]; T];
        let sums = v.add_dots(&ones, &rows, &columns.each_ref().map(|c| &c[..]), self.fit);
        let mut of_tokens = vec![];
        for column in sums {
            let (mut floats, mut sums) = ([v.to_floats(column[0]); R], [[0; 4]; R]);
            for r in 0..R {
                floats[r] = v.to_floats(column[r]);
            }
            v.store_sums(&floats, &mut sums);
            // What is stored is loaded as it was.
            let loaded = v.load_sums(&sums);
            v.store_sums(&loaded, &mut sums);
            let bits = sums.as_flattened().as_chunks::<8>().0.iter();
            of_tokens.extend(bits.map(|token| token.map(|bits| f32::from_bits(bits as u32))));
        }
        of_tokens
    }
}

/// Bytes whose magnitude is at most `most`, many of them the greatest.
fn signed_bytes(seed: usize, count: usize, most: i32) -> Vec<u8> {
    let random = |i: usize| (((seed * 4096 + i + 1) as u32).wrapping_mul(0x9e37_79b9) >> 8) as i32;
    let byte = |x: i32| if x % 3 == 0 { -most } else { x % (most + 1) * if x % 2 == 0 { 1 } else { -1 } };
    (0..count).map(|i| byte(random(i)).min(127) as u8).collect()
}

fn check_products<V: Quads, const R: usize, const T: usize>(isa: V) {
    let cases = [(8, 63, 4), (16, 15, 16), (16, 128, 1), (32, 8, 16), (32, 31, 8), (32, 128, 1), (256, 45, 4)];
    for (elems, most, fit) in cases {
        let rows: Vec<_> = (0..8).map(|r| signed_bytes(r, elems, most)).collect();
        let mut tokens: Vec<_> = (0..T * V::TOKENS).map(|t| signed_bytes(8 + t, elems, 128)).collect();
        tokens[0].fill(128);
        let found = isa.perform(Product::<V, R, T> { v: isa, rows: &rows, tokens: &tokens, fit });
        assert_eq!(found.len(), tokens.len());
        for (token, found) in tokens.iter().zip(found) {
            let product = |row: &Vec<u8>| -> i32 {
                row.iter().zip(token).map(|(a, b)| i32::from(*a as i8) * i32::from(*b as i8)).sum()
            };
            let want: Vec<f32> = rows.iter().map(|row| (1 + product(row)) as f32).collect();
            assert_eq!(found[..], want, "{} {elems} {most}", V::NAME);
        }
    }
}

/// Values of rows and tokens, as registers of sums have them.
struct Values<V, const R: usize>(V);

impl<V: Quads, const R: usize> Work for Values<V, R> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let v = self.0;
        let mut rows = [[0; 4]; R];
        for quad in 0..2 {
            let values = std::array::from_fn(|r| (4 * quad as i32 + r as i32 + 1) * 100);
            v.store_rows(v.load(&values), &mut rows[quad * V::TOKENS..][..V::TOKENS]);
        }
        let tokens = v.tokens(&[2f32, 3.0].map(|x| x.to_bits() as i32)[..V::TOKENS]);
        let mut sums = [tokens; R];
        for r in 0..R {
            sums[r] = v.multiply_add(tokens, v.to_floats(v.load(&rows[r])), v.multiply(tokens, tokens));
        }
        let mut stored = [[0; 4]; R];
        v.store_sums(&sums, &mut stored);
        stored.as_flattened().iter().map(|bits| f32::from_bits(*bits as u32)).collect()
    }
}

fn check_values<V: Quads, const R: usize>(isa: V) {
    let rule = |t: usize, r: usize| (t + 2) as f32 * (100 * (r + 1)) as f32 + ((t + 2) * (t + 2)) as f32;
    let want: Vec<f32> = (0..V::TOKENS).flat_map(|t| (0..8).map(move |r| rule(t, r))).collect();
    assert_eq!(isa.perform(Values::<V, R>(isa)), want, "{}", V::NAME);
}

#[test]
fn instructions_are_as_described() {
    Neon::new().into_iter().for_each(check_words);
    Dotprod::new().into_iter().for_each(check_words);
    I8mm::new().into_iter().for_each(check_words);
}

#[test]
fn products_are_exact() {
    Neon::new().into_iter().for_each(check_products::<_, 2, 1>);
    Neon::new().into_iter().for_each(check_products::<_, 2, 2>);
    Dotprod::new().into_iter().for_each(check_products::<_, 2, 1>);
    Dotprod::new().into_iter().for_each(check_products::<_, 2, 4>);
    I8mm::new().into_iter().for_each(check_products::<_, 4, 1>);
    I8mm::new().into_iter().for_each(check_products::<_, 4, 2>);
}

#[test]
fn values_of_rows_and_tokens_meet() {
    Neon::new().into_iter().for_each(check_values::<_, 2>);
    Dotprod::new().into_iter().for_each(check_values::<_, 2>);
    I8mm::new().into_iter().for_each(check_values::<_, 4>);
}

struct Rows<'a>(Neon, View<'a, u8>);

impl Work for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.words(&self.1, 22);
    }
}

#[test]
#[should_panic(expected = "four rows of sixteen bytes")]
fn bytes_behind_rows_are_not_read() {
    let neon = Neon::new().unwrap();
    neon.perform(Rows(neon, View::new(&[0; 4 * 40], 4, 37, 40)));
}
