//! A file's bytes in memory.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use vt_core::memory::Bytes;

use crate::error::Fault;

/// The bytes that a reader borrows from, and the file behind them.
pub(super) struct Source {
    bytes: Arc<dyn Bytes>,
    file: Option<File>,
}

impl Source {
    /// Maps a file.
    pub fn map(path: &Path) -> Result<Self, Fault> {
        // Asked before it is opened: opening a pipe waits for its writer.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
        }
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Self::memory(Arc::new([])));
        }
        Ok(Self { bytes: Arc::new(map(&file)?), file: Some(file) })
    }

    /// Bytes that are in memory.
    pub fn memory(bytes: Arc<dyn Bytes>) -> Self {
        Self { bytes, file: None }
    }

    pub fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    pub fn owner(&self) -> Arc<dyn Bytes> {
        Arc::clone(&self.bytes)
    }

    /// Checks that the file is still as long as its map.
    pub fn check_length(&self) -> Result<(), Fault> {
        let Some(file) = &self.file else { return Ok(()) };
        let (expected, found) = (self.bytes().len() as u64, file.metadata()?.len());
        if found < expected { Err(Fault::Shrunk { expected, found }) } else { Ok(()) }
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only, and every number read through it is checked where it is used. What cannot be
    // checked is that nobody writes to the file or shortens it meanwhile: `Gguf::open` asks that of its caller.
    let map = unsafe { Mmap::map(file) }?;
    // In small pages, looking up their addresses takes up to half of the time that reading the weights does.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}
