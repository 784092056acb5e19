//! A model split over two files.

use crate::forge::{File, Value, i32};

/// The name of the first file.
pub const FIRST: &str = "set-00001-of-00002.gguf";
/// The name of the second one.
pub const SECOND: &str = "set-00002-of-00002.gguf";

/// A file's tensors in two files, each with its name.
pub fn files(whole: &File) -> Vec<(String, File)> {
    let half = whole.infos.len() / 2;
    let middle = whole.infos[half].offset;
    let mut first = File { entries: whole.entries.clone(), ..File::default() };
    first.infos = whole.infos[..half].to_vec();
    first.data = whole.data[..middle as usize].to_vec();
    let mut second = File { data: whole.data[middle as usize..].to_vec(), ..File::default() };
    second.infos = whole.infos[half..].to_vec();
    second.infos.iter_mut().for_each(|info| info.offset -= middle);
    for (no, file) in [(0, &mut first), (1, &mut second)] {
        file.set("split.no", u16(no));
        file.set("split.count", u16(2));
        file.set("split.tensors.count", i32(whole.infos.len() as i32));
    }
    vec![(FIRST.to_owned(), first), (SECOND.to_owned(), second)]
}

fn u16(n: u16) -> Value {
    (2, n.to_le_bytes().into())
}
