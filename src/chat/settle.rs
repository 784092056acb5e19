//! Values as templates may keep them: not too deep, and not lazy.
//!
//! What is made of lists without copying them looks through what it is made of each time. Done over and over, that
//! goes as deep on the stack as it was done often.

use minijinja::value::{ObjectRepr, Tuple, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};

use super::weigh::{LEVELS, Purse, check_depth, deeper};

/// The value as a list if it is a lazy one whose items were settled before.
pub(super) fn copied(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value.clone());
    }
    let mut purse = Purse::new(state);
    let mut items = Vec::new();
    for item in value.try_iter()?.checked() {
        purse.place()?;
        items.push(item?);
    }
    purse.settle()?;
    Ok(items.into())
}

/// The value with a list in place of each lazy one; an error if it is too deep.
pub(super) fn settled(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if value.as_object().is_none() {
        return Ok(value.clone());
    }
    let mut purse = Purse::new(state);
    let copy = settle(&mut purse, value, LEVELS)?;
    purse.settle()?;
    Ok(copy.unwrap_or_else(|| value.clone()))
}

/// The value with lists in place of lazy ones; `None` if it has none.
fn settle(purse: &mut Purse<'_, '_, '_>, value: &Value, levels: usize) -> Result<Option<Value>, Error> {
    purse.glance()?;
    let Some(object) = value.as_object() else { return Ok(None) };
    let inner = deeper(levels)?;
    let lazy = match object.repr() {
        ObjectRepr::Iterable => true,
        ObjectRepr::Seq if value.is_tuple() || object.downcast_ref::<Vec<Value>>().is_some() => false,
        // The pairs of `groupby` have names, too, and make their lists anew each time.
        _ => return purse.look(value, levels, false).map(|()| None),
    };
    let mut changed = lazy;
    let mut items = Vec::new();
    for item in value.try_iter()?.checked() {
        purse.place()?;
        let item = item?;
        let copy = settle(purse, &item, inner)?;
        changed |= copy.is_some();
        items.push(copy.unwrap_or(item));
    }
    Ok(changed.then(|| if value.is_tuple() { Tuple::from(items).into() } else { items.into() }))
}

/// Refuses what a namespace may not hold: itself, which would never be freed, and what may grow deeper in it.
pub(super) fn check_held(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    check_depth(state, value)?;
    if grows(value) {
        return Err(Error::new(ErrorKind::InvalidOperation, "a namespace or a loop cannot be kept in another one"));
    }
    Ok(())
}

/// Whether there is something in a value that changes.
fn grows(value: &Value) -> bool {
    let Some(object) = value.as_object() else { return false };
    let name = object.type_name();
    match object.repr() {
        _ if name.ends_with("::Namespace") || name.ends_with("::Loop") => true,
        ObjectRepr::Map => {
            object.try_iter_pairs().into_iter().flatten().any(|(key, value)| grows(&key) || grows(&value))
        }
        ObjectRepr::Seq | ObjectRepr::Iterable => object.try_iter().into_iter().flatten().any(|item| grows(&item)),
        _ => false,
    }
}
