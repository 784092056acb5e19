//! Multiplying and adding as fast as the registers allow.
//!
//! The sums are as many as hide the latency of the instruction, and start with different numbers, or the compiler would
//! see that they are one. Loops stand where iterators would read better: closures cannot be marked to be inlined.

use std::hint::black_box;

#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512, Avx512Bf16, Sums, Tiles, Vector};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon, Quads};
use crate::arch::{Isa, Portable, Work};

/// Sums that are computed at the same time.
const SUMS: usize = 12;

/// How often each sum is added to between two looks at the clock.
const STEPS: usize = 10_000;

/// A tier whose arithmetic can be measured.
pub(super) trait Peak: Isa {
    /// Multiplies and adds `f32`: the number of operations.
    fn multiply_add(self) -> u64;

    /// Adds products of bf16, two at a time: the number of operations, 0 if the tier has no instruction for them, or one that is
    /// slower than multiplying `f32`.
    fn multiply_add_bf16(self) -> u64 {
        0
    }

    /// Adds products of bytes: the number of operations, 0 if the tier has no instruction for them.
    fn dot_bytes(self) -> u64 {
        0
    }
}

impl Peak for Portable {
    fn multiply_add(self) -> u64 {
        const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));
        self.perform(Floats::<4, FUSED>)
    }
}

#[cfg(target_arch = "x86_64")]
impl Peak for Avx2 {
    fn multiply_add(self) -> u64 {
        self.perform(Floats::<8, true>)
    }

    fn dot_bytes(self) -> u64 {
        self.perform(ByteTile(self))
    }
}

#[cfg(target_arch = "x86_64")]
impl Peak for Avx512 {
    fn multiply_add(self) -> u64 {
        self.perform(FloatVectors(self))
    }

    fn multiply_add_bf16(self) -> u64 {
        Avx512Bf16::new().filter(|isa| isa.is_faster()).map_or(0, |isa| isa.perform(Pairs(isa)))
    }

    fn dot_bytes(self) -> u64 {
        self.perform(ByteVectors(self))
    }
}

#[cfg(target_arch = "x86_64")]
impl Peak for Amx {
    fn multiply_add(self) -> u64 {
        Peak::multiply_add(self.vectors())
    }

    fn multiply_add_bf16(self) -> u64 {
        Peak::multiply_add_bf16(self.vectors())
    }

    fn dot_bytes(self) -> u64 {
        self.perform(ByteMatrices(Tiles::new(self, 64)))
    }
}

/// Floats in registers of four, and bytes in tiles of so many columns of tokens in so many registers each.
#[cfg(target_arch = "aarch64")]
macro_rules! peak_of_quads {
    ($isa:ident, $registers:literal x $columns:literal) => {
        impl Peak for $isa {
            fn multiply_add(self) -> u64 {
                self.perform(Floats::<8, true>)
            }

            fn dot_bytes(self) -> u64 {
                self.perform(ByteQuads::<Self, $registers, $columns>(self))
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
peak_of_quads!(Neon, 2 x 2);
#[cfg(target_arch = "aarch64")]
peak_of_quads!(Dotprod, 2 x 4);
#[cfg(target_arch = "aarch64")]
peak_of_quads!(I8mm, 4 x 2);

/// The numbers whose sums stay what they are: `x * FACTOR + ADDEND` goes to 1.
const FACTOR: f32 = 0.75;
const ADDEND: f32 = 0.25;

/// Floats in vectors of L lanes that the compiler makes.
struct Floats<const L: usize, const FUSED: bool>;

impl<const L: usize, const FUSED: bool> Work for Floats<L, FUSED> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (factor, addend) = (black_box([FACTOR; L]), black_box([ADDEND; L]));
        let mut sums = black_box([[0.5f32; L]; SUMS]);
        for _ in 0..STEPS {
            for sum in &mut sums {
                for l in 0..L {
                    sum[l] = if FUSED { sum[l].mul_add(factor[l], addend[l]) } else { sum[l] * factor[l] + addend[l] };
                }
            }
        }
        black_box(sums);
        (STEPS * SUMS * L * 2) as u64
    }
}

/// Floats in the tier's vectors.
#[cfg(target_arch = "x86_64")]
struct FloatVectors<V>(V);

#[cfg(target_arch = "x86_64")]
impl<V: Vector> Work for FloatVectors<V> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (factor, addend) = (self.0.float(black_box(FACTOR)), self.0.float(black_box(ADDEND)));
        let mut sums = [factor; SUMS];
        for sum in &mut sums {
            *sum = self.0.float(black_box(0.5));
        }
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = self.0.multiply_add(*sum, factor, addend);
            }
        }
        let mut lanes = [0.0; 16];
        for sum in sums {
            self.0.store_floats(sum, &mut lanes);
            black_box(&lanes);
        }
        (STEPS * SUMS * 16 * 2) as u64
    }
}

