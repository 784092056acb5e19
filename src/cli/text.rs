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

/// Ends a text on a terminal, unless it ended itself; elsewhere it stays as it is.
pub(super) fn end(text: &[u8]) -> io::Result<()> {
    if io::stdout().is_terminal() && !is_ended(text) { show(b"\n") } else { Ok(()) }
}

/// As [`end`]; and where a report on standard error may be seen behind the text, that begins on a line of its own.
pub(super) fn end_before_report(text: &str) -> io::Result<()> {
    let together = !io::stdout().is_terminal() && (io::stderr().is_terminal() || outputs_are_one());
    if together && !is_ended(text.as_bytes()) {
        // There is no one to tell if this fails.
        let _ = io::stderr().write_all(b"\n");
    }
    end(text.as_bytes())
}

fn is_ended(text: &[u8]) -> bool {
    text.last().is_none_or(|last| *last == b'\n')
}

/// Whether standard output and standard error are the same file, as after `2>&1`.
#[cfg(unix)]
fn outputs_are_one() -> bool {
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;

    let identity = |output: BorrowedFd<'_>| {
        let file = File::from(output.try_clone_to_owned().ok()?).metadata().ok()?;
        Some((file.dev(), file.ino()))
    };
    let out = identity(io::stdout().as_fd());
    out.is_some() && out == identity(io::stderr().as_fd())
}

#[cfg(not(unix))]
fn outputs_are_one() -> bool {
    false
}
