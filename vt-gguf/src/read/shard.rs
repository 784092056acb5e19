//! One file: all of it checked, nothing of it copied.

use std::path::Path;
use std::sync::Arc;

use super::file::Source;
use super::header::Header;
use super::metadata::Metadata;
use super::table::Table;
use super::tensor_info::{Data, RawInfo, TensorInfo};
use crate::cursor::{At, Cursor};
use crate::error::{Fault, GgufError, shown};
use crate::{ALIGNMENT_KEY, ALIGNMENT_RULE, DEFAULT_ALIGNMENT, is_alignment};

/// A file of a set, or the only one.
pub(super) struct Shard {
    pub name: Arc<str>,
    pub source: Source,
    pub version: u32,
    pub table: Table,
    /// Where each tensor info starts. Infos are read again when they are asked for.
    infos: Vec<u64>,
    data: Data,
}

impl Shard {
    /// Maps and checks the file at `path`.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        let name: Arc<str> = path.to_string_lossy().into();
        let source = Source::map(path).map_err(|fault| GgufError::new(&name, fault))?;
        Self::parse(name, source)
    }

    /// Checks a file.
    pub fn parse(name: Arc<str>, source: Source) -> Result<Self, GgufError> {
        match parse(source.bytes()) {
            Ok((version, table, infos, data)) => Ok(Self { name, source, version, table, infos, data }),
            Err(fault) => Err(GgufError::new(&name, fault)),
        }
    }

    /// The metadata.
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata::new(&self.name, self.source.bytes(), &self.table)
    }

    /// The number of tensors.
    pub fn tensors(&self) -> usize {
        self.infos.len()
    }

    /// The tensor of that number in this file, which is the set's file `shard`.
    pub fn tensor(&self, number: usize, shard: usize) -> Option<TensorInfo<'_>> {
        let mut cursor = Cursor::new(self.source.bytes(), *self.infos.get(number)?, At::Header);
        RawInfo::read(&mut cursor).ok()?.place(self.data, shard).ok()
    }

    /// The name of the tensor of that number.
    pub fn tensor_name(&self, number: usize) -> Option<&[u8]> {
        Cursor::new(self.source.bytes(), *self.infos.get(number)?, At::Header).string().ok()
    }

    /// A fault of the tensor info of that number.
    pub fn tensor_fault(&self, number: usize, expected: &str, found: &str) -> GgufError {
        let place = At::Tensor(self.tensor_name(number).unwrap_or_default()).into();
        let offset = self.infos.get(number).copied().unwrap_or_default();
        self.error(Fault::Invalid { place, offset, expected: expected.into(), found: found.into() })
    }

    /// An error of this file.
    pub fn error(&self, fault: Fault) -> GgufError {
        GgufError::new(&self.name, fault)
    }
}

fn parse(file: &[u8]) -> Result<(u32, Table, Vec<u64>, Data), Fault> {
    let mut cursor = Cursor::new(file, 0, At::Header);
    let header = Header::read(&mut cursor)?;
    let table = Table::read(file, &mut cursor, header.entries)?;
    let alignment = alignment(&table, file)?;
    let mut infos = Vec::with_capacity(usize::try_from(header.tensors).unwrap_or(0));
    for i in 0..header.tensors {
        infos.push(cursor.offset());
        cursor.set_place(At::TensorEntry(i));
        RawInfo::read(&mut cursor)?;
    }
    let data = Data::after(cursor.offset(), alignment, file.len() as u64);
    check_places(file, &infos, data)?;
    Ok((header.version, table, infos, data))
}

fn alignment(table: &Table, file: &[u8]) -> Result<u64, Fault> {
    let Some(entry) = table.find(file, ALIGNMENT_KEY) else { return Ok(DEFAULT_ALIGNMENT) };
    let stated = entry.value.as_int().and_then(|n| u64::try_from(n).ok()).filter(|n| is_alignment(*n));
    stated.ok_or_else(|| Fault::Invalid {
        place: At::Key(ALIGNMENT_KEY.as_bytes()).into(),
        offset: entry.offset,
        expected: ALIGNMENT_RULE.into(),
        found: entry.value.to_string(),
    })
}

/// Checks that all tensors are inside the file and none shares bytes with another. They need not be in order.
fn check_places(file: &[u8], infos: &[u64], data: Data) -> Result<(), Fault> {
    let read = |at: u64| RawInfo::read(&mut Cursor::new(file, at, At::Header))?.place(data, 0);
    let mut starts = Vec::with_capacity(infos.len());
    for at in infos {
        let info = read(*at)?;
        if info.bytes() > 0 {
            starts.push((info.offset(), *at));
        }
    }
    starts.sort_unstable();
    for pair in starts.windows(2) {
        let &[(_, first), (_, second)] = pair else { continue };
        let (first, second) = (read(first)?, read(second)?);
        let end = first.offset() + first.bytes();
        if second.offset() < end {
            let (first, offset) = (shown(first.name().as_bytes()), second.offset());
            return Err(Fault::Overlap { first, second: shown(second.name().as_bytes()), offset, end });
        }
    }
    Ok(())
}
