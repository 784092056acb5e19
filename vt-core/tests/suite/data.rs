//! The data of cases: the same bytes on every machine, and spread as each [`Fill`] says.

use half::{bf16, f16};
use vt_core::op::{AnyCase, Case, Fill, Operand, Silu, entries};
use vt_core::plan::Span;
use vt_core::{DType, Desc, Sizes, Tensor};

/// 64-bit FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

fn case(inputs: &[(DType, &[usize], Fill)]) -> AnyCase {
    let operand = |(dtype, shape, fill): &(DType, &[usize], Fill)| {
        Operand::tensor(Desc::new(*dtype, shape.iter().copied()), *fill)
    };
    Case::new("case", Silu, 0, inputs.iter().map(operand).collect()).erase()
}

fn made(dtype: DType, shape: &[usize], fill: Fill) -> Tensor {
    case(&[(dtype, shape, fill)]).tensor(0).unwrap().unwrap()
}

fn floats(count: usize, fill: Fill) -> Vec<f32> {
    made(DType::F32, &[count], fill).as_slice().unwrap().to_vec()
}

/// The hashes are of the bytes that another implementation of the definition, in numpy, gives: SplitMix64 from the
/// FNV-1a hash of the case's name, plus 0x9e3779b9 for each input before.
#[test]
fn the_bytes_are_those_of_the_definition() {
    let expected = [
        (DType::F32, Fill::Normal(2.0), 0x2d4f_4fac_bfec_d5da),
        (DType::F32, Fill::Wide, 0x8b57_77e3_9623_5dcd),
        (DType::F32, Fill::NonFinite, 0x1851_5e97_ef65_f8bd),
        (DType::F16, Fill::Normal(2.0), 0x7886_4bb2_0fd3_b622),
        (DType::BF16, Fill::Normal(2.0), 0xe549_473b_58e3_a8b8),
        (DType::I32, Fill::Ids(1000), 0xc57f_88f5_f28c_1f21),
        (DType::Q4_0, Fill::Normal(3.0), 0x5f7f_2b4d_5c62_3746),
        (DType::Q4_0, Fill::Wide, 0x7691_b740_19b2_9258),
        (DType::Q4_1, Fill::Normal(3.0), 0x8da8_a072_9401_4988),
        (DType::Q5_0, Fill::Normal(3.0), 0x421a_5e9f_6445_6d0b),
        (DType::Q5_1, Fill::Normal(3.0), 0xf298_381e_b050_a42e),
        (DType::Q8_0, Fill::Normal(3.0), 0xe74a_011a_e544_a1b2),
        (DType::Q2K, Fill::Normal(3.0), 0x5f3a_84e5_504a_178a),
        (DType::Q3K, Fill::Normal(3.0), 0x1b9a_b02b_7da0_c074),
        (DType::Q4K, Fill::Normal(3.0), 0xba23_8584_fc33_aa19),
        (DType::Q5K, Fill::Normal(3.0), 0x5a90_8422_044a_6625),
        (DType::Q6K, Fill::Normal(3.0), 0xf664_b2ca_d07a_8818),
        (DType::MXFP4, Fill::Normal(3.0), 0x64f1_0814_2cfe_aac6),
        (DType::Q8_1, Fill::Normal(3.0), 0x5b99_360f_d54b_9ba3),
        (DType::Q8K, Fill::Normal(3.0), 0x3e90_c8fb_9cd3_8a53),
    ];
    for (dtype, fill, expected) in expected {
        let count = if dtype.is_block() { 6 * dtype.block_elems() } else { 500 };
        assert_eq!(hash(made(dtype, &[count], fill).bytes().unwrap()), expected, "{dtype} {fill:?}");
    }
}

