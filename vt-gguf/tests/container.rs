//! The rules of the container (section 1 of the format's rules): header, metadata, alignment.

mod common;

use std::fs::File;
use std::io::Write;

use common::{F32, Raw, open, refusals};
use vt_gguf::{Gguf, Value};

/// The types of metadata values.
const U8: u32 = 0;
const U32: u32 = 4;
const I32: u32 = 5;
const BOOL: u32 = 7;
const STRING: u32 = 8;
const ARRAY: u32 = 9;
const U64: u32 = 10;

fn one(value_type: u32, value: &[u8]) -> Raw {
    Raw::file(0, 1).entry("k", value_type, value)
}

fn array(elem: u32, n: u64, elements: &[u8]) -> Raw {
    one(ARRAY, &Raw::default().u32(elem).u64(n).bytes(elements).0)
}

#[test]
fn rule_1_the_magic_number() {
    let html = "it is an HTML page; the download returned a web page instead of the model";
    for (start, cause) in [
        (&b""[..], "the file is empty"),
        (b"<!DOCTYPE html><html>", html),
        (b"<!doctype html>", html),
        (b"<html>", html),
        (
            b"version https://git-lfs.github.com/spec/v1",
            "it is a Git LFS pointer; fetch the file itself with `git lfs pull`",
        ),
        (b"PK\x03\x04....", "it is a zip archive, perhaps a PyTorch checkpoint; convert it to GGUF"),
        (b"tjgg\x03\0\0\0", "it is a GGJT file, an old format of ggml; convert the model again"),
        (b"fmgg\x01\0\0\0", "it is a GGMF file, an old format of ggml; convert the model again"),
        (b"lmgg\x01\0\0\0", "it is a GGML file, an old format of ggml; convert the model again"),
        (b"algg\x01\0\0\0", "it is a GGLA file, an adapter in an old format of ggml; convert it again"),
        (b"FUGG\0\0\0\x03", "its magic number is byte-swapped; a little-endian file is needed"),
        (b"\x1f\x8b\x08", "it is compressed with gzip; decompress it"),
        (b"\0\0\0\0\0\0\0\0\0", "it starts with zeros; the download may be unfinished"),
        (b"\x10\0\0\0\0\0\0\0{\"a\":1}", "it seems to be a safetensors file; convert it to GGUF"),
        (b"GGU", "it does not start with `GGUF`"),
        (b"GGUf\x03\0\0\0", "it does not start with `GGUF`"),
    ] {
        let message = open(start.to_vec()).unwrap_err().to_string();
        assert_eq!(message, format!("(memory): not a GGUF file: {cause}"));
    }
}

#[test]
fn rules_2_and_3_versions_and_byte_order() {
    let of = |version: u32| Raw(b"GGUF".to_vec()).u32(version).u64(0).u64(0);
    for version in [2, 3] {
        assert_eq!(of(version).open().unwrap().version(), version);
    }
    for (version, cause) in [
        (0, "the file is damaged"),
        (1, "the first version, with 32-bit counts; convert the model again"),
        (4, "the file is newer than this program, or damaged"),
        (3u32.swap_bytes(), "the file is big-endian; a little-endian one is needed"),
        (2u32.swap_bytes(), "the file is big-endian; a little-endian one is needed"),
    ] {
        let expected = format!("(memory): GGUF versions 2 and 3 are supported, found {version}: {cause}");
        assert_eq!(of(version).refusal(), expected);
    }
}

#[test]
fn rule_4_counts_fit_in_the_file() {
    let entry = |n| Raw::file(0, n).entry("k", U8, &[1]);
    assert_eq!(entry(1).open().unwrap().metadata().len(), 1);
    refusals([
        (
            "one entry too many",
            entry(2),
            "header at byte 16: expected at most 1 metadata entries in the 14 bytes left, found 2",
        ),
        (
            "entries",
            Raw::file(0, 1 << 60),
            "header at byte 16: expected at most 0 metadata entries in the 0 bytes left, found 1152921504606846976",
        ),
        (
            "tensors",
            Raw::file(1 << 60, 0),
            "header at byte 8: expected at most 0 tensors in the 8 bytes left, found 1152921504606846976",
        ),
        (
            "the least entries",
            Raw::file(0, 10).bytes(&[0; 139]),
            "header at byte 16: expected at most 9 metadata entries in the 139 bytes left, found 10",
        ),
        (
            "the least tensor infos",
            Raw::file(10, 0).bytes(&[0; 241]),
            "header at byte 8: expected at most 9 tensors in the 249 bytes left, found 10",
        ),
        (
            "a negative count",
            Raw::file(u64::MAX, 0),
            "header at byte 8: expected at most 0 tensors in the 8 bytes left, found 18446744073709551615",
        ),
        (
            "a header cut short",
            Raw(b"GGUF\x03\0\0\0\0\0".to_vec()),
            "header at byte 8: expected 8 more bytes, found 2: the file is cut short or damaged",
        ),
    ]);
}

