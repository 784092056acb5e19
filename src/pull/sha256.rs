//! Hashing what is copied.

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// The sha256 of what goes through.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    /// Copies what is in `from` to `to`, and hashes it.
    pub fn copy(&mut self, mut from: impl Read, mut to: impl Write) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = from.read(&mut buffer)?;
            let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return Ok(()) };
            self.0.update(part);
            to.write_all(part)?;
        }
    }

    /// The hash, in hexadecimal.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
