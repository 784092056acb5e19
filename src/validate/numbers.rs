//! Which numbers of a run of bytes are not finite.

/// Numbers that are NaN or infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bad {
    pub count: u64,
    /// Where the first one starts.
    pub first: Option<u64>,
}

impl Bad {
    /// Adds what was found `offset` bytes further on.
    pub fn add(&mut self, other: Bad, offset: u64) {
        self.count += other.count;
        let further = other.first.map(|at| at + offset);
        self.first = match (self.first, further) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// How a number is encoded, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    F16,
    Bf16,
    F32,
    F64,
    /// An exponent of eight bits (OCP Microscaling Formats, 5.4.1): 255 is NaN.
    E8m0,
    /// Four bits of exponent, three of mantissa, no infinities (OCP 8-bit floating point): all ones is NaN.
    E4m3,
    /// A binary16 in the upper four bits of four 16-bit numbers, its lowest bits first.
    Scattered,
}

impl Encoding {
    /// The bytes that a number takes.
    #[cfg(test)]
    pub const fn bytes(self) -> usize {
        match self {
            Encoding::E8m0 | Encoding::E4m3 => 1,
            Encoding::F16 | Encoding::Bf16 => 2,
            Encoding::F32 => 4,
            Encoding::F64 | Encoding::Scattered => 8,
        }
    }

    /// The numbers that are not finite among those at byte `at` of each `stride` bytes.
    pub fn find(self, bytes: &[u8], stride: usize, at: usize) -> Bad {
        match self {
            Encoding::F16 => find(bytes, stride, at, |b| f16_is_bad(u16::from_le_bytes(b))),
            Encoding::Bf16 => find(bytes, stride, at, |b| u16::from_le_bytes(b) & 0x7f80 == 0x7f80),
            Encoding::F32 => find(bytes, stride, at, |b| u32::from_le_bytes(b) & 0x7f80_0000 == 0x7f80_0000),
            Encoding::F64 => find(bytes, stride, at, |b| !f64::from_le_bytes(b).is_finite()),
            Encoding::E8m0 => find(bytes, stride, at, |[b]| b == 0xff),
            Encoding::E4m3 => find(bytes, stride, at, |[b]| b & 0x7f == 0x7f),
            Encoding::Scattered => find(bytes, stride, at, |b| f16_is_bad(gathered(u64::from_le_bytes(b)))),
        }
    }
}

fn f16_is_bad(bits: u16) -> bool {
    bits & 0x7c00 == 0x7c00
}

/// The upper four bits of four 16-bit numbers.
fn gathered(word: u64) -> u16 {
    (0..4).fold(0, |bits, i| bits | ((word >> (16 * i + 12)) as u16 & 0xf) << (4 * i))
}

/// The fast way is to count, which compiles to vector code; where the first one is, is asked only if there is one.
fn find<const N: usize>(bytes: &[u8], stride: usize, at: usize, is_bad: impl Fn([u8; N]) -> bool) -> Bad {
    let in_block = |block: &[u8]| block.get(at..).and_then(|rest| rest.first_chunk::<N>()).is_some_and(|b| is_bad(*b));
    let count: u64 = if stride == N {
        bytes.as_chunks::<N>().0.iter().map(|b| u64::from(is_bad(*b))).sum()
    } else {
        bytes.chunks_exact(stride).map(|block| u64::from(in_block(block))).sum()
    };
    let first = || bytes.chunks_exact(stride).position(in_block).map(|block| (block * stride + at) as u64);
    Bad { count, first: if count == 0 { None } else { first() } }
}
