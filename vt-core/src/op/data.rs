//! The data of cases: the same numbers on every machine.

use half::{bf16, f16};

use super::Fill;
use crate::{DType, Tensor, TensorError};

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1) of 24 bits.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// The sum of twelve uniform numbers: near enough to normal, and free of transcendental functions.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// About one in a hundred is not a finite number, so that some blocks have none and some have several.
    fn non_finite(&mut self) -> f32 {
        match self.next() % 300 {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => f32::NEG_INFINITY,
            _ => self.normal(),
        }
    }

    fn wide(&mut self) -> f32 {
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        match self.next() % 8 {
            0 => 0.0 * sign,
            1 => 1.5 * sign,
            2 => self.normal() * 1e-20,
            3 => self.normal() * 1e4,
            _ => self.normal(),
        }
    }
}

/// `count` bell-shaped numbers.
pub(super) fn normal(count: usize, deviation: f32, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..count).map(|_| random.normal() * deviation).collect()
}

/// A tensor of random data.
pub(super) fn tensor(dtype: DType, shape: &[usize], fill: Fill, seed: u64) -> Result<Tensor, TensorError> {
    if dtype.is_block() {
        return blocks(dtype, shape, fill, seed);
    }
    let count = shape.iter().product();
    let mut random = Random(seed);
    let floats: Vec<f32> = match fill {
        Fill::Normal(deviation) => normal(count, deviation, seed),
        Fill::Wide => (0..count).map(|_| random.wide()).collect(),
        Fill::NonFinite => (0..count).map(|_| random.non_finite()).collect(),
        Fill::UpTo(limit) => (0..count).map(|_| limit * random.unit()).collect(),
        _ => vec![0.0; count],
    };
    match dtype {
        DType::F16 => Tensor::from_slice(dtype, shape, &floats.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>()),
        DType::BF16 => Tensor::from_slice(dtype, shape, &floats.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>()),
        DType::I32 => {
            let limit = if let Fill::Ids(limit) = fill { limit.max(1) } else { 1 };
            let ids: Vec<i32> = (0..count).map(|_| (random.next() % limit as u64) as i32).collect();
            Tensor::from_slice(dtype, shape, &ids)
        }
        _ => Tensor::from_slice(dtype, shape, &floats),
    }
}

/// Random bits under sane scales, so that every bit pattern of a block's quants turns up.
fn blocks(dtype: DType, shape: &[usize], fill: Fill, seed: u64) -> Result<Tensor, TensorError> {
    let deviation = if let Fill::Normal(deviation) = fill { deviation } else { 1.0 };
    let mut bytes = vec![0; Tensor::zeros(dtype, shape)?.storage().len()];
    if fill == Fill::Zero {
        return Tensor::from_bytes(dtype, shape, &bytes);
    }
    let mut random = Random(seed);
    for block in bytes.chunks_exact_mut(dtype.block_bytes()) {
        block.iter_mut().for_each(|b| *b = random.next() as u8);
        let jitter = deviation * (0.75 + 0.5 * random.unit());
        put_scales(dtype, block, jitter, &mut random);
    }
    Tensor::from_bytes(dtype, shape, &bytes)
}

/// Overwrites the floating-point fields of a block so that its values are of the order of `size`.
fn put_scales(dtype: DType, block: &mut [u8], size: f32, random: &mut Random) {
    let mut half = |at: usize, value: f32| block[at..at + 2].copy_from_slice(&f16::from_f32(value).to_le_bytes());
    match dtype {
        DType::Q4_0 => half(0, size / 4.6),
        DType::Q5_0 => half(0, -size / 9.2),
        DType::Q8_0 => half(0, size / 74.0),
        DType::Q4_1 => (half(0, size / 4.6), half(2, -size * 1.6)).0,
        DType::Q5_1 => (half(0, size / 9.2), half(2, -size * 1.7)).0,
        DType::Q2K => (half(80, size / 11.0), half(82, size / 7.0)).0,
        DType::Q3K => half(108, -size / 42.0),
        DType::Q4K => (half(0, size / 166.0), half(2, size / 22.0)).0,
        DType::Q5K => (half(0, size / 331.0), half(2, size / 21.0)).0,
        DType::Q6K => half(208, size / 1300.0),
        DType::MXFP4 => block[0] = ((size / 3.0).to_bits() >> 23) as u8,
        DType::Q8_1 => put_q8_1(block, size / 74.0),
        DType::Q8K => put_q8_k(block, if random.next() & 1 == 0 { size } else { -size } / 74.0),
        _ => {}
    }
}

/// Scale and matching sum of an activation block of 32.
fn put_q8_1(block: &mut [u8], scale: f32) {
    let sum: i32 = block[8..].iter().map(|b| i32::from(*b as i8)).sum();
    block[..4].copy_from_slice(&scale.to_le_bytes());
    block[4..8].copy_from_slice(&(scale * sum as f32).to_le_bytes());
}

/// Scale and matching sums of an activation block of 256.
fn put_q8_k(block: &mut [u8], scale: f32) {
    block[..4].copy_from_slice(&scale.to_le_bytes());
    let (quants, sums) = block[4..].split_at_mut(256);
    for (group, sum) in quants.chunks_exact(16).zip(sums.chunks_exact_mut(2)) {
        let total: i16 = group.iter().map(|b| i16::from(*b as i8)).sum();
        sum.copy_from_slice(&total.to_le_bytes());
    }
}
