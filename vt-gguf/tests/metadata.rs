//! Typed metadata: which types a getter takes, and what its errors say.

mod common;

use vt_gguf::{Array, Encode, Fault, FromValue, Gguf, Place, Strings, Value, ValueType, Writer};

fn file(set: impl FnOnce(&mut Writer<'_>)) -> Gguf {
    let mut writer = Writer::new();
    set(&mut writer);
    common::open(writer.to_bytes().unwrap()).unwrap()
}

fn one(value: impl Encode) -> Gguf {
    file(|w| {
        w.set("k", value).unwrap();
    })
}

fn optional<'a, T: FromValue<'a>>(gguf: &'a Gguf) -> Option<T> {
    gguf.metadata().optional("k").ok().flatten()
}

#[test]
fn integers_are_read_from_any_integer_type_in_range() {
    let files = [one(7u8), one(7i8), one(7u16), one(7i16), one(7u32), one(7i32), one(7u64), one(7i64)];
    for gguf in &files {
        let m = gguf.metadata();
        assert_eq!((m.u32("k").unwrap(), m.u64("k").unwrap(), m.usize("k").unwrap()), (7, 7, 7));
        assert_eq!((optional::<u8>(gguf), optional::<i8>(gguf), optional::<i64>(gguf)), (Some(7), Some(7), Some(7)));
        assert_eq!((optional::<u16>(gguf), optional::<i16>(gguf), optional::<i32>(gguf)), (Some(7), Some(7), Some(7)));
        assert_eq!((optional::<f32>(gguf), optional::<bool>(gguf), optional::<&str>(gguf)), (None, None, None));
    }
    for (gguf, u32_, i64_) in [
        (one(-1i32), None, Some(-1)),
        (one(u64::MAX), None, None),
        (one(u64::from(u32::MAX)), Some(u32::MAX), Some(i64::from(u32::MAX))),
        (one(1u64 << 32), None, Some(1 << 32)),
        (one(i64::MIN), None, Some(i64::MIN)),
    ] {
        assert_eq!((optional::<u32>(&gguf), optional::<i64>(&gguf)), (u32_, i64_));
    }
    for gguf in [one(1.0f32), one(true), one("1"), one([1u32])] {
        assert_eq!((optional::<u32>(&gguf), optional::<usize>(&gguf)), (None, None));
    }
}

#[test]
fn floats_bools_and_text_are_read_from_their_types() {
    assert_eq!(one(1e-6f32).metadata().f32("k").unwrap(), 1e-6);
    assert_eq!(one(0.5f64).metadata().f32("k").unwrap(), 0.5);
    assert_eq!(optional::<f64>(&one(0.5f32)), Some(0.5));
    assert_eq!(optional::<f64>(&one(0.1f64)), Some(0.1));
    assert!(one(true).metadata().bool("k").unwrap());
    assert!(!one(false).metadata().bool("k").unwrap());
    assert_eq!(one("text").metadata().str("k").unwrap(), "text");
    assert_eq!(optional::<&[u8]>(&one("text")), Some(&b"text"[..]));
    assert_eq!(optional::<&str>(&one(Value::String(b"\xff"))), None);
    assert_eq!(optional::<&[u8]>(&one(Value::String(b"\xff"))), Some(&b"\xff"[..]));
    for gguf in [one(1u32), one("x"), one([1.0f32])] {
        assert_eq!((optional::<f32>(&gguf), optional::<f64>(&gguf), optional::<bool>(&gguf)), (None, None, None));
    }
}

#[test]
fn arrays_are_read_as_vectors_or_seen_in_place() {
    assert_eq!(optional::<Vec<u32>>(&one([1i32, 2])), Some(vec![1, 2]));
    assert_eq!(optional::<Vec<u32>>(&one([1i32, -2])), None);
    assert_eq!(optional::<Vec<f32>>(&one([0.5f32, -1.0])), Some(vec![0.5, -1.0]));
    assert_eq!(optional::<Vec<bool>>(&one([true, false])), Some(vec![true, false]));
    assert_eq!(optional::<Vec<u32>>(&one(5u32)), None);
    let words = one(["a", "", "bc"]);
    assert_eq!(optional::<Vec<&str>>(&words), Some(vec!["a", "", "bc"]));
    let strings = optional::<Strings<'_>>(&words).unwrap();
    assert_eq!(strings.len(), 3);
    assert_eq!(strings.collect::<Vec<_>>(), [&b"a"[..], b"", b"bc"]);
    let array = optional::<Array<'_>>(&words).unwrap();
    assert_eq!((array.elem_type(), array.len(), array.is_empty()), (ValueType::String, 3, false));
    assert!(optional::<Strings<'_>>(&one([1u32])).is_none());
    assert!(!words.metadata().is_empty() && file(|_| ()).metadata().is_empty());
}

#[test]
fn arrays_are_equal_if_their_elements_are() {
    let files = [
        one([1u32, 2]),
        one([1u32, 3]),
        one([1u32]),
        one([1i32, 2]),
        one(["a"]),
        one(&[] as &[u32]),
        one(&[] as &[i32]),
    ];
    for (i, a) in files.iter().enumerate() {
        for (j, b) in files.iter().enumerate() {
            assert_eq!(a.metadata().get("k") == b.metadata().get("k"), i == j, "{i} {j}");
        }
    }
}

#[test]
fn values_per_layer_are_one_for_all_or_one_for_each() {
    let per_layer = |gguf: &Gguf| gguf.metadata().per_layer::<u32>("k", 3);
    assert_eq!(per_layer(&one(8u32)).unwrap(), Some(vec![8, 8, 8]));
    assert_eq!(per_layer(&one([1i32, 2, 3])).unwrap(), Some(vec![1, 2, 3]));
    assert_eq!(per_layer(&file(|_| ())).unwrap(), None);
    for gguf in [one([1u32, 2]), one([1u32, 2, 3, 4])] {
        let message = per_layer(&gguf).unwrap_err().to_string();
        assert!(message.contains("expected for each of 3 layers an integer from 0 to 4294967295"), "{message}");
    }
    assert!(per_layer(&one("8")).is_err());
}

#[test]
fn keys_of_the_architecture_are_scoped() {
    let gguf = file(|w| {
        w.set("general.architecture", "qwen3").unwrap().set("qwen3.block_count", 28u32).unwrap();
    });
    let arch = gguf.metadata().arch().unwrap();
    assert_eq!(arch.u32("block_count").unwrap(), 28);
    assert_eq!(arch.architecture().unwrap(), "qwen3");
    assert_eq!(arch.scoped("").get("qwen3.block_count"), Some(Value::U32(28)));
    assert_eq!(arch.get("qwen3.block_count"), None);
    let message = arch.u32("context_length").unwrap_err().to_string();
    assert_eq!(
        message,
        "(memory): metadata key `qwen3.context_length` is missing: expected an integer from 0 to 4294967295"
    );
    let message = file(|_| ()).metadata().arch().map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "(memory): metadata key `general.architecture` is missing: expected a string of UTF-8");
}

#[test]
fn errors_name_file_key_offset_expected_and_found() {
    let gguf = one(-5i32);
    let error = gguf.metadata().u32("k").unwrap_err();
    assert_eq!(&*error.file, "(memory)");
    let Fault::Invalid { place, offset, expected, found } = &*error.fault else { panic!("{error}") };
    assert_eq!((place, offset), (&Place::Key("k".into()), &37));
    assert_eq!((expected.as_str(), found.as_str()), ("an integer from 0 to 4294967295", "i32 -5"));
    let message = gguf.metadata().implausible("k", "more than 0").to_string();
    assert_eq!(message, "(memory): metadata key `k` at byte 37: expected more than 0, found i32 -5");
    let message = gguf.metadata().implausible("other", "more than 0").to_string();
    assert_eq!(message, "(memory): metadata key `other` is missing: expected more than 0");
    let whole = one("x".repeat(80).as_str());
    assert!(whole.metadata().u32("k").unwrap_err().to_string().ends_with("x\""), "short enough to be shown whole");
    let long = one("\u{1b}".repeat(100).as_str());
    let message = long.metadata().u32("k").unwrap_err().to_string();
    assert!(message.ends_with("\u{fffd}...\"") && !message.contains('\u{1b}'), "cut, and safe for a terminal");
}