#[test]
fn inputs_and_states_have_data_of_their_own() {
    let input: (DType, &[usize], Fill) = (DType::F32, &[500], Fill::Normal(2.0));
    let case = case(&[input, input]);
    let of = |i| hash(case.tensor(i).unwrap().unwrap().bytes().unwrap());
    assert_eq!((of(0), of(1)), (0x2d4f_4fac_bfec_d5da, 0x3673_d6be_104d_cc9a));
    let state = |i, s| hash(&case.state_data(i, s, 500).iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!((state(0, 0), state(1, 2)), (0xe791_b67b_fbf1_5f0b, 0x124c_4052_8a59_a866));
    assert!(case.tensor(2).unwrap().is_none());
}

fn deviation(x: &[f32]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / n;
    (x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / n).sqrt()
}

#[test]
fn normal_numbers_are_bell_shaped() {
    let x = floats(20_000, Fill::Normal(3.0));
    let share = |limit: f32| x.iter().filter(|x| x.abs() < limit).count() as f64 / x.len() as f64;
    assert!((deviation(&x) - 3.0).abs() < 0.05 && x.iter().sum::<f32>().abs() / 20_000.0 < 0.1);
    assert!((share(3.0) - 0.683).abs() < 0.01 && (share(6.0) - 0.954).abs() < 0.01 && share(18.0) == 1.0);
    assert!(Case::new("case", Silu, 0, vec![]).state_data(0, 0, 1000).iter().all(|x| x.abs() < 6.0));
}

#[test]
fn wide_numbers_have_many_magnitudes_and_repeated_ones() {
    let x = floats(4000, Fill::Wide);
    let share = |which: &dyn Fn(f32) -> bool| x.iter().filter(|x| which(**x)).count() as f64 / 4000.0;
    for bits in [0.0f32, -0.0, 1.5, -1.5].map(f32::to_bits) {
        assert!((share(&|x| x.to_bits() == bits) - 1.0 / 16.0).abs() < 0.02, "{bits:x}");
    }
    assert!((share(&|x| x != 0.0 && x.abs() < 1e-18) - 0.125).abs() < 0.02);
    assert!((share(&|x| x.abs() > 60.0) - 0.125).abs() < 0.02 && x.iter().all(|x| x.is_finite()));
}

#[test]
fn non_finite_numbers_are_one_in_a_hundred() {
    let x = floats(20_000, Fill::NonFinite);
    let count = |which: fn(&&f32) -> bool| x.iter().filter(which).count();
    for found in [count(|x| x.is_nan()), count(|x| **x == f32::INFINITY), count(|x| **x == f32::NEG_INFINITY)] {
        assert!((40..95).contains(&found), "{found}");
    }
    let finite: Vec<f32> = x.iter().copied().filter(|x| x.is_finite()).collect();
    assert!((deviation(&finite) - 1.0).abs() < 0.02);
}

#[test]
fn ids_are_below_their_limit_and_zeros_are_zero() {
    let ids = made(DType::I32, &[300], Fill::Ids(7));
    let ids = ids.as_slice::<i32>().unwrap();
    assert!((0..7).all(|id| ids.contains(&id)) && ids.iter().all(|id| (0..7).contains(id)));
    for dtype in [DType::F32, DType::F16, DType::Q4K, DType::Q8_1] {
        assert!(made(dtype, &[2, 256], Fill::Zero).bytes().unwrap().iter().all(|b| *b == 0), "{dtype}");
    }
}

#[test]
fn narrow_floats_are_the_rounded_wide_ones() {
    let x = floats(200, Fill::Normal(2.0));
    let half = made(DType::F16, &[200], Fill::Normal(2.0));
    let brain = made(DType::BF16, &[200], Fill::Normal(2.0));
    assert!(half.as_slice::<f16>().unwrap().iter().zip(&x).all(|(h, x)| *h == f16::from_f32(*x)));
    assert!(brain.as_slice::<bf16>().unwrap().iter().zip(&x).all(|(b, x)| *b == bf16::from_f32(*x)));
}

/// What [`DType::Q8_1`] and [`DType::Q8K`] say of their sums.
#[test]
fn activation_blocks_have_the_sums_of_their_quants() {
    let float = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
    for block in made(DType::Q8_1, &[640], Fill::Normal(1.0)).bytes().unwrap().chunks_exact(40) {
        let sum: i32 = block[8..].iter().map(|q| i32::from(*q as i8)).sum();
        assert!(float(&block[..4]) > 0.0 && float(&block[4..8]) == float(&block[..4]) * sum as f32);
    }
    let mut signs = [0; 2];
    for block in made(DType::Q8K, &[5120], Fill::Normal(1.0)).bytes().unwrap().chunks_exact(292) {
        signs[usize::from(float(&block[..4]) < 0.0)] += 1;
        for (quants, sum) in block[4..260].chunks_exact(16).zip(block[260..].chunks_exact(2)) {
            let expected: i16 = quants.iter().map(|q| i16::from(*q as i8)).sum();
            assert_eq!(i16::from_le_bytes(sum.try_into().unwrap()), expected);
        }
    }
    assert!(signs[0] > 0 && signs[1] > 0, "the scale has both signs: {signs:?}");
}

#[test]
fn positions_and_sequences_follow_the_spans() {
    let index = |fill| Operand::tensor(Desc::new(DType::I32, [5usize]), fill);
    let spans = vec![Span { sequence: 3, position: 70, rows: 2 }, Span { sequence: 0, position: 4, rows: 3 }];
    let case = Case::new("case", Silu, 5, vec![index(Fill::Positions), index(Fill::Sequences)]);
    assert_eq!(case.sequences(), 0);
    let case = case.with_spans(spans).with_r(2);
    assert_eq!((case.sequences(), case.sizes, case.to_string().as_str()), (4, Sizes { t: 5, r: 2 }, "case Silu"));
    let of = |i| case.tensor(i).unwrap().unwrap().as_slice::<i32>().unwrap().to_vec();
    assert_eq!((of(0), of(1)), (vec![70, 71, 4, 5, 6], vec![3, 3, 0, 0, 0]));
}

/// Kernels of experts, heads and blocks must not be shown the same numbers in two operands.
#[test]
fn no_two_inputs_of_a_case_are_alike() {
    for case in entries().iter().flat_map(|e| (e.cases)()) {
        let tensors: Vec<Tensor> = (0..case.inputs.len()).filter_map(|i| case.tensor(i).unwrap()).collect();
        for (i, a) in tensors.iter().enumerate().filter(|(_, t)| t.dtype() != DType::I32) {
            let twin =
                |b: &&Tensor| b.dtype() == a.dtype() && b.bytes().unwrap().get(..16) == a.bytes().unwrap().get(..16);
            assert!(a.bytes().unwrap().len() < 16 || tensors[..i].iter().find(twin).is_none(), "{case}");
        }
    }
}
