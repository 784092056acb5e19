//! GPT-2's way to write bytes as printable characters.
//!
//! Bytes that Latin-1 prints stand for themselves (`!` to `~`, `¡` to `¬`, `®` to `ÿ`); the other 68 are written, in
//! order, as U+0100 and up. So a space is `Ġ` and a newline `Ċ`.

/// The byte that `c` stands for.
fn byte_of(c: char) -> Option<u8> {
    let code = u32::from(c);
    match code {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => u8::try_from(code).ok(),
        0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        0x121..=0x142 => u8::try_from(code - 0x121 + 0x7F).ok(),
        0x143 => Some(0xAD),
        _ => None,
    }
}

/// Appends the bytes that `text` stands for. False, with some of them appended, if it is not written in the alphabet.
pub(crate) fn append_decoded(text: &[u8], bytes: &mut Vec<u8>) -> bool {
    if text.iter().all(|byte| matches!(byte, 0x21..=0x7E)) {
        bytes.extend_from_slice(text);
        return true;
    }
    let Ok(text) = str::from_utf8(text) else { return false };
    text.chars().all(|c| byte_of(c).map(|byte| bytes.push(byte)).is_some())
}

/// Appends the bytes that `text` stands for; characters outside the alphabet, and bytes that are not UTF-8, as they are.
pub(crate) fn append_decoded_or_plain(text: &[u8], bytes: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        bytes.extend_from_slice(chunk.invalid());
    }
}

#[cfg(test)]
pub(crate) fn char_of(byte: u8) -> char {
    (0..0x144).filter_map(char::from_u32).find(|&c| byte_of(c) == Some(byte)).expect("every byte has a character")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_that_of_gpt2() {
        // The original's definition: printable bytes are themselves, the others count up from 256.
        let printable = |b: u8| matches!(b, b'!'..=b'~') || matches!(b, 0xA1..=0xAC) || b >= 0xAE;
        let mut next = 256;
        for byte in 0..=255_u8 {
            let expected = if printable(byte) {
                u32::from(byte)
            } else {
                next += 1;
                next - 1
            };
            assert_eq!(u32::from(char_of(byte)), expected, "byte {byte}");
        }
        assert_eq!((char_of(b' '), char_of(b'\n')), ('Ġ', 'Ċ'));
    }

    #[test]
    fn text_outside_the_alphabet() {
        let mut bytes = Vec::new();
        assert!(append_decoded("aĠé".as_bytes(), &mut bytes));
        assert_eq!(bytes, b"a \xe9");
        assert!(!append_decoded(b"a b", &mut bytes));
        assert!(!append_decoded("字".as_bytes(), &mut bytes));
        assert!(!append_decoded(b"\xff", &mut bytes));
        bytes.clear();
        append_decoded_or_plain("Ġ字 ".as_bytes(), &mut bytes);
        append_decoded_or_plain(b"\xff", &mut bytes);
        assert_eq!(bytes, " 字 ".bytes().chain([0xff]).collect::<Vec<_>>());
    }
}
