//! Where a text can be cut before it is merged.

use super::super::byte_strings::ByteStrings;

/// The pairs of bytes that are next to each other in some token. Between two bytes that are in none a text can be cut,
/// because no merge goes across: so most texts are merged in short words.
#[derive(Debug)]
pub(super) struct Joints(Box<[u64; 1024]>);

impl Joints {
    /// The pairs in these texts.
    pub(super) fn new(texts: &ByteStrings) -> Self {
        let mut joints = Self(Box::new([0; 1024]));
        for pair in texts.iter().flat_map(|text| text.windows(2)) {
            let (word, bit) = place(pair[0], pair[1]);
            joints.0[word] |= bit;
        }
        joints
    }

    /// Whether some token has `left` right before `right`.
    pub(super) fn contains(&self, left: u8, right: u8) -> bool {
        let (word, bit) = place(left, right);
        self.0[word] & bit != 0
    }
}

fn place(left: u8, right: u8) -> (usize, u64) {
    let pair = usize::from(left) << 8 | usize::from(right);
    (pair / 64, 1 << (pair % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_are_those_of_the_texts() {
        let texts: [&[u8]; 4] = [b"abc", b"", b"x", b"\xff\x00\xff"];
        let joints = Joints::new(&texts.iter().collect());
        let pairs = [(b'a', b'b'), (b'b', b'c'), (0xff, 0), (0, 0xff)];
        for left in 0..=255 {
            for right in 0..=255 {
                assert_eq!(joints.contains(left, right), pairs.contains(&(left, right)), "{left} {right}");
            }
        }
    }
}
