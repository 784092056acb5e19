//! Models in several files (section 3 of the format's rules).

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use vt_core::DType;
use vt_gguf::{Fault, Gguf, GgufError, Writer};

/// The file `no` (from 0) of `count`, with tensors of those names, each of one f32: its place in the list.
fn shard(no: u16, count: u16, total: i32, tensors: &[&str]) -> Vec<u8> {
    let mut writer = Writer::new();
    if no == 0 {
        writer.set("general.architecture", "llama").unwrap();
    }
    writer.set("split.no", no).unwrap().set("split.count", count).unwrap().set("split.tensors.count", total).unwrap();
    // Alignment is each file's own.
    writer.set("general.alignment", 32u32 << no).unwrap();
    for (i, name) in tensors.iter().enumerate() {
        writer.tensor(name, DType::F32, &[1], (i as f32).to_le_bytes().to_vec()).unwrap();
    }
    writer.to_bytes().unwrap()
}

fn name(no: u16, count: u16) -> String {
    format!("m-{:05}-of-{count:05}.gguf", no + 1)
}

fn write(folder: &Path, no: u16, count: u16, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name(no, count));
    fs::write(&path, bytes).unwrap();
    path
}

/// A set of three: two tensors, none, one.
fn set(folder: &Path) -> Vec<PathBuf> {
    let tensors: [&[&str]; 3] = [&["a", "b"], &[], &["c"]];
    (0..3).map(|no| write(folder, no, 3, &shard(no, 3, 3, tensors[usize::from(no)]))).collect()
}

fn message(result: Result<Gguf, GgufError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn any_file_opens_the_whole_set() {
    let folder = tempfile::tempdir().unwrap();
    for path in set(folder.path()) {
        let gguf = Gguf::open(&path).unwrap();
        assert_eq!(gguf.metadata().architecture().unwrap(), "llama", "the first file's metadata");
        let all: Vec<_> = gguf.tensors().map(|t| (t.name().to_owned(), t.shard())).collect();
        assert_eq!(all, [("a".into(), 0), ("b".into(), 0), ("c".into(), 2)]);
        assert_eq!((gguf.tensor_count(), gguf.files().count()), (3, 3));
        for (name, value) in [("a", 0.0), ("b", 1.0), ("c", 0.0)] {
            assert_eq!(gguf.tensor(name).unwrap().as_slice::<f32>().unwrap(), [value]);
        }
        assert!(gguf.files().enumerate().all(|(no, file)| file.ends_with(&name(no as u16, 3))));
    }
}

#[test]
fn missing_files_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let paths = set(folder.path());
    fs::remove_file(&paths[0]).unwrap();
    fs::remove_file(&paths[1]).unwrap();
    let error = Gguf::open(&paths[2]).unwrap_err();
    assert!(
        matches!(&*error.fault, Fault::MissingShards { count: 3, missing } if *missing == [name(0, 3), name(1, 3)])
    );
    let missing = "2 of the set's 3 files are missing: m-00001-of-00003.gguf, m-00002-of-00003.gguf";
    assert_eq!(error.to_string(), format!("{}: {missing}", paths[2].display()));
}

#[test]
fn a_long_list_of_missing_files_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 0, u16::MAX, &shard(0, u16::MAX, 0, &[]));
    let message = message(Gguf::open(path));
    assert!(message.contains("65534 of the set's 65535 files are missing: m-00002-of-65535.gguf, "), "{message}");
    assert!(message.ends_with("m-00009-of-65535.gguf and 65526 more"), "{message}");
}

