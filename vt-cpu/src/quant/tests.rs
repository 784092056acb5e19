mod extremes;

use vt_core::{DType, View, ViewMut};

use super::*;
#[cfg(target_arch = "x86_64")]
use crate::arch::{Amx, Avx2, Avx512};
#[cfg(target_arch = "aarch64")]
use crate::arch::{Dotprod, I8mm, Neon};
use crate::arch::{Portable, Work};
use crate::block::reference::{Random, float_fields, integers, random_blocks, scale_and_offset, value};
use crate::block::*;

/// A matmul's operands in bytes.
struct Operands {
    shape: [usize; 3],
    weights: Vec<u8>,
    acts: Vec<u8>,
}

impl Operands {
    fn random<W: WeightBlock>(m: usize, n: usize, blocks: usize) -> Self {
        let mut random = Random(0x5eed + (m * 64 + n * 8 + blocks) as u64);
        let weights = random_blocks(W::DTYPE, n * blocks, &mut random);
        let size = |random: &mut Random| [0.0, 1e-3, 1.0, 100.0][(random.bits() % 4) as usize];
        let mut x = Vec::new();
        for _ in 0..m * blocks {
            let size = size(&mut random);
            x.extend((0..W::ELEMS).map(|_| random.unit() * size));
        }
        Self::new::<W>([m, n, blocks], weights, &x)
    }

    fn new<W: WeightBlock>(shape: [usize; 3], weights: Vec<u8>, x: &[f32]) -> Self {
        let mut acts = vec![0; shape[0] * shape[2] * W::Act::BYTES];
        W::Act::encode(x, &mut acts);
        Self { shape, weights, acts }
    }

    fn weight_row<W: WeightBlock>(&self, i: usize) -> &[u8] {
        let bytes = self.shape[2] * W::BYTES;
        &self.weights[i * bytes..][..bytes]
    }

    fn act_row<W: WeightBlock>(&self, t: usize) -> &[u8] {
        let bytes = self.shape[2] * <W::Act as ActivationBlock>::BYTES;
        &self.acts[t * bytes..][..bytes]
    }
}

#[derive(Clone, Copy, Debug)]
enum Road {
    Few,
    Many,
}

/// One road, as work that a tier inlines.
struct Multiply<'a, 'b, W, I> {
    isa: I,
    road: Road,
    /// Elements of scratch, of those that the road for many rows takes.
    scratch: usize,
    weights: View<'a, u8>,
    acts: View<'a, u8>,
    out: &'a mut ViewMut<'b, f32>,
    block: std::marker::PhantomData<W>,
}

/// What scratch holds before.
trait Dirty: vt_core::Elem {
    const DIRTY: Self;
}

impl Dirty for f32 {
    const DIRTY: Self = f32::NAN;
}

impl Dirty for i32 {
    const DIRTY: Self = 0x7fa0_5555;
}

impl<W: RowLanes, I: ManyRows<Scratch: Dirty>> Work for Multiply<'_, '_, W, I> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (m, k) = (self.acts.rows(), self.weights.cols() / W::BYTES * W::ELEMS);
        match self.road {
            Road::Few => {
                few_rows::<W>(self.weights, self.acts, self.out, &mut vec![-1; few_rows_scratch::<W>(m, k)]);
            }
            Road::Many => {
                let mut scratch = vec![I::Scratch::DIRTY; self.scratch];
                self.isa.many_rows::<W>(self.weights, self.acts, self.out, &mut scratch);
            }
        }
    }
}

/// The outputs `[m, n]`, written into wider rows whose rest must stay as it is.
fn multiply<W: RowLanes, I: ManyRows<Scratch: Dirty>>(isa: I, road: Road, operands: &Operands) -> Vec<f32> {
    let [m, _, blocks] = operands.shape;
    multiply_with::<W, I>(isa, road, operands, I::many_rows_scratch::<W>(m, blocks * W::ELEMS))
}

