//! Instruction-set tiers.
//!
//! A kernel's text is written once, in safe Rust. [`Isa::run`] compiles that text for the instructions a token stands
//! for: the closure is inlined into a function with `#[target_feature]`, so the compiler vectorizes it at that tier's
//! width. Everything a closure calls must be `#[inline(always)]`, or it is compiled for the baseline (right, but slow).
//!
//! A token can only be made by detection, so holding one proves that the machine has the instructions.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod block;
mod portable;
mod prefetch;
#[cfg(target_arch = "x86_64")]
mod vector;
#[cfg(all(test, target_arch = "x86_64"))]
mod vector_tests;
mod words;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use half::{bf16, f16};

use crate::float::lanes::{Lanes, multiply_add};

#[cfg(target_arch = "aarch64")]
pub use aarch64::{Dotprod, I8mm, Neon, Quad, Quads, Sums};
pub use block::Block;
pub use portable::Portable;
pub use prefetch::{Ahead, prefetch};
#[cfg(target_arch = "x86_64")]
pub use vector::Vector;
pub use words::Words;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Amx, Avx2, Avx512, Avx512Bf16, SCALED_BLOCKS, Sums, Tiles};

/// A tier: the proof that its instructions may be executed, and the way to compile a closure for them.
pub trait Isa: Copy + Send + Sync + 'static {
    /// The tier's name as `VT_CPU_TIER` spells it; kernels' names start with it.
    const NAME: &'static str;
    /// The rank of the tier's kernels in the registry: wider tiers go first.
    const PRIORITY: i32;

    /// Vectors of sixteen `f32` that the tier's registers hold.
    const VECTORS: usize;

    /// Whether operands must be loaded before an instruction can take them, into registers that sums lack then.
    const LOADS_FIRST: bool = false;

    /// Whether [`dot_pairs`](Isa::dot_pairs) is an instruction.
    const PAIRS: bool = false;

    /// Runs `work`, compiled for this tier.
    #[inline(always)]
    fn run<R>(self, work: impl FnOnce() -> R) -> R {
        self.perform(Closure(work))
    }

    /// As [`run`](Isa::run), with certainty: a closure may be found too large to inline, and then runs compiled for the
    /// baseline; a [`Work`] whose `run` is `#[inline(always)]` is inlined whatever its size.
    fn perform<W: Work>(self, work: W) -> W::Output;

    /// The values of half-precision numbers, exact. As all methods from here on, to be called inside
    /// [`perform`](Isa::perform): elsewhere it is right, but slow.
    #[inline(always)]
    fn widen(self, halves: &[f16; 16]) -> [f32; 16] {
        block::widen(halves)
    }

    /// The sums of sixteen vectors, each added as the tree of `float/lanes.rs`.
    #[inline(always)]
    fn add_trees(self, sums: &[&Lanes; 16]) -> Lanes {
        block::add_trees(sums)
    }

    /// `sum + a * b` in each lane, rounded once. Where loops over arrays become vectors anyway it is one of them; in tiles of
    /// many vectors they do not always.
    #[inline(always)]
    fn add_product(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        multiply_add(sums, a, b)
    }

    /// The same for each of R rows with each of T tokens.
    #[inline(always)]
    fn add_products<const R: usize, const T: usize>(
        self,
        sums: &mut [[Lanes; T]; R],
        rows: &[Lanes; R],
        tokens: &[Lanes; T],
    ) {
        for r in 0..R {
            for t in 0..T {
                sums[r][t] = self.add_product(&sums[r][t], &rows[r], &tokens[t]);
            }
        }
    }

    /// The same of two vectors of each, one after the other.
    #[inline(always)]
    fn add_two_products<const R: usize, const T: usize>(
        self,
        sums: &mut [[Lanes; T]; R],
        rows: &[[Lanes; R]; 2],
        tokens: &[[Lanes; T]; 2],
    ) {
        self.add_products(sums, &rows[0], &tokens[0]);
        self.add_products(sums, &rows[1], &tokens[1]);
    }

    /// Adds products of bf16, two in each lane, by the steps of `float/pairs.rs`: the lanes of `a` and `b` are the
    /// bits of pairs, the first element below.
    #[inline(always)]
    fn dot_pairs(self, sums: &Lanes, a: &Lanes, b: &Lanes) -> Lanes {
        block::dot_pairs(sums, a, b)
    }

    /// Takes the magnitudes of bf16, less one, into `lowest`: the least of all its numbers is the least of all.
    #[inline(always)]
    fn lower(self, lowest: &mut [u16; 32], halves: &[bf16; 32]) {
        block::lower(lowest, halves);
    }

    /// Rows become columns.
    #[inline(always)]
    fn transpose(self, rows: &Block) -> Block {
        block::transpose(rows)
    }
}

/// A closure in the form of a type, so that its text can be marked `#[inline(always)]`.
pub trait Work {
    /// The result.
    type Output;

    /// Does it. Implementations are `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

struct Closure<F>(F);

impl<R, F: FnOnce() -> R> Work for Closure<F> {
    type Output = R;

    #[inline(always)]
    fn run(self) -> R {
        (self.0)()
    }
}
