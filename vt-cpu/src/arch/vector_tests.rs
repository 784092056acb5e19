//! The instructions of every tier that has vectors, against their descriptions.

use vt_core::View;

use super::{Avx2, Avx512, Isa, Vector, Work};

/// What a tier makes of some words: each method that is more than one instruction everywhere.
struct All<'a, V> {
    v: V,
    rows: View<'a, u8>,
    at: usize,
    a: [i32; 16],
    b: [i32; 16],
}

/// Where bits come from, and which they become.
const BITS: [(u32, u8); 10] =
    [(0, 3), (2, 3), (6, 3), (4, 15), (0, 4), (2, 4), (7, 4), (1, 0x10), (0, 0x30), (4, 0x30)];

const TABLE: [u8; 16] = [3, 1, 4, 15, 9, 2, 6, 53, 58, 97, 93, 238, 46, 26, 43, 255];

#[derive(Debug, PartialEq)]
struct Results {
    words: [[i32; 16]; 4],
    bits: [[i32; 16]; BITS.len()],
    fifth_bits: [[i32; 16]; 8],
    looked_up: [i32; 16],
    dots: [[i32; 16]; 3],
    halves: [u32; 16],
    floats: [u32; 16],
    spread: [[[i32; 16]; 2]; 4],
    wrapping: [[i32; 16]; 2],
}

impl<V: Vector> Work for All<'_, V> {
    type Output = Results;

    #[inline(always)]
    fn run(self) -> Results {
        let v = self.v;
        let mut results = Results {
            words: [[0; 16]; 4],
            bits: [[0; 16]; BITS.len()],
            fifth_bits: [[0; 16]; 8],
            looked_up: [0; 16],
            dots: [[0; 16]; 3],
            halves: [0; 16],
            floats: [0; 16],
            spread: [[[0; 16]; 2]; 4],
            wrapping: [[0; 16]; 2],
        };
        let words = v.words(&self.rows, self.at);
        for (word, to) in words.into_iter().zip(&mut results.words) {
            v.store_ints(word, to);
        }
        let (a, b) = (v.ints(&self.a), v.ints(&self.b));
        for (&(from, mask), to) in BITS.iter().zip(&mut results.bits) {
            v.store_ints(v.bits(a, from, mask), to);
        }
        for i in 0..8 {
            v.store_ints(v.fifth_bits(a, 4 * i as u32), &mut results.fifth_bits[i]);
        }
        v.store_ints(v.look_up(&TABLE, v.and(a, v.int(0x0f0f_0f0f))), &mut results.looked_up);
        let small = v.and(a, v.int(0x7f7f_7f7f));
        v.store_ints(v.dot_bytes(a, small, b), &mut results.dots[0]);
        v.store_ints(v.dot_signed_bytes(a, a, b), &mut results.dots[1]);
        v.store_ints(v.dot_halves(a, a, b), &mut results.dots[2]);
        let mut floats = [0.0; 16];
        v.store_floats(v.halves_to_floats(v.and(a, v.int(0x7fff_3fff))), &mut floats);
        results.halves = floats.map(f32::to_bits);
        v.store_floats(v.bits_to_floats(v.and(a, v.int(0x7fff_ffff))), &mut floats);
        results.floats = floats.map(f32::to_bits);
        for byte in 0..4 {
            v.store_ints(v.byte_in_bytes(a, byte), &mut results.spread[byte][0]);
            v.store_ints(v.byte_in_halves(a, byte), &mut results.spread[byte][1]);
        }
        v.store_ints(v.add_bytes(a, b), &mut results.wrapping[0]);
        v.store_ints(v.multiply_halves(a, b), &mut results.wrapping[1]);
        results
    }
}

fn bytes(x: i32) -> [u8; 4] {
    x.to_le_bytes()
}

