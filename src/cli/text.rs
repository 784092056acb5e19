//! Text from arguments, files and standard input, and to standard output.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use super::stop::Stop;

/// The most bytes of a text: some input has no end.
const LONGEST: u64 = 64 << 20;

/// The content of a file, or of standard input if its name is `-`, as it is.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    let result =
        if path == Path::new("-") { read_all(io::stdin().lock()) } else { File::open(path).and_then(read_all) };
    result.map_err(|error| Stop::failed(format!("{}: {error}", path.display())))
}

/// The content of a file that is UTF-8.
pub(super) fn read_utf8(path: &Path) -> Result<String, Stop> {
    let not_utf8 = |_| Stop::failed(format!("{}: expected UTF-8", path.display()));
    String::from_utf8(read(path)?).map_err(not_utf8)
}

fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bounded(input, |input| input.read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// What `read` reads of an input, if that is not longer than a text may be.
pub(super) fn bounded<R: Read>(
    input: R,
    read: impl FnOnce(&mut io::Take<R>) -> io::Result<usize>,
) -> io::Result<usize> {
    let bytes = read(&mut input.take(LONGEST + 1))?;
    if bytes as u64 <= LONGEST {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {} MiB of text", LONGEST >> 20)))
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
