//! SentencePiece's way to write a space in a vocabulary.

/// What stands for a space: `▁`, U+2581.
pub(super) const ESCAPE: &[u8] = "▁".as_bytes();

/// Appends `text` with a space for each `▁`.
pub(super) fn append_unescaped(mut text: &[u8], bytes: &mut Vec<u8>) {
    while let Some((&first, rest)) = text.split_first() {
        let (byte, rest) = text.strip_prefix(ESCAPE).map_or((first, rest), |rest| (b' ', rest));
        bytes.push(byte);
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_spaces_and_their_bytes_alone_stay() {
        let unescaped = |text: &[u8]| {
            let mut bytes = b"x".to_vec();
            append_unescaped(text, &mut bytes);
            bytes
        };
        assert_eq!(unescaped("▁a▁▁b c▁".as_bytes()), b"x a  b c ");
        assert_eq!(unescaped(b"\xe2\x96\xe2\x96\x81\x81\xe2"), b"x\xe2\x96 \x81\xe2");
        assert_eq!(unescaped(b""), b"x");
    }
}