fn expected(all: &All<'_, ()>) -> Results {
    let word = |r: usize, at: usize| i32::from_le_bytes(all.rows.row(r)[at..at + 4].try_into().unwrap());
    let lanes = |f: &dyn Fn(i32, i32) -> i32| std::array::from_fn(|i| f(all.a[i], all.b[i]));
    let dot = |a: [i32; 4], b: i32| (0..4).map(|j| a[j] * i32::from(bytes(b)[j] as i8)).sum::<i32>();
    let half = |x: i32, i: usize| i32::from((x >> (16 * i)) as i16);
    Results {
        words: std::array::from_fn(|i| std::array::from_fn(|r| word(r, all.at + 4 * i))),
        bits: BITS.map(|(from, mask)| {
            let moved = |x: u8| (u32::from(x) >> from << mask.trailing_zeros()) as u8 & mask;
            lanes(&|a, _| i32::from_le_bytes(bytes(a).map(moved)))
        }),
        fifth_bits: std::array::from_fn(|i| {
            lanes(&|a, _| i32::from_le_bytes(std::array::from_fn(|j| ((a >> (4 * i + j)) as u8 & 1) << 4)))
        }),
        looked_up: lanes(&|a, _| i32::from_le_bytes(bytes(a).map(|x| TABLE[usize::from(x & 15)]))),
        dots: [
            lanes(&|a, b| a.wrapping_add(dot(bytes(a).map(|x| i32::from(x & 0x7f)), b))),
            lanes(&|a, b| a.wrapping_add(dot(bytes(a).map(|x| i32::from(x as i8)), b))),
            lanes(&|a, b| (0..2).fold(a, |sum, i| sum.wrapping_add(half(a, i) * half(b, i)))),
        ],
        halves: std::array::from_fn(|i| half::f16::from_bits(all.a[i] as u16 & 0x3fff).to_f32().to_bits()),
        floats: std::array::from_fn(|i| all.a[i] as u32 & 0x7fff_ffff),
        spread: std::array::from_fn(|byte| {
            let byte = |a: i32| bytes(a)[byte];
            [
                lanes(&|a, _| i32::from_le_bytes([byte(a); 4])),
                lanes(&|a, _| i32::from_le_bytes([byte(a), 0, byte(a), 0])),
            ]
        }),
        wrapping: [
            lanes(&|a, b| i32::from_le_bytes(std::array::from_fn(|j| bytes(a)[j].wrapping_add(bytes(b)[j])))),
            lanes(&|a, b| ((half(a, 0) * half(b, 0)) & 0xffff) | (half(a, 1).wrapping_mul(half(b, 1)) << 16)),
        ],
    }
}

fn check<V: Vector>(isa: V) {
    let data: Vec<u8> = (0..16 * 40).map(|i| (i * 7 % 251) as u8).collect();
    let rows = View::new(&data, 16, 37, 40);
    for seed in 0..500u32 {
        let random = |i: usize| (seed * 32 + i as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(seed);
        let a = std::array::from_fn(|i| random(i) as i32);
        let b = std::array::from_fn(|i| random(i + 16) as i32);
        let at = seed as usize % 22;
        let want = expected(&All { v: (), rows, at, a, b });
        assert_eq!(isa.perform(All { v: isa, rows, at, a, b }), want, "{}", V::NAME);
    }
}

#[test]
fn instructions_are_as_described() {
    Avx2::new().into_iter().for_each(check);
    Avx512::new().into_iter().for_each(check);
}

struct Words<'a, V>(V, View<'a, u8>);

impl<V: Vector> Work for Words<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.words(&self.1, 22);
    }
}

#[test]
#[should_panic(expected = "sixteen rows of sixteen bytes")]
fn bytes_behind_rows_are_not_read() {
    let bytes = [0; 16 * 40];
    match Avx2::new() {
        Some(isa) => isa.perform(Words(isa, View::new(&bytes, 16, 37, 40))),
        None => panic!("sixteen rows of sixteen bytes cannot be read here at all"),
    }
}
