//! Independent references for the tests: block layouts read element by element, from their description.

use half::f16;
use vt_core::DType;

/// A small deterministic generator (xorshift64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Uniform in -1..1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Where a block's scale and, where it has one, its offset lie.
pub(crate) fn float_fields(dtype: DType) -> (usize, Option<usize>) {
    match dtype {
        DType::Q4_1 | DType::Q5_1 | DType::Q4K | DType::Q5K => (0, Some(2)),
        DType::Q2K => (80, Some(82)),
        DType::Q3K => (108, None),
        DType::Q6K => (208, None),
        _ => (0, None),
    }
}

/// The exponent of a block of MXFP4: one in 16 is of the smallest there are.
fn exponent(random: &mut Random) -> u8 {
    let bits = random.bits();
    let (small, other) = ((bits >> 8) % 4, 110 + (bits >> 16) % 24);
    if bits.is_multiple_of(16) { small as u8 } else { other as u8 }
}

/// Blocks of random bytes, among them all-zero and all-one ones, under scales of any sign, some of them subnormal.
pub(crate) fn random_blocks(dtype: DType, count: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0; count * dtype.block_bytes()];
    let (scale, offset) = float_fields(dtype);
    for block in bytes.chunks_exact_mut(dtype.block_bytes()) {
        let fill = random.bits() % 8;
        for byte in block.iter_mut() {
            *byte = match fill {
                0 => 0x00,
                1 => 0xff,
                2 => 0x80,
                _ => random.bits() as u8,
            };
        }
        if dtype == DType::MXFP4 {
            block[0] = exponent(random);
            continue;
        }
        for at in std::iter::once(scale).chain(offset) {
            let size = if random.bits().is_multiple_of(4) { 1e-5 } else { 0.05 };
            block[at..at + 2].copy_from_slice(&f16::from_f32(random.unit() * size).to_le_bytes());
        }
    }
    bytes
}

/// One weight: `quant * scale` in units of the block's scale, and its integer minimum.
pub(crate) struct Integers {
    pub(crate) quant: i64,
    pub(crate) scale: i64,
    pub(crate) minimum: i64,
}

fn nibble(byte: u8, high: bool) -> i64 {
    i64::from(if high { byte / 16 } else { byte % 16 })
}

fn bit(bytes: &[u8], number: usize) -> i64 {
    i64::from(bytes[number / 8]) / (1 << (number % 8)) % 2
}

/// ggml's `get_scale_min_k4`: (scale, minimum) number j.
fn scale_and_minimum(packed: &[u8], j: usize) -> (i64, i64) {
    let p = |i: usize| i64::from(packed[i]);
    if j < 4 {
        (p(j) % 64, p(j + 4) % 64)
    } else {
        (p(j + 4) % 16 + p(j - 4) / 64 * 16, p(j + 4) / 16 + p(j) / 64 * 16)
    }
}

/// Element `i` of a weight block.
pub(crate) fn integers(dtype: DType, b: &[u8], i: usize) -> Integers {
    let plain = |quant| Integers { quant, scale: 1, minimum: 0 };
    match dtype {
        DType::Q4_0 => plain(nibble(b[2 + i % 16], i >= 16) - 8),
        DType::Q4_1 => plain(nibble(b[4 + i % 16], i >= 16)),
        DType::Q5_0 => plain(nibble(b[6 + i % 16], i >= 16) + 16 * bit(&b[2..6], i) - 16),
        DType::Q5_1 => plain(nibble(b[8 + i % 16], i >= 16) + 16 * bit(&b[4..8], i)),
        DType::Q8_0 => plain(i64::from(b[2 + i] as i8)),
        DType::Q2K => {
            let byte = i64::from(b[16 + i / 128 * 32 + i % 32]);
            let scales = i64::from(b[i / 16]);
            Integers { quant: (byte >> (i % 128 / 32 * 2)) % 4, scale: scales % 16, minimum: scales / 16 }
        }
        DType::Q3K => {
            let low = (i64::from(b[32 + i / 128 * 32 + i % 32]) >> (i % 128 / 32 * 2)) % 4;
            let third = (i64::from(b[i % 32]) >> (i / 32)) % 2;
            let (k, packed) = (i / 16, &b[96..108]);
            let scale = nibble(packed[k % 8], k >= 8) + (i64::from(packed[8 + k % 4]) >> (k / 4 * 2)) % 4 * 16;
            Integers { quant: low + 4 * third - 4, scale: scale - 32, minimum: 0 }
        }
        DType::Q4K => {
            let (scale, minimum) = scale_and_minimum(&b[4..16], i / 32);
            Integers { quant: nibble(b[16 + i / 64 * 32 + i % 32], i % 64 >= 32), scale, minimum }
        }
        DType::Q5K => {
            let (scale, minimum) = scale_and_minimum(&b[4..16], i / 32);
            let fifth = (i64::from(b[16 + i % 32]) >> (i / 32)) % 2;
            let quant = nibble(b[48 + i / 64 * 32 + i % 32], i % 64 >= 32) + 16 * fifth;
            Integers { quant, scale, minimum }
        }
        DType::Q6K => {
            let low = nibble(b[i / 128 * 64 + i % 64], i % 128 >= 64);
            let high = (i64::from(b[128 + i / 128 * 32 + i % 32]) >> (i % 128 / 32 * 2)) % 4;
            Integers { quant: low + 16 * high - 32, scale: i64::from(b[192 + i / 16] as i8), minimum: 0 }
        }
        DType::MXFP4 => {
            let code = nibble(b[1 + i % 16], i >= 16);
            // Twice a number with an exponent of two bits, of which 0 is that of 1 without the leading one, and one bit.
            let (exponent, fraction) = (code / 2 % 4, code % 2);
            let magnitude = if exponent == 0 { fraction } else { (2 + fraction) << (exponent - 1) };
            plain(if code < 8 { magnitude } else { -magnitude })
        }
        other => panic!("{other} is no weight block"),
    }
}

/// The block's scale and offset (`m`, `dmin` or 0).
pub(crate) fn scale_and_offset(dtype: DType, block: &[u8]) -> (f32, f32) {
    if dtype == DType::MXFP4 {
        return (2f64.powi(i32::from(block[0]) - 128) as f32, 0.0);
    }
    let read = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32_const();
    let (scale, offset) = float_fields(dtype);
    (read(scale), offset.map_or(0.0, read))
}

/// The value of element `i` in f64, and the magnitude of the terms it is the sum of.
pub(crate) fn value(dtype: DType, block: &[u8], i: usize) -> (f64, f64) {
    let (d, offset) = scale_and_offset(dtype, block);
    let Integers { quant, scale, minimum } = integers(dtype, block, i);
    let product = f64::from(d) * (quant * scale) as f64;
    let added = match dtype {
        DType::Q4_1 | DType::Q5_1 => f64::from(offset),
        _ => -f64::from(offset) * minimum as f64,
    };
    (product + added, product.abs() + added.abs())
}
