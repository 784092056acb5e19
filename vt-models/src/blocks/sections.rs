//! Rotary positions of several axes.

use vt_gguf::{Array, GgufError};

use crate::load::Keys;

/// How many rotary pairs turn by each axis of a position (Wang et al., "Qwen2-VL", 2024): time, height, width and one
/// more. A text's tokens have equal numbers on the first three and none on the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sections([usize; 4]);

impl Sections {
    /// Reads `rope.dimension_sections`; `None` if the first two are not both there and above 0: positions have one axis.
    ///
    /// # Errors
    /// If it is there, but not an array of small integers.
    pub fn read(keys: &Keys<'_>) -> Result<Option<Self>, GgufError> {
        const KEY: &str = "rope.dimension_sections";
        let Some(array) = keys.optional::<Array<'_>>(KEY)? else { return Ok(None) };
        let mut sections = [0; 4];
        let size = |value: vt_gguf::Value<'_>| value.as_int().and_then(|n| u16::try_from(n).ok()).map(usize::from);
        let read: Option<Vec<usize>> = (array.len() <= 4).then(|| array.iter().map(size).collect()).flatten();
        let read = read.ok_or_else(|| keys.implausible(KEY, "up to four numbers of pairs"))?;
        sections.iter_mut().zip(read).for_each(|(section, pairs)| *section = pairs);
        Ok((sections[0] > 0 && sections[1] > 0).then_some(Self(sections)))
    }

    /// Notes a problem if a text's tokens would not turn as with one axis: if one of the first `pairs` pairs belongs to
    /// the last axis. Sections follow each other, from the first again after the last, or take turns if `interleaved`.
    pub fn expect_text(self, keys: &Keys<'_>, pairs: usize, interleaved: bool) {
        if !(0..pairs).all(|pair| self.is_text(pair, interleaved)) {
            keys.problem("key `rope.dimension_sections`: vt has no pairs that turn by a fourth axis");
        }
    }

    /// What frequencies are divided by so that texts turn as with one axis, where sections take turns: infinity for the
    /// pairs of the last axis, which stay as they are.
    pub fn divisors(self, pairs: usize) -> Vec<f32> {
        (0..pairs).map(|pair| if self.is_text(pair, true) { 1.0 } else { f32::INFINITY }).collect()
    }

    /// Whether a pair belongs to one of the first three axes.
    fn is_text(self, pair: usize, interleaved: bool) -> bool {
        let Self([time, height, width, more]) = self;
        let place = pair % (time + height + width + more);
        match (interleaved, place % 3) {
            (false, _) => place < time + height + width,
            (true, 0) => place < 3 * time,
            (true, 1) => place < 3 * height,
            (true, _) => place < 3 * width,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vt_gguf::{Gguf, Writer};

    use super::*;

    /// Whether a file with such sections, if it has any that count, turns texts as with one axis.
    fn is_text(sections: &[i32], pairs: usize, interleaved: bool) -> Option<bool> {
        let mut writer = Writer::new();
        writer.set("general.architecture", "a").unwrap().set("a.rope.dimension_sections", sections).unwrap();
        let gguf = Gguf::from_bytes(Arc::new(writer.to_bytes().unwrap())).unwrap();
        let keys = Keys::new(&gguf, None).unwrap();
        let sections = Sections::read(&keys).unwrap()?;
        sections.expect_text(&keys, pairs, interleaved);
        Some(keys.finish().is_empty())
    }

    #[test]
    fn pairs_of_the_fourth_axis_are_found() {
        assert_eq!(is_text(&[8, 12, 12, 0], 32, false), Some(true), "GLM-4.1V");
        assert_eq!(is_text(&[11, 11, 10, 0], 32, true), Some(true), "Qwen3.5");
        assert_eq!(is_text(&[32, 32, 32, 32], 64, false), Some(true));
        assert_eq!(is_text(&[32, 32, 32, 32], 97, false), Some(false));
        assert_eq!(is_text(&[4, 4, 4], 40, false), Some(true), "the first follows the last");
        assert_eq!(is_text(&[16, 8, 8, 0], 32, true), Some(false), "sections that are not alike do not take turns");
        assert_eq!(is_text(&[16, 8, 8, 0], 24, true), Some(true));
    }

    #[test]
    fn positions_of_one_axis_have_no_sections() {
        assert_eq!(is_text(&[0, 0, 0, 0], 32, false), None);
        assert_eq!(is_text(&[32, 0, 0, 0], 32, false), None);
        assert_eq!(is_text(&[], 32, false), None);
    }
}
