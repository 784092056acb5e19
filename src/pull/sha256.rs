//! Hashing what is copied.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

/// The sha256 of what goes through.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    /// Copies a file to `to`, and hashes it.
    pub fn copy(&mut self, from: &Path, mut to: impl Write) -> io::Result<()> {
        let mut file = File::open(from)?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = file.read(&mut buffer)?;
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

/// The sha256 of a file, in hexadecimal.
pub(super) fn of_file(path: &Path) -> io::Result<String> {
    let mut hasher = Hasher::default();
    hasher.copy(path, io::sink())?;
    Ok(hasher.finish())
}
