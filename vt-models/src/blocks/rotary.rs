//! Rotary positions.

use vt_core::op::{Rope, RopeStyle};
use vt_core::{OpError, Recorder, Value};
use vt_gguf::GgufError;
use vt_ops as ops;

use super::Rows;
use crate::load::{Keys, Weights};

/// Turns queries and keys by their positions ([`ops::rope`]).
#[derive(Clone, Debug)]
pub struct Rotary {
    rope: Rope,
    factors: Value,
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
        let base = keys.optional_float("rope.freq_base")?.unwrap_or(10_000.0);
        let rope = Rope { head_dim, rot, style, base, scale: scale(keys)? };
        Ok(Self { rope, factors: w.ones(rot / 2) })
    }

    /// The base of the frequencies.
    pub fn base(&self) -> f32 {
        self.rope.base
    }

    /// The same with other frequencies: `scale * base^(-2i / rot)`.
    pub fn with_frequencies(&self, base: f32, scale: f32) -> Self {
        Self { rope: Rope { base, scale, ..self.rope.clone() }, factors: self.factors.clone() }
    }

    /// The same with frequencies divided by a tensor of the file, if it is there.
    pub fn with_factors(self, w: &Weights<'_>, name: &str) -> Self {
        let factors = w.optional_vector(name, self.rope.rot / 2).unwrap_or(self.factors);
        Self { rope: self.rope, factors }
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
        // A frequency over infinity is 0: the pair stays as it is.
        let factor = |pair: u64| {
            let (place, axis) = (pair % total, pair % total % 3);
            let turns = sections.get(axis as usize).is_some_and(|pairs| place < 3 * u64::from(*pairs));
            if turns { 1.0 } else { f32::INFINITY }
        };
        let factors: Vec<f32> = (0..self.rope.rot as u64 / 2).map(factor).collect();
        Ok(Self { factors: w.constant("axes", &factors), ..self })
    }

    /// `x` `[T, H * head_dim]` to the same shape.
    ///
    /// # Errors
    /// If `x` does not fit.
    pub fn forward(&self, g: &dyn Recorder, x: &Value, rows: &Rows) -> Result<Value, OpError> {
        ops::rope(g, self.rope.clone(), x, &rows.positions, &self.factors)
    }
}

/// The factor of the frequencies: 1 over the linear scaling factor.
fn scale(keys: &Keys<'_>) -> Result<f32, GgufError> {
    let inverse = match keys.optional_inverse("rope.scaling.factor")? {
        None => keys.optional_inverse("rope.scale_linear")?,
        some => some,
    };
    let kind = keys.optional::<&str>("rope.scaling.type")?.unwrap_or("linear");
    match (kind, inverse) {
        ("none", _) | ("linear" | "yarn", None) => Ok(1.0),
        ("linear", Some(inverse)) => Ok(inverse),
        (other, _) => {
            keys.problem(format!("key `rope.scaling.type`: vt has no rotary scaling of the kind `{other}`"));
            Ok(1.0)
        }
    }
}
