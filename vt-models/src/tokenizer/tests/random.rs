//! Deterministic random numbers.

pub(super) struct Random(pub u32);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }

    pub fn bytes(&mut self, alphabet: &[u8]) -> Vec<u8> {
        let length = self.below(60);
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}