fn multiply_with<W: RowLanes, I: ManyRows<Scratch: Dirty>>(
    isa: I,
    road: Road,
    operands: &Operands,
    scratch: usize,
) -> Vec<f32> {
    let [m, n, blocks] = operands.shape;
    let stride = n + 3;
    let mut out = vec![7.0; m * stride];
    let (row, act_row) = (blocks * W::BYTES, blocks * <W::Act as ActivationBlock>::BYTES);
    let mut view = ViewMut::new(&mut out, m, n, stride);
    isa.perform(Multiply::<W, I> {
        isa,
        road,
        scratch,
        weights: View::new(&operands.weights, n, row, row),
        acts: View::new(&operands.acts, m, act_row, act_row),
        out: &mut view,
        block: std::marker::PhantomData,
    });
    out.chunks(stride)
        .flat_map(|row| {
            assert_eq!(row[n..], [7.0; 3], "written beside the tile");
            row[..n].to_vec()
        })
        .collect()
}

/// Each road in each tier that the machine has.
fn every_way<W: RowLanes>(operands: &Operands) -> Vec<(String, Vec<f32>)> {
    fn both<W: RowLanes, I: ManyRows<Scratch: Dirty>>(
        isa: I,
        operands: &Operands,
        results: &mut Vec<(String, Vec<f32>)>,
    ) {
        for road in [Road::Few, Road::Many] {
            if matches!(road, Road::Few) && I::FEW_ROWS == 0 {
                continue;
            }
            results.push((format!("{} {} {road:?}", W::DTYPE, I::NAME), multiply::<W, I>(isa, road, operands)));
        }
    }
    let mut results = Vec::new();
    both::<W, _>(Portable, operands, &mut results);
    #[cfg(target_arch = "x86_64")]
    {
        Avx2::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
        Avx512::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
        Amx::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
    }
    #[cfg(target_arch = "aarch64")]
    {
        Neon::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
        Dotprod::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
        I8mm::new().into_iter().for_each(|isa| both::<W, _>(isa, operands, &mut results));
    }
    results
}

