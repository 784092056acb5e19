//! Random weights of every type that files hold.

use half::{bf16, f16};
use vt::core::DType;

use super::random::Random;

/// A matrix whose elements have a standard deviation near `std`. Blocks are random bits under sane scales: no encoder
/// is needed, and every pattern of a block turns up.
pub fn matrix(random: &mut Random, dtype: DType, rows: usize, cols: usize, std: f32) -> Vec<u8> {
    let blocks = rows * cols / dtype.block_elems();
    if dtype == DType::MXFP4 {
        return (0..blocks).flat_map(|_| mxfp4_block(random, std)).collect();
    }
    if let Some(scales) = Scales::of(dtype) {
        return (0..blocks).flat_map(|_| scales.block(random, dtype.block_bytes(), std)).collect();
    }
    let values = (0..rows * cols).map(|_| random.bell(std));
    match dtype {
        DType::F16 => values.flat_map(|x| f16::from_f32(x).to_le_bytes()).collect(),
        DType::BF16 => values.flat_map(|x| bf16::from_f32(x).to_le_bytes()).collect(),
        _ => values.flat_map(f32::to_le_bytes).collect(),
    }
}

/// A random block of MXFP4: 2.93 is the standard deviation of its numbers when the scale is 1.
fn mxfp4_block(random: &mut Random, std: f32) -> Vec<u8> {
    let mut block = random.bytes(DType::MXFP4.block_bytes());
    let scale = std / 2.93 * random.between(0.75, 1.5);
    block[0] = (scale.to_bits() >> 23) as u8;
    block
}

/// A vector of f32 around `mean`.
pub fn vector(random: &mut Random, len: usize, mean: f32, std: f32) -> Vec<u8> {
    (0..len).flat_map(|_| (mean + random.bell(std)).to_le_bytes()).collect()
}

/// Where a block's f16 scale is, and the standard deviation of its elements when that is 1; the same of its f16
/// minimum: its place, and its value for a scale of 1 that brings the mean to 0.
struct Scales {
    at: usize,
    spread: f32,
    minimum: Option<(usize, f32)>,
}

impl Scales {
    /// The layouts of `ggml-common.h`; the spreads are those of uniform quants under uniform scales.
    fn of(dtype: DType) -> Option<Self> {
        let (at, spread, minimum) = match dtype {
            DType::Q4_0 => (0, 4.6, None),
            DType::Q4_1 => (0, 4.6, Some((2, -7.5))),
            DType::Q5_0 => (0, 9.2, None),
            DType::Q5_1 => (0, 9.2, Some((2, -15.5))),
            DType::Q8_0 => (0, 74.0, None),
            DType::Q2K => (80, 14.0, Some((82, 1.5))),
            DType::Q3K => (108, 43.0, None),
            DType::Q4K => (0, 257.0, Some((2, 7.5))),
            DType::Q5K => (0, 522.0, Some((2, 15.5))),
            DType::Q6K => (208, 1367.0, None),
            _ => return None,
        };
        Some(Self { at, spread, minimum })
    }

    fn block(&self, random: &mut Random, bytes: usize, std: f32) -> Vec<u8> {
        let mut block = random.bytes(bytes);
        let scale = std / self.spread * random.between(0.75, 1.25);
        let mut put = |at: usize, x: f32| block[at..at + 2].copy_from_slice(&f16::from_f32(x).to_le_bytes());
        match self.minimum {
            Some((minimum, value)) => {
                put(self.at, scale);
                put(minimum, scale * value);
            }
            // The quants are off centre by half a step: either sign brings the mean of all blocks to 0.
            None => put(self.at, if random.below(2) == 0 { scale } else { -scale }),
        }
        block
    }
}
