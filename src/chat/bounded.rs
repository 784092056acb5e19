//! Text that a template pays for.

use std::fmt::{self, Write};

use minijinja::{Error, ErrorKind, State};

/// The bytes that a unit of fuel pays for.
const BYTES_PER_FUEL: u64 = 64;

/// A text that grows no longer than the template's fuel pays for: the same list may be in a list many times, so that
/// a text can be longer than everything that it is made of.
pub(super) struct Bounded {
    text: String,
    left: u64,
    spent: bool,
}

impl Bounded {
    /// An empty text.
    pub fn new(state: &State<'_, '_>) -> Self {
        let fuel = state.fuel_levels().map_or(u64::MAX, |(_, left)| left);
        Self { text: String::new(), left: fuel.saturating_mul(BYTES_PER_FUEL), spent: false }
    }

    /// Appends text.
    pub fn push(&mut self, text: &str) -> Result<(), Error> {
        self.write_str(text).map_err(|_| ErrorKind::OutOfFuel.into())
    }

    /// The text, unless writing failed, for the reason given or because nothing is left to pay with.
    pub fn finish(self, written: Result<(), &'static str>) -> Result<String, Error> {
        match written {
            _ if self.spent => Err(ErrorKind::OutOfFuel.into()),
            Ok(()) => Ok(self.text),
            Err(why) => Err(Error::new(ErrorKind::InvalidOperation, why)),
        }
    }
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.left.checked_sub(text.len() as u64) {
            Some(left) => self.left = left,
            None => self.spent = true,
        }
        if self.spent {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
