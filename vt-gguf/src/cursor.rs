//! Reading little-endian numbers and strings from bytes that may end anywhere.

use crate::error::Fault;

/// What is being read, for messages. Borrowed, so that keeping it costs nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    Header,
    Entry(u64),
    Key(&'a [u8]),
    TensorEntry(u64),
    Tensor(&'a [u8]),
}

/// A position in a file.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    offset: u64,
    place: At<'a>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the byte `offset` of a file; at its end if it is not that long.
    pub fn new(file: &'a [u8], offset: u64, place: At<'a>) -> Self {
        let rest = usize::try_from(offset).ok().and_then(|at| file.get(at..)).unwrap_or(&[]);
        Self { rest, offset, place }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn left(&self) -> u64 {
        self.rest.len() as u64
    }

    /// From here on, messages speak of `place`.
    pub fn set_place(&mut self, place: At<'a>) {
        self.place = place;
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: u64) -> Result<&'a [u8], Fault> {
        let split = usize::try_from(n).ok().and_then(|n| self.rest.split_at_checked(n));
        let Some((head, rest)) = split else {
            let place = self.place.into();
            return Err(Fault::Truncated { place, offset: self.offset, needed: n, left: self.left() });
        };
        self.rest = rest;
        self.offset += n;
        Ok(head)
    }

    /// The next `N` bytes, for a number.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N as u64)?;
        let mut out = [0; N];
        out.copy_from_slice(bytes);
        Ok(out)
    }

    pub fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A string: its length, then its bytes, which may be anything.
    pub fn string(&mut self) -> Result<&'a [u8], Fault> {
        let len = self.u64()?;
        self.take(len)
    }

    /// A number of things of at least `min_bytes` each, all of which must be in the rest of the file.
    pub fn count(&mut self, min_bytes: u64, things: &str) -> Result<u64, Fault> {
        let offset = self.offset;
        let n = self.u64()?;
        let most = self.left() / min_bytes.max(1);
        if n > most {
            let left = self.left();
            return Err(self.invalid(offset, format!("at most {most} {things} in the {left} bytes left"), n));
        }
        Ok(n)
    }

    /// A fault of what stands at `offset`.
    pub fn invalid(&self, offset: u64, expected: impl Into<String>, found: impl ToString) -> Fault {
        let (expected, found) = (expected.into(), found.to_string());
        Fault::Invalid { place: self.place.into(), offset, expected, found }
    }
}