/// Products of bf16, two in a lane.
#[cfg(target_arch = "x86_64")]
struct Pairs(Avx512Bf16);

#[cfg(target_arch = "x86_64")]
impl Work for Pairs {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (a, b) = (black_box([FACTOR; 16]), black_box([ADDEND; 16]));
        let mut sums = black_box([[0.5f32; 16]; SUMS]);
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = self.0.dot_pairs(sum, &a, &b);
            }
        }
        black_box(sums);
        (STEPS * SUMS * 32 * 2) as u64
    }
}

/// Dot products of bytes in the tier's vectors, where one instruction adds them.
#[cfg(target_arch = "x86_64")]
struct ByteVectors<V>(V);

#[cfg(target_arch = "x86_64")]
impl<V: Vector> Work for ByteVectors<V> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (a, b) = (self.0.int(black_box(0x0102_0304)), self.0.int(black_box(0x0101_ff01)));
        let mut sums = [a; SUMS];
        for sum in &mut sums {
            *sum = self.0.int(black_box(0));
        }
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = self.0.dot_bytes(*sum, a, b);
            }
        }
        let mut lanes = [0; 16];
        for sum in sums {
            self.0.store_ints(sum, &mut lanes);
            black_box(&lanes);
        }
        (STEPS * SUMS * 64 * 2) as u64
    }
}

/// Dot products of bytes in the tier's vectors, where several instructions multiply and add them: as in a matrix product,
/// of weights and several tokens, so that no product is computed once and added often.
#[cfg(target_arch = "x86_64")]
struct ByteTile<V>(V);

#[cfg(target_arch = "x86_64")]
const TOKENS: usize = 4;

/// Vectors that no load finds on two cache lines.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct Lines<const N: usize>([[i32; 16]; N]);

#[cfg(target_arch = "x86_64")]
impl<V: Vector> Work for ByteTile<V> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let (weights, tokens) =
            (black_box(Lines([[0x0102_0304; 16]; 8])), black_box(Lines([[0x0101_ff01; 16]; TOKENS])));
        let mut sums = [self.0.int(0); TOKENS];
        for step in 0..STEPS {
            let weights = self.0.ints(&weights.0[step % 8]);
            for (sum, token) in sums.iter_mut().zip(&tokens.0) {
                *sum = self.0.dot_bytes(*sum, weights, self.0.ints(token));
            }
        }
        let mut lanes = [0; 16];
        for sum in sums {
            self.0.store_ints(sum, &mut lanes);
            black_box(&lanes);
        }
        (STEPS * TOKENS * 64 * 2) as u64
    }
}

/// Dot products of bytes in matrices.
#[cfg(target_arch = "x86_64")]
struct ByteMatrices(Tiles);

#[cfg(target_arch = "x86_64")]
impl Work for ByteMatrices {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let steps = STEPS / 16;
        let (acts, weights) = (black_box(Lines([[0x0102_0304; 16]; 16])), black_box(Lines([[0x0101_ff01; 16]; 16])));
        let mut sums = [Sums([[0; 16]; 16]); 4];
        self.0.multiply_often(&acts.0, &weights.0, steps, &mut sums);
        black_box(&sums);
        (steps * 4 * 16 * 16 * 64 * 2) as u64
    }
}

/// Products of bytes of eight rows with T columns of tokens, R registers each.
#[cfg(target_arch = "aarch64")]
struct ByteQuads<V, const R: usize, const T: usize>(V);

#[cfg(target_arch = "aarch64")]
impl<V: Quads, const R: usize, const T: usize> Work for ByteQuads<V, R, T> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        const ELEMS: usize = 64;
        let rows = black_box([[0x0102_0304; 4]; ELEMS / 2]);
        let tokens = black_box([[[0x0101_ff01; 4]; ELEMS / 4]; T]);
        let mut columns = [&tokens[0][..0]; T];
        for t in 0..T {
            columns[t] = &tokens[t][..ELEMS / 16 * V::TOKENS * V::SPREAD];
        }
        let mut sums = [[self.0.int(0); R]; T];
        for _ in 0..STEPS {
            sums = self.0.add_dots(&sums, &rows, &columns, 16);
        }
        let mut quad = [0; 4];
        for column in sums {
            for sum in column {
                self.0.store(sum, &mut quad);
                black_box(&quad);
            }
        }
        (STEPS * 8 * T * V::TOKENS * ELEMS * 2) as u64
    }
}