#[test]
fn every_file_must_be_what_its_name_says() {
    let folder = tempfile::tempdir().unwrap();
    let paths = set(folder.path());
    write(folder.path(), 1, 3, &shard(2, 3, 3, &[]));
    assert!(message(Gguf::open(&paths[0])).ends_with("expected 1, as the file's name says, found u16 2"));
    write(folder.path(), 1, 3, &shard(1, 4, 3, &[]));
    assert!(message(Gguf::open(&paths[0])).ends_with("key `split.count` at byte 69: expected 3, found u16 4"));
    write(folder.path(), 1, 3, &Writer::new().to_bytes().unwrap());
    assert!(message(Gguf::open(&paths[0])).ends_with("metadata key `split.count` is missing: expected 3"));
    write(folder.path(), 1, 3, b"<!DOCTYPE html>");
    let message = message(Gguf::open(&paths[0]));
    assert!(message.contains("m-00002-of-00003.gguf: not a GGUF file"), "{message}");
}

#[test]
fn a_renamed_file_of_a_set_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paths = set(folder.path());
    for other in
        ["m.gguf", "m-00002-of-00003.gguf.bak", "m-2-of-3.gguf", "m-00002-of-00004.gguf", "m-00001-of-00003.gguf"]
    {
        let other = folder.path().join(other);
        fs::copy(&paths[1], &other).unwrap();
        let message = message(Gguf::open(&other));
        assert!(message.contains("expected a file that is named `...-00002-of-00003.gguf`, found u16 1"), "{message}");
    }
}

#[test]
fn numbers_outside_the_set_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 3, 3, &shard(3, 3, 0, &[]));
    assert!(message(Gguf::open(path)).ends_with("expected less than split.count, 3, found u16 3"));
    let mut writer = Writer::new();
    writer.set("split.count", 2u16).unwrap().set("split.no", "zero").unwrap();
    let bytes = writer.to_bytes().unwrap();
    let message = common::open(bytes).unwrap_err().to_string();
    assert!(message.contains("key `split.no`") && message.ends_with("found string \"zero\""), "{message}");
}

#[test]
fn names_are_unique_over_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), 0, 2, &shard(0, 2, 3, &["a", "b"]));
    let second = write(folder.path(), 1, 2, &shard(1, 2, 3, &["b"]));
    let message = message(Gguf::open(first));
    assert!(message.starts_with(&format!("{}: tensor `b` at byte ", second.display())), "{message}");
    assert!(message.ends_with("expected every name once, found the name a second time"), "{message}");
}

#[test]
fn the_number_of_tensors_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    for total in [2, 4, -1] {
        let first = write(folder.path(), 0, 2, &shard(0, 2, total, &["a", "b"]));
        write(folder.path(), 1, 2, &shard(1, 2, total, &["c"]));
        assert!(message(Gguf::open(first)).contains("metadata key `split.tensors.count` at byte"));
    }
}

#[test]
fn a_set_of_one_is_a_whole_model() {
    for count in [0, 1] {
        let gguf = common::open(shard(0, count, 1, &["a"])).unwrap();
        assert_eq!(gguf.tensor_count(), 1);
    }
    let message = common::open(shard(0, 2, 1, &["a"])).unwrap_err().to_string();
    assert!(message.ends_with("expected 1: a set of files can only be opened by name, found u16 2"), "{message}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_the_set_is() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let (blobs, links) = (folder.path().join("blobs"), folder.path().join("links"));
    fs::create_dir(&blobs).unwrap();
    fs::create_dir(&links).unwrap();
    for (no, path) in set(folder.path()).iter().enumerate() {
        let blob = blobs.join(format!("blob{no}"));
        fs::rename(path, &blob).unwrap();
        symlink(&blob, links.join(name(no as u16, 3))).unwrap();
    }
    let gguf = Gguf::open(links.join(name(1, 3))).expect("a cache whose links have the set's names");
    assert_eq!(gguf.tensor_count(), 3);
    let paths = set(folder.path());
    symlink(&paths[2], folder.path().join("other")).unwrap();
    let gguf = Gguf::open(folder.path().join("other")).expect("a link of another name to a file of a set");
    assert_eq!(gguf.tensor_count(), 3);
}
