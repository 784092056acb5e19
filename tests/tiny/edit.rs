//! Files that say something else than they were written with.

/// Another number for a key that a file has.
pub fn restate(file: &mut [u8], key: &str, value: [u8; 4]) {
    // The key is followed by the value's type, in four bytes.
    let at = end_of_name(file, key) + 4;
    file[at..at + 4].copy_from_slice(&value);
}

/// Another name, as long, for a key or a tensor.
pub fn rename(file: &mut [u8], from: &str, to: &str) {
    assert!(from.len() == to.len() && from != to);
    let end = end_of_name(file, from);
    file[end - to.len()..end].copy_from_slice(to.as_bytes());
}

/// Where a name ends, which follows its length.
fn end_of_name(file: &[u8], name: &str) -> usize {
    let written = [&(name.len() as u64).to_le_bytes(), name.as_bytes()].concat();
    file.windows(written.len()).position(|bytes| bytes == written).unwrap() + written.len()
}
