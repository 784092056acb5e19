//! The largest integer sums that there are.

use half::f16;

use super::*;

/// Bytes of the scales of parts.
fn part_scales(dtype: DType) -> std::ops::Range<usize> {
    match dtype {
        DType::Q2K => 0..16,
        DType::Q3K => 96..108,
        DType::Q4K | DType::Q5K => 4..16,
        DType::Q6K => 192..208,
        _ => 0..0,
    }
}

/// A row for each pair of bytes that quants and scales of parts consist of, under scales of 1 and offsets of -0.5.
fn weights<W: WeightBlock>(blocks: usize) -> Vec<u8> {
    let bytes = [0x00, 0x7f, 0x80, 0xff];
    let mut weights = Vec::new();
    for (quants, scales) in bytes.into_iter().flat_map(|quants| bytes.map(|scales| (quants, scales))) {
        let mut block = vec![quants; W::BYTES];
        block[part_scales(W::DTYPE)].fill(scales);
        let (scale, offset) = float_fields(W::DTYPE);
        if W::DTYPE == DType::MXFP4 {
            block[0] = 128;
        } else {
            block[scale..scale + 2].copy_from_slice(&f16::ONE.to_le_bytes());
        }
        if let Some(offset) = offset {
            block[offset..offset + 2].copy_from_slice(&f16::from_f32(-0.5).to_le_bytes());
        }
        (0..blocks).for_each(|_| weights.extend(&block));
    }
    weights
}

pub(super) fn check<W: RowLanes>() {
    let (m, n, blocks) = (18, 16, 2);
    let signs = [|_| 1.0, |_| -1.0, |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 }];
    let x: Vec<f32> = (0..m).flat_map(|t| (0..blocks * W::ELEMS).map(move |k| signs[t % 3](k))).collect();
    let mut operands = Operands::new::<W>([m, n, blocks], weights::<W>(blocks), &x);
    let quants = <W::Act as ActivationBlock>::quants(operands.act_row::<W>(0));
    assert!(quants.iter().all(|&q| (q as i8).unsigned_abs() == 127), "the largest activations");
    check_rule::<W>(&operands);
    // Activations that were not made here may have quants of -128.
    operands.acts.chunks_exact_mut(<W::Act as ActivationBlock>::BYTES).for_each(fill_with_least::<W::Act>);
    for rows in [m, 1] {
        operands.shape[0] = rows;
        operands.acts.truncate(rows * blocks * <W::Act as ActivationBlock>::BYTES);
        check_rule::<W>(&operands);
    }
}

/// Makes all quants of a block -128.
fn fill_with_least<A: ActivationBlock>(block: &mut [u8]) {
    let quants = match A::DTYPE {
        DType::Q8_0 => 2..34,
        DType::Q8_1 => 8..40,
        _ => 4..260,
    };
    block[quants].fill(0x80);
    if A::DTYPE == DType::Q8K {
        block[260..].as_chunks_mut().0.fill((16 * -128i16).to_le_bytes());
    }
    assert!(A::quants(block).iter().all(|&q| q == 0x80));
}
