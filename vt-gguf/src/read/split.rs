//! Models that are split over several files.
//!
//! Each file is complete by itself and says which of how many it is (`split.no` from 0, `split.count`); the first
//! also says how many tensors there are in all (`split.tensors.count`). Files are named
//! `prefix-00001-of-00003.gguf`, counted from 1. Names of other files are only ever made from the name that was given,
//! so a file cannot point elsewhere.

use std::path::{Path, PathBuf};

use super::set::Set;
use super::shard::Shard;
use crate::error::{Fault, GgufError};

const NO_KEY: &str = "split.no";
const COUNT_KEY: &str = "split.count";
const TENSORS_KEY: &str = "split.tensors.count";

/// Which of how many files one is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    /// From 0.
    no: u16,
    count: u16,
}

/// Opens a file, and the others of its set.
pub(super) fn open_set(path: &Path) -> Result<Set, GgufError> {
    let given = Shard::open(path)?;
    let Some(part) = part_of(&given)? else { return Ok(Set::new(given, Vec::new())) };
    let names = Names::of(path, part).ok_or_else(|| misnamed(&given, part))?;
    let paths = names.all(part).map_err(|missing| given.error(Fault::MissingShards { count: part.count, missing }))?;
    let others = (0..part.count).zip(&paths).filter(|(no, _)| *no != part.no);
    let opened = others.map(|(no, path)| open_part(path, Part { no, ..part }));
    let mut shards = opened.collect::<Result<Vec<_>, _>>()?;
    shards.insert(usize::from(part.no), given);
    let first = shards.remove(0);
    let set = Set::new(first, shards);
    check_total(&set)?;
    Ok(set)
}

/// Refuses a file that is one of a set.
pub(super) fn refuse_set(shard: &Shard) -> Result<(), GgufError> {
    let expected = "1: a set of files can only be opened by name";
    part_of(shard)?.map_or(Ok(()), |_| Err(shard.metadata().implausible(COUNT_KEY, expected)))
}

fn part_of(shard: &Shard) -> Result<Option<Part>, GgufError> {
    let metadata = shard.metadata();
    let count = metadata.optional::<u16>(COUNT_KEY)?.unwrap_or(1);
    if count <= 1 {
        return Ok(None);
    }
    let no = metadata.required::<u16>(NO_KEY)?;
    if no >= count {
        return Err(metadata.implausible(NO_KEY, format!("less than {COUNT_KEY}, {count}")));
    }
    Ok(Some(Part { no, count }))
}

fn open_part(path: &Path, expected: Part) -> Result<Shard, GgufError> {
    let shard = Shard::open(path)?;
    let found = part_of(&shard)?;
    if found.is_none_or(|part| part.count != expected.count) {
        return Err(shard.metadata().implausible(COUNT_KEY, expected.count.to_string()));
    }
    if found != Some(expected) {
        return Err(shard.metadata().implausible(NO_KEY, format!("{}, as the file's name says", expected.no)));
    }
    Ok(shard)
}

fn check_total(set: &Set) -> Result<(), GgufError> {
    let metadata = set.first().metadata();
    let expected = metadata.required::<usize>(TENSORS_KEY)?;
    let found = set.tensors();
    if found == expected {
        return Ok(());
    }
    Err(metadata.implausible(TENSORS_KEY, format!("{found}, the number of tensors in all files")))
}

fn misnamed(shard: &Shard, part: Part) -> GgufError {
    let expected = format!("a file that is named `...{}`", suffix(part));
    shard.metadata().implausible(NO_KEY, expected)
}

/// The end of the name of a file of a set.
fn suffix(part: Part) -> String {
    format!("-{:05}-of-{:05}.gguf", u32::from(part.no) + 1, part.count)
}

/// Where the files of a set may be, and how their names start.
///
/// A cache may hold links with the set's names to files with other names, or a link with another name may lead to a
/// set: files are looked for beside the link first, then beside what it leads to.
struct Names(Vec<(PathBuf, String)>);

impl Names {
    fn of(path: &Path, part: Part) -> Option<Self> {
        let resolved = path.canonicalize().ok();
        let prefix = |path: &Path| {
            let prefix = path.file_name()?.to_str()?.strip_suffix(&suffix(part))?;
            Some((path.parent()?.to_owned(), prefix.to_owned()))
        };
        let found: Vec<_> = [Some(path), resolved.as_deref()].into_iter().flatten().filter_map(prefix).collect();
        (!found.is_empty()).then_some(Self(found))
    }

    /// The paths of all files, or the names of those that are missing.
    fn all(&self, part: Part) -> Result<Vec<PathBuf>, Vec<String>> {
        let (mut paths, mut missing) = (Vec::new(), Vec::new());
        for no in 0..part.count {
            let end = suffix(Part { no, ..part });
            let mut places = self.0.iter().map(|(folder, prefix)| folder.join(format!("{prefix}{end}")));
            match places.find(|path| path.is_file()) {
                Some(path) => paths.push(path),
                None => missing.extend(self.0.first().map(|(_, prefix)| format!("{prefix}{end}"))),
            }
        }
        if missing.is_empty() { Ok(paths) } else { Err(missing) }
    }
}
