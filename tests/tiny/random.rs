//! Random numbers: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).

/// A generator that gives the same numbers from the same seed on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// In `[from, to)`.
    pub fn between(&mut self, from: f32, to: f32) -> f32 {
        let unit = (self.next() >> 40) as f32 / (1 << 24) as f32;
        from + (to - from) * unit
    }

    /// Of mean 0 and standard deviation `std`, nearly normal: a sum of four uniform numbers, which needs no libm.
    pub fn bell(&mut self, std: f32) -> f32 {
        let sum: f32 = (0..4).map(|_| self.between(-0.5, 0.5)).sum();
        sum * 3f32.sqrt() * std
    }

    /// `n` bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(n).collect()
    }
}