#[test]
fn rule_5_strings_fit_in_the_file() {
    let key = |len: u64| Raw::file(0, 1).u64(len).bytes(b"k").u32(U8).bytes(&[1]);
    let value = |len: u64| one(STRING, &Raw::default().u64(len).bytes(b"text").0);
    assert_eq!(value(4).open().unwrap().metadata().get("k"), Some(Value::String(b"text")));
    assert_eq!(value(0).open().unwrap().metadata().get("k"), Some(Value::String(b"")));
    refusals([
        (
            "a key",
            key(u64::MAX),
            "metadata entry 0 at byte 32: expected 18446744073709551615 more bytes, found 6: the file is cut short or damaged",
        ),
        (
            "a value",
            value(5),
            "metadata key `k` at byte 45: expected 5 more bytes, found 4: the file is cut short or damaged",
        ),
        (
            "a value whose end wraps around",
            value(u64::MAX - 44),
            "metadata key `k` at byte 45: expected 18446744073709551571 more bytes, found 4: the file is cut short or damaged",
        ),
    ]);
}

#[test]
fn rule_6_keys() {
    let key = |key: &[u8]| Raw::file(0, 1).string(key).u32(U8).bytes(&[7]);
    let longest = "k".repeat(65535);
    assert_eq!(key(longest.as_bytes()).open().unwrap().metadata().u32(&longest).unwrap(), 7);
    assert_eq!(key("ключ".as_bytes()).open().unwrap().metadata().u32("ключ").unwrap(), 7);
    let twice = Raw::file(0, 3).entry("a", U8, &[1]).entry("b", U8, &[2]).entry("a", U8, &[3]);
    refusals([
        ("empty", key(b"").bytes(&[0]), "metadata key `` at byte 24: expected a key, found an empty one"),
        ("twice", twice, "metadata key `a` at byte 52: expected every key once, found the key a second time"),
        (
            "zero byte",
            key(b"a\0b"),
            "metadata key `a\u{fffd}b` at byte 24: expected a key without zero bytes, found one with",
        ),
        ("not UTF-8", key(b"a\xff"), "metadata key `a\u{fffd}` at byte 24: expected a key of UTF-8, found other bytes"),
    ]);
    let message = key("k".repeat(65536).as_bytes()).refusal();
    assert!(message.ends_with("at byte 24: expected a key of at most 65535 bytes, found 65536 bytes"), "{message}");
    assert!(message.len() < 250, "a message must not repeat all of a long key");
}

#[test]
fn rule_7_value_types() {
    refusals([
        ("a value", one(13, &[0; 8]), "metadata key `k` at byte 33: expected a value type from 0 to 12, found 13"),
        (
            "huge",
            one(u32::MAX, &[0; 8]),
            "metadata key `k` at byte 33: expected a value type from 0 to 12, found 4294967295",
        ),
        (
            "elements",
            array(13, 1, &[0; 8]),
            "metadata key `k` at byte 37: expected a value type from 0 to 12, found 13",
        ),
        ("no elements", array(13, 0, &[]), "metadata key `k` at byte 37: expected a value type from 0 to 12, found 13"),
    ]);
}

#[test]
fn rule_8_arrays_fit_in_the_file() {
    let three = array(U32, 3, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]).open().unwrap();
    assert_eq!(three.metadata().required::<Vec<u32>>("k").unwrap(), [1, 2, 3]);
    assert_eq!(array(STRING, 0, &[]).open().unwrap().metadata().required::<Vec<&str>>("k").unwrap(), [""; 0]);
    refusals([
        (
            "elements",
            array(U32, 4, &[0; 15]),
            "metadata key `k` at byte 41: expected at most 3 elements in the 15 bytes left, found 4",
        ),
        (
            "2^40",
            array(U8, 1 << 40, &[0; 9]),
            "metadata key `k` at byte 41: expected at most 9 elements in the 9 bytes left, found 1099511627776",
        ),
        (
            "a size that wraps around",
            array(U64, 1 << 61, &[0; 16]),
            "metadata key `k` at byte 41: expected at most 2 elements in the 16 bytes left, found 2305843009213693952",
        ),
        (
            "strings",
            array(STRING, 3, &[0; 23]),
            "metadata key `k` at byte 41: expected at most 2 elements in the 23 bytes left, found 3",
        ),
        (
            "a string of them",
            array(STRING, 2, &Raw::default().u64(1).bytes(b"a").u64(9).bytes(b"b").0),
            "metadata key `k` at byte 66: expected 9 more bytes, found 1: the file is cut short or damaged",
        ),
    ]);
}

#[test]
fn rule_8_an_array_has_at_most_2_30_elements() {
    for (n, fits) in [((1 << 30), true), ((1 << 30) + 1, false)] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&array(U8, n, &[]).0).unwrap();
        let end = file.as_file().metadata().unwrap().len() + n;
        file.as_file().set_len(end).unwrap();
        match Gguf::open(file.path()) {
            Ok(_) => assert!(fits),
            Err(e) => assert!(
                !fits && e.to_string().ends_with("expected at most 1073741824 elements, found 1073741825"),
                "{e}"
            ),
        }
    }
}

