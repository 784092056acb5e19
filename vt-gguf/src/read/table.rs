//! The metadata of one file: where its entries are.

use crate::MAX_KEY;
use crate::cursor::{At, Cursor};
use crate::error::Fault;
use crate::index::Index;
use crate::value::{Value, ValueType};

/// Where each metadata entry starts. Entries are read again when they are asked for.
#[derive(Debug)]
pub(super) struct Table {
    offsets: Vec<u64>,
    index: Index,
}

/// A metadata entry.
pub(super) struct Entry<'a> {
    pub key: &'a str,
    pub value: Value<'a>,
    /// Where the value starts.
    pub offset: u64,
}

impl Table {
    /// Reads and checks `entries` entries, and leaves the cursor behind them.
    pub fn read<'a>(file: &'a [u8], cursor: &mut Cursor<'a>, entries: u64) -> Result<Self, Fault> {
        let mut offsets = Vec::with_capacity(usize::try_from(entries).unwrap_or(0));
        let mut index = Index::new(offsets.capacity());
        for i in 0..entries {
            let offset = cursor.offset();
            cursor.set_place(At::Entry(i));
            let key = check_entry(cursor)?;
            offsets.push(offset);
            let number = u32::try_from(i).ok().filter(|n| *n < u32::MAX);
            let number = number.ok_or_else(|| cursor.invalid(offset, "fewer than 4294967295 entries", entries))?;
            if !index.insert(key.as_bytes(), number, |n| key_at(file, &offsets, n)) {
                return Err(cursor.invalid(offset, "every key once", "the key a second time"));
            }
        }
        Ok(Self { offsets, index })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// The entry of that number, in the file's order.
    pub fn entry<'a>(&self, file: &'a [u8], number: usize) -> Option<Entry<'a>> {
        let mut cursor = Cursor::new(file, *self.offsets.get(number)?, At::Header);
        read_entry(&mut cursor).ok()
    }

    /// The entry of that key.
    pub fn find<'a>(&self, file: &'a [u8], key: &str) -> Option<Entry<'a>> {
        let number = self.index.find(key.as_bytes(), |n| key_at(file, &self.offsets, n))?;
        self.entry(file, number as usize)
    }
}

fn key_at<'a>(file: &'a [u8], offsets: &[u64], number: u32) -> Option<&'a [u8]> {
    Cursor::new(file, *offsets.get(number as usize)?, At::Header).string().ok()
}

/// Reads an entry to its end.
fn check_entry<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let entry = read_entry(cursor)?;
    if let Value::Array(array) = entry.value
        && array.elem_type() == ValueType::String
    {
        for _ in 0..array.len() {
            cursor.string()?;
        }
    }
    Ok(entry.key)
}

fn read_entry<'a>(cursor: &mut Cursor<'a>) -> Result<Entry<'a>, Fault> {
    let key = read_key(cursor)?;
    cursor.set_place(At::Key(key.as_bytes()));
    let value_type = ValueType::read(cursor)?;
    let offset = cursor.offset();
    let value = Value::read(cursor, value_type)?;
    Ok(Entry { key, value, offset })
}

fn read_key<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Fault> {
    let offset = cursor.offset();
    let bytes = cursor.string()?;
    cursor.set_place(At::Key(bytes));
    if bytes.is_empty() {
        return Err(cursor.invalid(offset, "a key", "an empty one"));
    }
    if bytes.len() > MAX_KEY {
        return Err(cursor.invalid(
            offset,
            format!("a key of at most {MAX_KEY} bytes"),
            format!("{} bytes", bytes.len()),
        ));
    }
    if bytes.contains(&0) {
        return Err(cursor.invalid(offset, "a key without zero bytes", "one with"));
    }
    std::str::from_utf8(bytes).map_err(|_| cursor.invalid(offset, "a key of UTF-8", "other bytes"))
}