/// The rule of the module above, one operation at a time, over integers read by the reference.
fn rule<W: WeightBlock>(weights: &[u8], acts: &[u8]) -> f32 {
    let mut acc = 0f32;
    for (w, a) in weights.chunks(W::BYTES).zip(acts.chunks(<W::Act as ActivationBlock>::BYTES)) {
        let (d, offset) = scale_and_offset(W::DTYPE, w);
        let da = W::Act::scale(a);
        let (mut products, mut minima) = (0i64, 0i64);
        for (i, &q) in W::Act::quants(a).iter().enumerate() {
            let weight = integers(W::DTYPE, w, i);
            products += weight.quant * weight.scale * i64::from(q as i8);
            minima += weight.minimum * i64::from(q as i8);
        }
        acc = (d * da).mul_add(products as f32, acc);
        match W::DTYPE {
            DType::Q4_1 | DType::Q5_1 => acc = offset.mul_add(W::Act::sum(a), acc),
            DType::Q2K | DType::Q4K | DType::Q5K => acc = (-(offset * da)).mul_add(minima as f32, acc),
            _ => {}
        }
    }
    acc
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn check_rule<W: RowLanes>(operands: &Operands) {
    let [m, n, blocks] = operands.shape;
    let expected: Vec<f32> =
        (0..m * n).map(|i| rule::<W>(operands.weight_row::<W>(i % n), operands.act_row::<W>(i / n))).collect();
    for (way, got) in every_way::<W>(operands) {
        assert_eq!(got.len(), expected.len(), "{way}");
        for (i, (&got, &expected)) in got.iter().zip(&expected).enumerate() {
            let at = (i / n, i % n);
            assert!(same(got, expected), "{way} m={m} n={n} blocks={blocks} at {at:?}: {got:e}, not {expected:e}");
        }
    }
}

/// Shapes (m, n, blocks of K): empty, odd, more than a group, a slab and a tile.
fn shapes<W: WeightBlock>() -> Vec<(usize, usize, usize)> {
    let long = if W::ELEMS == 32 { 41 } else { 18 };
    let mut shapes = vec![(0, 5, 2), (3, 0, 2), (2, 3, 0), (17, 18, 0), (1030, 3, 1)];
    for (m, n) in
        [(1, 1), (1, 37), (1, 16), (2, 17), (3, 35), (3, 5), (4, 50), (5, 16), (8, 33), (17, 19), (33, 15), (64, 21)]
    {
        shapes.extend([(m, n, 1), (m, n, 3)]);
    }
    shapes.extend([(1, 19, long), (5, 7, long), (33, 17, long), (270, 17, long), (48, 70, 2)]);
    shapes
}

/// Non-finite activations, and weights whose scale is not finite, reach the same outputs by every way.
fn check_not_finite<W: RowLanes>() {
    let (m, n, blocks) = (4, 18, 3);
    let mut random = Random(3);
    let mut weights = random_blocks(W::DTYPE, n * blocks, &mut random);
    let scale_at = match W::DTYPE {
        DType::Q2K => 80,
        DType::Q3K => 108,
        DType::Q6K => 208,
        _ => 0,
    };
    // The first byte of MXFP4 is an exponent, with which products overflow, or none is left of them.
    let scales = if W::DTYPE == DType::MXFP4 { [0x12ffu16, 0x34fe, 0x5600] } else { [0x7c00, 0xfc00, 0x7e00] };
    for (block, bits) in [4, 8, 12].into_iter().zip(scales) {
        weights[block * W::BYTES + scale_at..][..2].copy_from_slice(&bits.to_le_bytes());
    }
    let mut x: Vec<f32> = (0..m * blocks * W::ELEMS).map(|_| random.unit()).collect();
    x[blocks * W::ELEMS + 5] = f32::NAN;
    x[2 * blocks * W::ELEMS + 5] = f32::INFINITY;
    check_rule::<W>(&Operands::new::<W>([m, n, blocks], weights, &x));
}

/// Dot products against f64 over decoded blocks.
fn check_accuracy<W: RowLanes>() {
    let (m, n, blocks) = (6, 21, 9);
    let operands = Operands::random::<W>(m, n, blocks);
    for (way, got) in every_way::<W>(&operands) {
        for (i, &got) in got.iter().enumerate() {
            let (mut sum, mut norm) = (0f64, 0f64);
            let acts = operands.act_row::<W>(i / n).chunks(<W::Act as ActivationBlock>::BYTES);
            for (w, a) in operands.weight_row::<W>(i % n).chunks(W::BYTES).zip(acts) {
                let mut x = vec![0.0; W::ELEMS];
                W::Act::decode(a, &mut x);
                for (k, &x) in x.iter().enumerate() {
                    let (weight, magnitude) = value(W::DTYPE, w, k);
                    sum += weight * f64::from(x);
                    norm += magnitude * f64::from(x.abs());
                }
            }
            assert!((f64::from(got) - sum).abs() <= 1e-5 * norm, "{way} {i}: {got}, not {sum}");
        }
    }
}

/// llama.cpp's `test-quantize-fns`: weights encoded by its own encoders from 0.1 + 2 cos i, against 0.1 + 2 cos(i + 1).
fn check_cosine<W: RowLanes>() {
    let data = include_bytes!("../../tests/data/cosine.bin");
    let elems = 4096;
    let bytes = |dtype: DType| elems / dtype.block_elems() * dtype.block_bytes();
    let from: usize = DType::weight_blocks().take_while(|&d| d != W::DTYPE).map(bytes).sum();
    let weights = data[from..][..bytes(W::DTYPE)].to_vec();
    let wave = |offset: f32| (0..elems).map(move |i| 0.1 + 2.0 * (i as f32 + offset).cos());
    let x: Vec<f32> = wave(1.0).collect();
    let expected: f64 = wave(0.0).zip(&x).map(|(a, &b)| f64::from(a) * f64::from(b)).sum();
    let threshold = if W::DTYPE == DType::Q2K { 0.04 } else { 0.02 };
    let operands = Operands::new::<W>([1, 1, elems / W::ELEMS], weights, &x);
    for (way, got) in every_way::<W>(&operands) {
        let error = (f64::from(got[0]) - expected).abs() / elems as f64;
        assert!(error < threshold, "{way}: {error}");
    }
}

macro_rules! for_every_type {
    ($($name:ident $type:ident)+) => {$(
        mod $name {
            use super::*;

            #[test]
            fn follows_the_rule_bit_for_bit() {
                for (m, n, blocks) in shapes::<$type>() {
                    check_rule::<$type>(&Operands::random::<$type>(m, n, blocks));
                }
            }

            #[test]
            fn holds_the_largest_sums() {
                extremes::check::<$type>();
            }

            #[test]
            fn carries_what_is_not_finite() {
                check_not_finite::<$type>();
            }

            #[test]
            fn is_accurate() {
                check_accuracy::<$type>();
            }

            #[test]
            fn meets_the_threshold_on_ggml_blocks() {
                check_cosine::<$type>();
            }
        }
    )+};
}

for_every_type!(q4_0 Q4_0 q4_1 Q4_1 q5_0 Q5_0 q5_1 Q5_1 q8_0 Q8_0 q2_k Q2K q3_k Q3K q4_k Q4K q5_k Q5K q6_k Q6K mxfp4 Mxfp4);

#[test]
#[should_panic(expected = "an activation row has the weights' blocks")]
fn operands_of_different_depth_are_refused() {
    let operands = Operands { shape: [1, 1, 1], weights: vec![0; 2 * 34], acts: vec![0; 34] };
    let mut out = [0.0];
    few_rows::<Q8_0>(
        View::new(&operands.weights, 1, 68, 68),
        View::new(&operands.acts, 1, 34, 34),
        &mut ViewMut::new(&mut out, 1, 1, 1),
        &mut [],
    );
}

/// A plan's scratch is for the most rows of a class of passes; any pass of the class must do with it.
fn check_scratch_for_more_rows<I: ManyRows<Scratch: Dirty>>(isa: I) {
    let (n, blocks) = (17, 20);
    for m in [25, 230, 409, 419, 511] {
        let operands = Operands::random::<Q5_0>(m, n, blocks);
        let expected = multiply::<Q5_0, _>(Portable, Road::Many, &operands);
        let scratch = I::many_rows_scratch::<Q5_0>(512, blocks * 32);
        let found = multiply_with::<Q5_0, _>(isa, Road::Many, &operands, scratch);
        assert!(found.iter().zip(&expected).all(|(a, b)| same(*a, *b)), "{} {m} rows", I::NAME);
    }
}

#[test]
fn scratch_for_more_rows_is_enough() {
    check_scratch_for_more_rows(Portable);
    #[cfg(target_arch = "x86_64")]
    {
        Avx2::new().into_iter().for_each(check_scratch_for_more_rows);
        Avx512::new().into_iter().for_each(check_scratch_for_more_rows);
        Amx::new().into_iter().for_each(check_scratch_for_more_rows);
    }
    #[cfg(target_arch = "aarch64")]
    {
        Neon::new().into_iter().for_each(check_scratch_for_more_rows);
        Dotprod::new().into_iter().for_each(check_scratch_for_more_rows);
        I8mm::new().into_iter().for_each(check_scratch_for_more_rows);
    }
}

fn check_scratch_is_bounded<I: ManyRows>() {
    for m in [25, 512, 1024, 4096] {
        let scratch = [I::many_rows_scratch::<Q2K>, I::many_rows_scratch::<Q4_0>, I::many_rows_scratch::<Q4_1>];
        let elems = scratch.map(|scratch| scratch(m, 1 << 17)).into_iter().max().unwrap();
        assert!(elems * size_of::<I::Scratch>() <= 3 << 19, "{} {m}: {elems}", I::NAME);
    }
}

#[test]
fn scratch_is_bounded() {
    check_scratch_is_bounded::<Portable>();
    #[cfg(target_arch = "x86_64")]
    {
        check_scratch_is_bounded::<Avx2>();
        check_scratch_is_bounded::<Avx512>();
        check_scratch_is_bounded::<Amx>();
    }
    #[cfg(target_arch = "aarch64")]
    {
        check_scratch_is_bounded::<Neon>();
        check_scratch_is_bounded::<Dotprod>();
        check_scratch_is_bounded::<I8mm>();
    }
}
