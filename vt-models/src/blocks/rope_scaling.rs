//! How rotary positions are scaled for contexts longer than those that a model was first trained with.

use std::f64::consts::TAU;

use vt_gguf::GgufError;

use crate::load::{Keys, Weights};
use crate::sample::ln::ln;

/// The tensors of factors for long and for short contexts (Ding et al., "LongRoPE", 2024): without them there is nothing
/// to scale by, and an architecture that does not ask for them does not load.
pub(super) const LONGROPE_FACTORS: [&str; 2] = ["rope_factors_long.weight", "rope_factors_short.weight"];

/// What becomes of the frequencies and of what is turned.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RopeScaling {
    /// The factor of all frequencies.
    pub scale: f32,
    /// What each pair's frequency is divided by, if it is not the same for all.
    pub divisors: Option<Vec<f32>>,
    /// The factor of what is turned.
    pub magnitude: f32,
    /// How many times longer the context became by YaRN; 1 without it.
    pub stretch: f32,
}

impl RopeScaling {
    /// Reads `rope.scaling.*`: `type` is `none`, `linear`, `longrope` or `yarn`, `factor` how many times longer the
    /// context became, and `attn_factor` the factor of what is turned.
    ///
    /// # Errors
    /// A key that is of another type or implausible.
    pub fn read(keys: &Keys<'_>, w: &Weights<'_>, base: f32, pairs: usize) -> Result<Self, GgufError> {
        const FACTOR: &str = "rope.scaling.factor";
        let stated = keys.optional::<f64>(FACTOR)?.is_some();
        let inverse = keys.optional_inverse(if stated { FACTOR } else { "rope.scale_linear" })?;
        let magnitude = keys.optional_float("rope.scaling.attn_factor")?.unwrap_or(1.0);
        let plain = Self { scale: 1.0, divisors: None, magnitude, stretch: 1.0 };
        match (keys.optional::<&str>("rope.scaling.type")?.unwrap_or("linear"), inverse) {
            ("none", _) | ("linear" | "yarn", None) => Ok(plain),
            ("linear", Some(scale)) => Ok(Self { scale, ..plain }),
            ("yarn", Some(inverse)) => {
                let divisors = Some(Yarn::read(keys, base, pairs)?.divisors(inverse));
                let stretch = 1.0 / inverse;
                Ok(Self { divisors, magnitude: magnitude * yarn_magnitude(stretch, 1.0), stretch, ..plain })
            }
            ("longrope", inverse) if LONGROPE_FACTORS.iter().any(|name| w.has(name)) => {
                Ok(Self { scale: inverse.unwrap_or(1.0), ..plain })
            }
            (other, _) => {
                keys.problem(format!("key `rope.scaling.type`: vt has no rotary scaling of the kind `{other}`"));
                Ok(plain)
            }
        }
    }
}

/// The factor of what is turned where the context became `stretch` times longer, `1 + 0.1 multiplier ln(stretch)`
/// (Peng et al., "YaRN", 2023, section 3.4); 1 if it did not.
pub fn yarn_magnitude(stretch: f32, multiplier: f32) -> f32 {
    if stretch.is_normal() && stretch > 1.0 {
        (1.0 + 0.1 * f64::from(multiplier) * ln(f64::from(stretch))) as f32
    } else {
        1.0
    }
}

/// The pairs between which YaRN goes over from frequencies as they are to scaled ones (Peng et al., 2023, section 3.2).
struct Yarn {
    pairs: usize,
    first: f64,
    last: f64,
}

impl Yarn {
    /// Pairs that turn more than `yarn_beta_fast` times in the original context keep their frequencies, those that turn
    /// less than `yarn_beta_slow` times are scaled: pair i turns `original / (2 pi base^(i / pairs))` times.
    fn read(keys: &Keys<'_>, base: f32, pairs: usize) -> Result<Self, GgufError> {
        let (_, original) = keys.context()?;
        let turns = |key: &str, default: f32| keys.optional_float(key).map(|turns| turns.unwrap_or(default));
        let pair = |turns: f32| {
            let longest = original as f64 / (f64::from(turns) * TAU);
            pairs as f64 * ln(longest) / ln(f64::from(base))
        };
        let first = pair(turns("rope.scaling.yarn_beta_fast", 32.0)?).floor().max(0.0);
        let last = pair(turns("rope.scaling.yarn_beta_slow", 1.0)?).ceil().min((2 * pairs) as f64 - 1.0);
        Ok(Self { pairs, first, last })
    }

    /// What the frequencies are divided by: 1 for pairs up to the first, 1 over `scale` from the last one on.
    fn divisors(&self, scale: f32) -> Vec<f32> {
        let divisor = |pair: usize| {
            let scaled = ((pair as f64 - self.first) / (self.last - self.first).max(0.001)).clamp(0.0, 1.0);
            (1.0 / (f64::from(scale) * scaled + (1.0 - scaled))) as f32
        };
        (0..self.pairs).map(divisor).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vt_gguf::{Gguf, Writer};

    use super::*;

    fn divisors(context: u32, turns: [f32; 2], base: f32, pairs: usize, stretch: f32) -> Vec<f32> {
        let mut writer = Writer::new();
        writer.set("general.architecture", "llama").unwrap().set("llama.context_length", 131_072u32).unwrap();
        writer.set("llama.rope.scaling.original_context_length", context).unwrap();
        writer.set("llama.rope.scaling.yarn_beta_fast", turns[0]).unwrap();
        writer.set("llama.rope.scaling.yarn_beta_slow", turns[1]).unwrap();
        let gguf = Gguf::from_bytes(Arc::new(writer.to_bytes().unwrap())).unwrap();
        let keys = Keys::new(&gguf, None).unwrap();
        Yarn::read(&keys, base, pairs).unwrap().divisors(1.0 / stretch)
    }

    /// The numbers of DeepSeek-V2, computed by ggml's formula: pairs 10 to 23 are between.
    #[test]
    fn frequencies_go_over_from_kept_to_scaled() {
        let found = divisors(4096, [32.0, 1.0], 10_000.0, 32, 40.0);
        let between = [
            1.081_081, 1.176_471, 1.290_323, 1.428_571, 1.6, 1.818_182, 2.105_263, 2.5, 3.076_923, 4.0, 5.714_286, 10.0,
        ];
        let expected = [vec![1.0; 11], between.into(), vec![40.0; 9]].concat();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5 * expected, "{found} {expected}");
        }
        assert_eq!(divisors(4096, [0.0; 2], 10_000.0, 32, 40.0), found, "0 stands for the numbers of the paper");
        let short = divisors(5, [0.5, 0.01], 10_000.0, 8, 8.0);
        for (found, expected) in short.iter().zip([1.0, 1.28, 16.0 / 9.0, 32.0 / 11.0, 8.0, 8.0, 8.0, 8.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }

    #[test]
    fn what_is_turned_becomes_longer_with_the_context() {
        assert!((yarn_magnitude(40.0, 1.0) - 1.368_888).abs() < 1e-6);
        assert!((yarn_magnitude(40.0, 0.707) - 1.260_804).abs() < 1e-6);
        for none in [1.0, 0.5, 0.0, -3.0, f32::INFINITY, f32::NAN] {
            assert_eq!(yarn_magnitude(none, 1.0), 1.0);
        }
    }

    #[test]
    fn with_an_odd_base_all_turn_somehow() {
        for base in [f32::MIN_POSITIVE, 0.5, 1.0, f32::MAX] {
            assert!(divisors(4096, [32.0, 1.0], base, 32, 40.0).iter().all(|divisor| (1.0..=40.0).contains(divisor)));
        }
    }
}
