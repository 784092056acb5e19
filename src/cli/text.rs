//! Text from arguments, files and standard input, and to standard output.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use super::stop::Stop;

/// The content of a file, or of standard input if its name is `-`, as it is.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    result.map_err(|error| Stop::failed(format!("{}: {error}", path.display())))?;
    Ok(bytes)
}

/// A text that is an argument, or standard input as it is if that is `-`.
pub(super) fn argument(text: &OsStr) -> Result<Vec<u8>, Stop> {
    if text == "-" { read(Path::new("-")) } else { Ok(text.as_encoded_bytes().to_vec()) }
}

/// Shows text at once.
pub(super) fn show(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(refused)
}

/// An error of standard output that says so.
pub(super) fn refused(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

/// Ends text on a terminal; elsewhere it stays as it is.
pub(super) fn end() -> io::Result<()> {
    if io::stdout().is_terminal() { show(b"\n") } else { Ok(()) }
}