#[test]
fn rule_9_nested_arrays_are_refused_without_recursion() {
    let message = "metadata key `k` at byte 37: expected an array of numbers or strings, found an array of arrays";
    let deep = (0..100_000).fold(Raw::default(), |raw, _| raw.u32(ARRAY).u64(1));
    refusals([
        ("empty", array(ARRAY, 0, &[]), message),
        ("two", array(ARRAY, 1, &Raw::default().u32(U8).u64(1).bytes(&[1]).0), message),
        ("deep", one(ARRAY, &deep.0), message),
    ]);
}

#[test]
fn rule_10_any_byte_is_a_bool() {
    for (byte, expected) in [(0, false), (1, true), (2, true), (255, true)] {
        assert_eq!(one(BOOL, &[byte]).open().unwrap().metadata().bool("k").unwrap(), expected);
    }
    let all = array(BOOL, 3, &[0, 1, 7]).open().unwrap();
    assert_eq!(all.metadata().required::<Vec<bool>>("k").unwrap(), [false, true, true]);
}

#[test]
fn rule_11_strings_keep_their_bytes() {
    let tokens: [&[u8]; 4] = [b"\xff\xfe", b"a\0\0", b"", b"\xe2\x82"];
    let strings = tokens.iter().fold(Raw::default(), |raw, t| raw.string(t));
    let file = array(STRING, 4, &strings.0).open().unwrap();
    assert_eq!(file.metadata().required::<Vec<&[u8]>>("k").unwrap(), tokens);
    let message = file.metadata().required::<Vec<&str>>("k").unwrap_err().to_string();
    assert!(message.contains("each element a string of UTF-8, found array [string x 4]"), "{message}");
}

#[test]
fn rule_12_alignment() {
    for alignment in [1u32, 2, 8, 32, 64, 1 << 20] {
        let a = alignment as usize;
        let file = Raw::file(2, 1)
            .entry("general.alignment", U32, &alignment.to_le_bytes())
            .info("a", &[1], F32, 0)
            .info("b", &[1], F32, 4usize.next_multiple_of(a) as u64)
            .pad(a)
            .bytes(&1.5f32.to_le_bytes())
            .pad(a)
            .bytes(&2.5f32.to_le_bytes());
        let file = file.open().unwrap();
        assert_eq!(file.tensor("a").unwrap().as_slice::<f32>().unwrap(), [1.5]);
        assert_eq!(file.tensor("b").unwrap().as_slice::<f32>().unwrap(), [2.5], "{alignment}");
    }
    let with = |value_type, value: &[u8]| Raw::file(0, 1).entry("general.alignment", value_type, value);
    assert!(with(U64, &64u64.to_le_bytes()).open().is_ok());
    let rule = "metadata key `general.alignment` at byte 53: expected a power of two between 1 and 1048576";
    for (value_type, value, found) in [
        (U32, &0u32.to_le_bytes()[..], "0"),
        (U32, &3u32.to_le_bytes(), "3"),
        (U32, &48u32.to_le_bytes(), "48"),
        (U32, &(2u32 << 20).to_le_bytes(), "2097152"),
        (I32, &(-32i32).to_le_bytes(), "-32"),
        (BOOL, &[1], "true"),
        (STRING, &Raw::default().string(b"32").0, "\"32\""),
    ] {
        assert_eq!(with(value_type, value).refusal(), format!("(memory): {rule}, found {found}"));
    }
}

#[test]
fn rule_13_data_starts_behind_the_padded_header() {
    let infos = Raw::file(1, 0).info("a", &[2], F32, 0);
    assert_eq!(infos.0.len(), 57);
    let file = infos.clone().data(8).open().unwrap();
    let info = file.info("a").unwrap();
    assert_eq!((info.offset(), info.bytes()), (64, 8));
    assert!(infos.data(7).open().is_err());
    let bare = Raw::file(0, 1).entry("k", U8, &[1]);
    assert_eq!(bare.0.len() % 32, 6, "without tensors a file need not be padded");
    assert_eq!(bare.open().unwrap().tensor_count(), 0);
}

#[test]
fn files_on_disk_are_named_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.gguf");
    File::create(&path).unwrap();
    let name = path.display();
    let message = Gguf::open(&path).unwrap_err().to_string();
    assert_eq!(message, format!("{name}: not a GGUF file: the file is empty"));
    let message = Gguf::open(folder.path()).unwrap_err().to_string();
    assert_eq!(message, format!("{}: not a regular file", folder.path().display()));
    let absent = folder.path().join("absent.gguf");
    assert!(Gguf::open(&absent).unwrap_err().to_string().starts_with(&format!("{}: ", absent.display())));
}
