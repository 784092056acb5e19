//! GPT-2's way to write bytes as letters.

/// The letter of a byte: printable ones are themselves, the others count up from U+0100.
pub fn letter(byte: u8) -> char {
    let printable = |b: u8| matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..);
    let before = (0..byte).filter(|b| !printable(*b)).count() as u32;
    if printable(byte) { byte.into() } else { char::from_u32(0x100 + before).expect("a letter") }
}
