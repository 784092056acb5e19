use half::f16;
use vt_core::DType;

use super::reference::{Random, random_blocks, value};
use super::*;

fn decode_row<W: WeightBlock>(bytes: &[u8]) -> Vec<f32> {
    let mut out = vec![f32::NAN; bytes.len() / W::BYTES * W::ELEMS];
    for (block, out) in bytes.chunks_exact(W::BYTES).zip(out.chunks_exact_mut(W::ELEMS)) {
        W::decode(block, out);
    }
    out
}

fn check_decoder<W: WeightBlock>() {
    let bytes = random_blocks(W::DTYPE, 200, &mut Random(7));
    for (b, (block, values)) in
        bytes.chunks_exact(W::BYTES).zip(decode_row::<W>(&bytes).chunks_exact(W::ELEMS)).enumerate()
    {
        for (i, &got) in values.iter().enumerate() {
            let (expected, magnitude) = value(W::DTYPE, block, i);
            let error = (f64::from(got) - expected).abs();
            assert!(error <= magnitude * 2f64.powi(-22), "{} block {b}, {i}: {got}, not {expected}", W::DTYPE);
        }
    }
}

#[test]
fn decoders_give_the_described_values() {
    check_decoder::<Q4_0>();
    check_decoder::<Q4_1>();
    check_decoder::<Q5_0>();
    check_decoder::<Q5_1>();
    check_decoder::<Q8_0>();
    check_decoder::<Q2K>();
    check_decoder::<Q3K>();
    check_decoder::<Q4K>();
    check_decoder::<Q5K>();
    check_decoder::<Q6K>();
    check_decoder::<Mxfp4>();
}

/// ggml's `ggml_e8m0_to_fp32_half`: also the largest code is a number.
#[test]
fn scales_of_mxfp4_are_powers_of_two() {
    for exponent in 0..=255 {
        let scale = Mxfp4::scale_value(Mxfp4::scale(&[exponent; 17]));
        assert_eq!(f64::from(scale), 2f64.powi(i32::from(exponent) - 128), "{exponent}");
    }
}

/// Integer weights whose products with 127 over `EXACT` elements reach 2^24 would make the panels' sums inexact.
fn check_exact<W: WeightBlock>(largest: i64) {
    assert!(largest * 127 * (W::EXACT as i64) < 1 << 24, "{}", W::DTYPE);
    assert!(largest <= i64::from(i16::MAX) && W::ELEMS.is_multiple_of(W::EXACT));
}

#[test]
fn partial_sums_stay_exact_in_f32() {
    check_exact::<Q4_0>(8);
    check_exact::<Q4_1>(15);
    check_exact::<Q5_0>(16);
    check_exact::<Q5_1>(31);
    check_exact::<Q8_0>(128);
    check_exact::<Q2K>(3 * 15);
    check_exact::<Q3K>(4 * 32);
    check_exact::<Q4K>(15 * 63);
    check_exact::<Q5K>(31 * 63);
    check_exact::<Q6K>(32 * 128);
    check_exact::<Mxfp4>(12);
}

#[test]
fn halves_convert_exactly_both_ways() {
    for bits in 0..=u16::MAX {
        let (ours, expected) = (f16_to_f32(bits), f16::from_bits(bits).to_f32_const());
        if expected.is_nan() {
            assert!(ours.is_nan() && f16::from_bits(f32_to_f16(ours)).is_nan(), "{bits:#06x}");
        } else {
            assert_eq!(ours.to_bits(), expected.to_bits(), "{bits:#06x}");
            assert_eq!(f32_to_f16(ours), bits);
        }
    }
}

#[test]
fn singles_round_to_halves_to_nearest_even() {
    for step in 0..=u32::MAX / 4099 {
        let x = f32::from_bits(step * 4099);
        let expected = f16::from_f32_const(x);
        let ours = f16::from_bits(f32_to_f16(x));
        assert!(ours.to_bits() == expected.to_bits() || (ours.is_nan() && expected.is_nan()), "{x:e}");
    }
    for half in 0..0x7c00u16 {
        let (a, b) = (f16_to_f32(half), f16_to_f32(half + 1).min(65536.0));
        let tie = a + (b - a) / 2.0;
        for x in [tie, tie.next_up(), tie.next_down(), -tie] {
            assert_eq!(f32_to_f16(x), f16::from_f32_const(x).to_bits(), "{x:e}");
        }
    }
}

/// Inputs of 256 elements that ask for every special rule.
fn activation_cases() -> Vec<Vec<f32>> {
    let mut random = Random(99);
    let mut cases: Vec<Vec<f32>> = (0..64)
        .map(|case| {
            let size = 10f32.powi(case - 40);
            (0..256).map(|_| random.unit() * size).collect()
        })
        .collect();
    let ramp = |f: &dyn Fn(usize) -> f32| (0..256).map(f).collect::<Vec<f32>>();
    cases.push(ramp(&|_| 0.0));
    cases.push(ramp(&|_| -0.0));
    for top in [127.0, -127.0] {
        cases.push(ramp(&|i| if i % 32 == 3 { top } else { i as f32 - 128.5 }.clamp(-127.0, 127.0)));
        cases.push(ramp(&|i| if i % 32 == 31 { top } else { [0.49999997, -0.49999997, 0.5, -0.5][i % 4] }));
        cases.push(ramp(&|i| if i % 32 == 0 { top } else { [1.5, 2.5, -1.5, 1.4999999, -2.5000002][i % 5] }));
        cases.push(ramp(&|i| if i % 2 == 0 { top } else { -top }));
        cases.push(ramp(&|i| if i % 32 == 9 { top * 1e-38 } else { 1e-40 }));
        cases.push(ramp(&|i| if i % 32 == 9 { top * 2e36 } else { 3e37 }));
    }
    cases.push(ramp(&|i| if i % 3 == 0 { f32::from_bits(1) } else { 0.0 }));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN] {
        cases.push(ramp(&|i| if i == 70 { bad } else { i as f32 }));
    }
    cases
}

