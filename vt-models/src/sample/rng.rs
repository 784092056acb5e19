//! Random numbers: xoshiro256++ (Blackman and Vigna: Scrambled Linear Pseudorandom Number Generators, 2019).

/// The generator's state, never all zero.
#[derive(Debug, Clone)]
pub(super) struct Xoshiro256([u64; 4]);

impl Xoshiro256 {
    /// Starts with four outputs of SplitMix64 from `seed`, as the authors advise.
    pub(super) fn from_seed(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| split_mix(&mut state)))
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let output = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        output
    }

    /// The next number in [0, 1): a multiple of 2^-53.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_those_of_the_published_generators() {
        let mut state = 1_234_567;
        let outputs: [u64; 3] = std::array::from_fn(|_| split_mix(&mut state));
        assert_eq!(outputs, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        let mut rng = Xoshiro256([1, 2, 3, 4]);
        let outputs: [u64; 4] = std::array::from_fn(|_| rng.next());
        assert_eq!(outputs, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn units_are_in_range() {
        let mut rng = Xoshiro256::from_seed(0);
        let units: Vec<f64> = (0..10_000).map(|_| rng.unit()).collect();
        assert!(units.iter().all(|unit| (0.0..1.0).contains(unit)));
        let mean = units.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
