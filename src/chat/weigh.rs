//! What a value costs that is looked at whole.
//!
//! The same list may be in a list many times, so a value can be far larger than what was paid for when it was made.

use minijinja::value::{ObjectRepr, Value};
use minijinja::{Error, ErrorKind, State};

use super::python::TOO_DEEP;

/// How deep lists, maps and namespaces may lie in each other. Comparing and dropping them goes as deep on the stack.
pub(super) const LEVELS: usize = 200;

/// The parts of a unit of fuel: each pays for a byte.
const UNIT: u64 = 64;
/// What a value costs that is looked at.
const LOOK: u64 = 8;
/// What a place in a new list costs.
const PLACE: u64 = 32;
/// What is collected before it is paid.
const BILL: u64 = 64 * UNIT;

/// Pays for looking at a value whole, with the texts in it.
pub(super) fn weigh(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    weigh_often(state, value, 1)
}

/// Pays for looking at those of some values whole that hold others.
pub(super) fn weigh_objects<'a>(
    state: &State<'_, '_>,
    values: impl IntoIterator<Item = &'a Value>,
) -> Result<(), Error> {
    values.into_iter().filter(|value| value.as_object().is_some()).try_for_each(|value| weigh(state, value))
}

/// Pays for looking at a value whole so many times.
pub(super) fn weigh_often(state: &State<'_, '_>, value: &Value, times: u64) -> Result<(), Error> {
    let mut purse = Purse { state, times, owed: 0 };
    purse.look(value, LEVELS, true)?;
    purse.settle()
}

/// Pays for comparing two values.
pub(super) fn weigh_pair(state: &State<'_, '_>, a: &Value, b: &Value) -> Result<(), Error> {
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => state.consume_fuel(a.len().min(b.len()) as u64 / UNIT),
        _ if a.as_object().is_some() && b.as_object().is_some() => weigh(state, a).and_then(|()| weigh(state, b)),
        _ => Ok(()),
    }
}

/// Refuses a value that is too deep.
pub(super) fn check_depth(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    let mut purse = Purse::new(state);
    purse.look(value, LEVELS, false)?;
    purse.settle()
}

/// The levels left within a value; none left is an error.
pub(super) fn deeper(levels: usize) -> Result<usize, Error> {
    let too_deep = || Error::new(ErrorKind::InvalidOperation, TOO_DEEP);
    levels.checked_sub(1).ok_or_else(too_deep)
}

/// Pays by and by.
pub(super) struct Purse<'a, 'template, 'env> {
    state: &'a State<'template, 'env>,
    times: u64,
    owed: u64,
}

impl<'a, 'template, 'env> Purse<'a, 'template, 'env> {
    /// A purse that owes nothing.
    pub fn new(state: &'a State<'template, 'env>) -> Self {
        Self { state, times: 1, owed: 0 }
    }

    /// Pays for a look at a value, without what is in it.
    pub fn glance(&mut self) -> Result<(), Error> {
        self.pay(LOOK)
    }

    /// Pays for a place in a new list.
    pub fn place(&mut self) -> Result<(), Error> {
        self.pay(PLACE)
    }

    /// Pays what is owed, but for less than a unit.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.state.consume_fuel(std::mem::take(&mut self.owed) / UNIT)
    }

    /// Pays for a value and what is in it.
    pub fn look(&mut self, value: &Value, levels: usize, texts: bool) -> Result<(), Error> {
        let text = value.as_str().filter(|_| texts).map_or(0, str::len);
        self.pay(LOOK.saturating_add(text as u64))?;
        let Some(object) = value.as_object() else { return Ok(()) };
        let levels = deeper(levels)?;
        match object.repr() {
            ObjectRepr::Map => object.try_iter_pairs().into_iter().flatten().try_for_each(|(key, value)| {
                self.look(&key, levels, texts)?;
                self.look(&value, levels, texts)
            }),
            ObjectRepr::Seq | ObjectRepr::Iterable => {
                object.try_iter().into_iter().flatten().try_for_each(|item| self.look(&item, levels, texts))
            }
            _ => Ok(()),
        }
    }

    fn pay(&mut self, parts: u64) -> Result<(), Error> {
        self.owed = self.owed.saturating_add(parts.saturating_mul(self.times));
        if self.owed < BILL { Ok(()) } else { self.settle() }
    }
}