fn encode<A: ActivationBlock>(x: &[f32]) -> Vec<u8> {
    let mut out = vec![0xaa; x.len() / A::ELEMS * A::BYTES];
    A::encode(x, &mut out);
    out
}

/// ggml's arithmetic for blocks of 32, one value at a time: the scale, and quants with ties away from zero.
fn quantize_32(x: &[f32]) -> (f32, Vec<i8>) {
    if x.iter().any(|x| !x.is_finite()) {
        return (f32::NAN, vec![0; 32]);
    }
    let d = x.iter().fold(0f32, |m, x| m.max(x.abs())) / 127.0;
    let id = if d == 0.0 { 0.0 } else { 1.0 / d };
    let id = if id.is_finite() { id } else { 0.0 };
    (d, x.iter().map(|x| (x * id).round() as i8).collect())
}

#[test]
fn q8_0_is_encoded_byte_for_byte() {
    for (case, x) in activation_cases().iter().enumerate() {
        let expected = x.chunks(32).flat_map(|x| {
            let (d, quants) = quantize_32(x);
            let scale = if d.is_nan() { f16::from_bits(0x7e00) } else { f16::from_f32_const(d) };
            scale.to_le_bytes().into_iter().chain(quants.into_iter().map(|q| q as u8)).collect::<Vec<u8>>()
        });
        assert_eq!(encode::<Q8_0>(x), expected.collect::<Vec<u8>>(), "case {case}");
    }
}

#[test]
fn q8_1_holds_the_scale_the_sum_and_the_quants() {
    for (case, x) in activation_cases().iter().enumerate() {
        for (x, block) in x.chunks(32).zip(encode::<Q8_1>(x).chunks(40)) {
            let (d, quants) = quantize_32(x);
            let s = d * quants.iter().map(|&q| i32::from(q)).sum::<i32>() as f32;
            if d.is_nan() {
                assert!(Q8_1::scale(block).is_nan() && Q8_1::sum(block).is_nan(), "case {case}");
            } else {
                assert_eq!(Q8_1::scale(block).to_bits(), d.to_bits(), "case {case}");
                assert_eq!(Q8_1::sum(block).to_bits(), s.to_bits(), "case {case}");
            }
            assert!(block[8..].iter().zip(&quants).all(|(&a, &b)| a == b as u8), "case {case}");
        }
    }
}

/// ggml's `quantize_row_q8_K_ref`, one value at a time.
fn quantize_256(x: &[f32]) -> (f32, Vec<i8>) {
    if x.iter().any(|x| !x.is_finite()) {
        return (f32::NAN, vec![0; 256]);
    }
    let mut max = 0f32;
    for &x in x {
        if x.abs() > max.abs() {
            max = x;
        }
    }
    if max == 0.0 {
        return (0.0, vec![0; 256]);
    }
    let inverse = -127.0 / max;
    let quant = |x: f32| if inverse.is_finite() { (inverse * x).round_ties_even().min(127.0) as i8 } else { 0 };
    (1.0 / inverse, x.iter().map(|&x| quant(x)).collect())
}

#[test]
fn q8_k_is_encoded_byte_for_byte() {
    for (case, x) in activation_cases().iter().enumerate() {
        let (d, quants) = quantize_256(x);
        let block = encode::<Q8K>(x);
        if d.is_nan() {
            assert!(Q8K::scale(&block).is_nan(), "case {case}");
        } else {
            assert_eq!(block[..4], d.to_le_bytes(), "case {case}");
        }
        let bytes: Vec<u8> = quants.iter().map(|&q| q as u8).collect();
        assert_eq!(block[4..260], bytes, "case {case}");
        let sums = quants.chunks(16).map(|q| q.iter().map(|&q| i16::from(q)).sum::<i16>());
        assert_eq!(block[260..], sums.flat_map(i16::to_le_bytes).collect::<Vec<u8>>(), "case {case}");
    }
}

#[test]
fn activation_blocks_decode_to_scale_times_quant() {
    let x: Vec<f32> = (0..256).map(|i| (i as f32 * 0.7).sin()).collect();
    for decoded in [decode_act::<Q8_0>(&x), decode_act::<Q8_1>(&x), decode_act::<Q8K>(&x)] {
        let error = x.iter().zip(&decoded).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // Half a step, and the rounding of a half-precision scale.
        assert!(error > 0.003 && error <= 0.5 / 127.0 + 2f32.powi(-11), "{error}");
    }
}

fn decode_act<A: ActivationBlock>(x: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; x.len()];
    for (block, out) in encode::<A>(x).chunks(A::BYTES).zip(out.chunks_mut(A::ELEMS)) {
        A::decode(block, out);
    }
    out
}

#[test]
fn types_agree_with_the_table() {
    assert_eq!(<Q8_1 as ActivationBlock>::BYTES, 40);
    assert_eq!(<Q8K as ActivationBlock>::BYTES, 292);
    assert_eq!(<Q6K as WeightBlock>::DTYPE.activation(), Some(<<Q6K as WeightBlock>::Act as ActivationBlock>::DTYPE));
    assert_eq!(<Q5_1 as WeightBlock>::DTYPE.activation(), Some(DType::Q8_1));
}
