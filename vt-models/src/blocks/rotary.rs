//! Rotary positions.

use vt_core::op::{Rope, RopeStyle};
use vt_core::{OpError, Recorder, Value};
use vt_gguf::GgufError;
use vt_ops as ops;

use super::Rows;
use super::rope_scaling::{LONGROPE_FACTORS, RopeScaling, yarn_magnitude};
use crate::load::{Keys, Problem, Weights};

/// Turns queries and keys by their positions ([`ops::rope`]).
#[derive(Clone, Debug)]
pub struct Rotary {
    rope: Rope,
    factors: Value,
    /// The elements of `factors` that YaRN made, if it did.
    divisors: Option<Vec<f32>>,
    ones: Value,
    stretch: f32,
}

impl Rotary {
    /// Reads `rope.freq_base`, `rope.dimension_count` and `rope.scaling.*`. The style is the file's converter's: it is in
    /// no key.
    ///
    /// # Errors
    /// A key that is of another type or implausible.
    pub fn read(keys: &Keys<'_>, w: &Weights<'_>, head_dim: usize, style: RopeStyle) -> Result<Self, GgufError> {
        let rot = keys.optional_size("rope.dimension_count")?.unwrap_or(head_dim);
        if rot > head_dim || !rot.is_multiple_of(2) {
            return Err(keys.implausible("rope.dimension_count", format!("an even number up to {head_dim}")));
        }
        // Layers with windows turn as much as the others.
        keys.expect("rope.dimension_count_swa", rot as f32);
        let base = keys.optional_float("rope.freq_base")?.unwrap_or(10_000.0);
        if base < 1.0 {
            return Err(keys.implausible("rope.freq_base", "a number from 1 on"));
        }
        let RopeScaling { scale, divisors, magnitude, stretch } = RopeScaling::read(keys, w, base, rot / 2)?;
        let ones = w.ones(rot / 2);
        let factors = divisors.as_ref().map_or_else(|| ones.clone(), |divisors| w.constant("YaRN's factors", divisors));
        Ok(Self { rope: Rope { head_dim, rot, style, base, scale, magnitude }, factors, divisors, ones, stretch })
    }

    /// The base of the frequencies.
    pub fn base(&self) -> f32 {
        self.rope.base
    }

    /// The factor of what is turned.
    pub fn magnitude(&self) -> f32 {
        self.rope.magnitude
    }

    /// YaRN's factor with another multiplier of the logarithm; 1 without YaRN.
    pub fn yarn_magnitude(&self, multiplier: f32) -> f32 {
        yarn_magnitude(self.stretch, multiplier)
    }

    /// How many elements of a head are turned.
    pub fn rotated(&self) -> usize {
        self.rope.rot
    }

    /// The same with other frequencies, `scale * base^(-2i / rot)`, and nothing made longer.
    pub fn with_frequencies(&self, base: f32, scale: f32) -> Self {
        let rope = Rope { base, scale, magnitude: 1.0, ..self.rope.clone() };
        Self { rope, factors: self.ones.clone(), divisors: None, ones: self.ones.clone(), stretch: 1.0 }
    }

    /// The same with other pairs.
    pub fn with_style(self, style: RopeStyle) -> Self {
        Self { rope: Rope { style, ..self.rope }, ..self }
    }

    /// The same with frequencies divided by a tensor of the file, if it is there.
    pub fn with_factors(self, w: &Weights<'_>, name: &str) -> Self {
        let factors = w.optional_vector(name, self.rope.rot / 2);
        self.divided_by(w, factors)
    }

    /// The same with frequencies divided by the tensor `rope_factors_long.weight` if sequences may be longer than those
    /// that the model was first trained with, else by `rope_factors_short.weight`; by nothing if it is not there (Ding et
    /// al., "LongRoPE", 2024).
    ///
    /// # Errors
    /// As [`Keys::context`].
    pub fn with_context_factors(self, keys: &Keys<'_>, w: &Weights<'_>) -> Result<Self, GgufError> {
        let (context, original) = keys.context()?;
        let [long, short] = LONGROPE_FACTORS.map(|name| w.optional_vector(name, self.rope.rot / 2));
        Ok(self.divided_by(w, if context > original { long } else { short }))
    }

    fn divided_by(self, w: &Weights<'_>, factors: Option<Value>) -> Self {
        match factors {
            Some(_) if self.stretch != 1.0 => {
                w.note(Problem::Unsupported("YaRN together with a tensor of rotary factors".to_owned()));
                self
            }
            Some(factors) => Self { factors, ..self },
            None => self,
        }
    }

    /// The same where YaRN's factor of queries and keys is divided by that of a multiplier: of a model that has a part of
    /// it in the scale of its scores.
    pub fn with_log_multiplier(mut self, multiplier: f32) -> Self {
        self.rope.magnitude /= yarn_magnitude(self.stretch, multiplier);
        self
    }

    /// The same that turns nothing: for layers that do not know positions.
    pub fn without_positions(&self) -> Self {
        Self { rope: Rope { rot: 0, ..self.rope.clone() }, ..self.clone() }
    }

    /// The same where pairs belong to one of four axes of positions, as `rope.dimension_sections` says: in turn to the first
    /// three, as far as their sections go, and what is left to the fourth (Qwen3-VL's interleaved M-RoPE). Of a text the
    /// first three are the token's position, and the fourth is 0.
    ///
    /// # Errors
    /// A key of another type or length.
    pub fn with_sections(self, keys: &Keys<'_>, w: &Weights<'_>) -> Result<Self, GgufError> {
        const KEY: &str = "rope.dimension_sections";
        let Some(sections) = keys.optional::<Vec<u32>>(KEY)? else { return Ok(self) };
        if sections.len() != 4 {
            return Err(keys.implausible(KEY, "four numbers of pairs"));
        }
        let total: u64 = sections.iter().map(|pairs| u64::from(*pairs)).sum();
        if total == 0 {
            return Ok(self);
        }
        let turns = |pair: u64| {
            let (place, axis) = (pair % total, pair % total % 3);
            sections.get(axis as usize).is_some_and(|pairs| place < 3 * u64::from(*pairs))
        };
        // A frequency over infinity is 0: the pair stays as it is.
        let mut factors = self.divisors.clone().unwrap_or_else(|| vec![1.0; self.rope.rot / 2]);
        let still = factors.iter_mut().zip(0..).filter(|(_, pair)| !turns(*pair));
        still.for_each(|(factor, _)| *factor = f32::INFINITY);
        Ok(Self { factors: w.constant("axes", &factors), ..self })
    }

    /// `x` `[T, H * head_dim]` to the same shape.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &dyn Recorder, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        if self.rope.rot == 0 {
            return Ok(x.clone());
        }
        ops::rope(g, self.rope.clone(), x, &rows.positions, &self.factors)
    }
}
