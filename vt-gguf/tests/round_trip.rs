//! What the writer writes, the reader reads.

mod common;

use vt_core::DType;
use vt_gguf::{Array, Gguf, Value, ValueType, WriteError, Writer};

fn read(writer: &Writer<'_>) -> Gguf {
    common::open(writer.to_bytes().unwrap()).unwrap()
}

/// An entry of every type, and an array of every element type.
fn all_types(w: &mut Writer<'_>) -> Result<(), WriteError> {
    w.set("u8", u8::MAX)?.set("i8", i8::MIN)?.set("u16", u16::MAX)?.set("i16", i16::MIN)?;
    w.set("u32", u32::MAX)?.set("i32", i32::MIN)?.set("u64", u64::MAX)?.set("i64", i64::MIN)?;
    w.set("f32", f32::MIN_POSITIVE)?.set("f64", f64::MAX)?.set("bool", true)?.set("string", "naïve")?;
    w.set("bytes", Value::String(b"\xff\0"))?.set("owned", String::from("text"))?;
    w.set("u8s", [0u8, 255])?.set("i8s", [-128i8, 127])?.set("u16s", [1u16])?.set("i16s", [-1i16])?;
    w.set("u32s", [1u32, 2, 3])?.set("i32s", [-1i32])?.set("u64s", [u64::MAX])?.set("i64s", [i64::MIN])?;
    w.set("f32s", [1.5f32, -0.0])?.set("f64s", [0.1f64])?.set("bools", [true, false])?;
    w.set("strings", ["a", "", "ccc"])?.set("bytes of each", [&b"\xff"[..], b"\0"])?;
    w.set("none", &[] as &[u32])?;
    Ok(())
}

#[test]
fn every_type_of_metadata() {
    let mut writer = Writer::new();
    all_types(&mut writer).unwrap();
    let gguf = read(&writer);
    let m = gguf.metadata();
    for (key, value) in [
        ("u8", Value::U8(u8::MAX)),
        ("i8", Value::I8(i8::MIN)),
        ("u16", Value::U16(u16::MAX)),
        ("i16", Value::I16(i16::MIN)),
        ("u32", Value::U32(u32::MAX)),
        ("i32", Value::I32(i32::MIN)),
        ("u64", Value::U64(u64::MAX)),
        ("i64", Value::I64(i64::MIN)),
        ("f32", Value::F32(f32::MIN_POSITIVE)),
        ("f64", Value::F64(f64::MAX)),
        ("bool", Value::Bool(true)),
        ("string", Value::String("naïve".as_bytes())),
        ("bytes", Value::String(b"\xff\0")),
        ("owned", Value::String(b"text")),
    ] {
        assert_eq!(m.get(key), Some(value), "{key}");
    }
    let elements = |key: &str| m.required::<Array<'_>>(key).unwrap().iter().collect::<Vec<_>>();
    assert_eq!(elements("u8s"), [Value::U8(0), Value::U8(255)]);
    assert_eq!(elements("i8s"), [Value::I8(-128), Value::I8(127)]);
    assert_eq!(elements("u16s"), [Value::U16(1)]);
    assert_eq!(elements("i16s"), [Value::I16(-1)]);
    assert_eq!(elements("u32s"), [Value::U32(1), Value::U32(2), Value::U32(3)]);
    assert_eq!(elements("i32s"), [Value::I32(-1)]);
    assert_eq!(elements("u64s"), [Value::U64(u64::MAX)]);
    assert_eq!(elements("i64s"), [Value::I64(i64::MIN)]);
    assert_eq!(elements("f32s"), [Value::F32(1.5), Value::F32(-0.0)]);
    assert_eq!(elements("f64s"), [Value::F64(0.1)]);
    assert_eq!(elements("bools"), [Value::Bool(true), Value::Bool(false)]);
    assert_eq!(elements("strings"), [Value::String(b"a"), Value::String(b""), Value::String(b"ccc")]);
    assert_eq!(elements("bytes of each"), [Value::String(b"\xff"), Value::String(b"\0")]);
    assert_eq!(elements("none"), []);
    assert_eq!(m.len(), 28);
}

#[test]
fn value_types_have_the_numbers_of_the_format() {
    let names = ["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"];
    for (id, name) in names.into_iter().enumerate() {
        assert_eq!(ValueType::from_id(id as u32).map(ValueType::name), Some(name));
    }
    assert_eq!(ValueType::from_id(13), None);
}

#[test]
fn metadata_can_be_copied_to_another_file() {
    let mut writer = Writer::new();
    all_types(&mut writer).unwrap();
    let gguf = read(&writer);
    let mut copy = Writer::new();
    for (key, value) in gguf.metadata().iter() {
        copy.set(key, value).unwrap();
    }
    assert_eq!(copy.to_bytes().unwrap(), writer.to_bytes().unwrap());
}

#[test]
fn every_type_of_tensor() {
    let stored: Vec<DType> = DType::ALL.into_iter().filter(|d| d.gguf_id().is_some()).collect();
    for alignment in [1u32, 8, 32, 4096] {
        let mut writer = Writer::new();
        writer.set("general.alignment", alignment).unwrap();
        let bytes = |i: usize, n: usize| (0..n).map(|b| (b * 7 + i) as u8).collect::<Vec<u8>>();
        let size = |d: DType| 3 * d.row_bytes(2 * d.block_elems()).unwrap();
        writer.tensor("odd", DType::I8, &[3], vec![1, 2, 3]).unwrap();
        for (i, d) in stored.iter().enumerate() {
            writer.tensor(d.name(), *d, &[3, 2 * d.block_elems()], bytes(i, size(*d))).unwrap();
        }
        let gguf = read(&writer);
        assert_eq!(gguf.tensor_count(), stored.len() + 1);
        for (i, d) in stored.iter().enumerate() {
            let info = gguf.info(d.name()).unwrap();
            assert_eq!((info.tensor_type().dtype(), info.bytes()), (Some(*d), size(*d) as u64));
            assert_eq!(info.shape(), [3, 2 * d.block_elems()]);
            let tensor = gguf.tensor(d.name()).unwrap();
            assert_eq!((tensor.dtype(), tensor.shape()), (*d, info.shape()));
            assert_eq!(tensor.storage().host(), Some(&bytes(i, size(*d))[..]), "{d} at an alignment of {alignment}");
        }
    }
}

#[test]
fn shapes_of_every_rank() {
    let mut writer = Writer::new();
    let shapes: [&[usize]; 7] = [&[], &[3], &[2, 3], &[2, 3, 4], &[2, 3, 4, 5], &[0], &[2, 0, 3]];
    for shape in shapes {
        let bytes = vec![1u8; 4 * shape.iter().product::<usize>()];
        writer.tensor(&format!("{shape:?}"), DType::F32, shape, bytes).unwrap();
    }
    let gguf = read(&writer);
    for shape in shapes {
        assert_eq!(gguf.tensor(&format!("{shape:?}")).unwrap().shape(), shape);
    }
}

#[test]
fn the_bytes_of_a_file_are_these() {
    let mut writer = Writer::new();
    writer.set("k", 7u8).unwrap().tensor("t", DType::F16, &[1, 2], vec![1, 2, 3, 4]).unwrap();
    let raw = common::Raw::file(1, 1).entry("k", 0, &[7]).info("t", &[2, 1], 1, 0);
    let expected = raw.pad(32).bytes(&[1, 2, 3, 4]).pad(32).0;
    assert_eq!(writer.to_bytes().unwrap(), expected);
    assert_eq!(writer.to_bytes().unwrap(), expected, "writing twice gives the same");
    let nothing = Writer::new().to_bytes().unwrap();
    assert_eq!(nothing, common::Raw::file(0, 0).0);
}

#[test]
fn the_longest_names() {
    let (key, name) = ("k".repeat(65535), "n".repeat(64));
    let mut writer = Writer::new();
    writer.set(&key, 1u32).unwrap().tensor(&name, DType::F32, &[], vec![0; 4]).unwrap();
    let gguf = read(&writer);
    assert!(gguf.metadata().u32(&key).is_ok() && gguf.tensor(&name).is_ok());
}

#[test]
fn what_no_reader_would_take_is_refused() {
    let mut w = Writer::new();
    let mut refused = |key: &str| w.set(key, 1u32).map(|_| ()).unwrap_err().to_string();
    assert_eq!(refused(""), "metadata key ``: expected a key of 1 to 65535 bytes, none of them zero");
    assert!(refused(&"k".repeat(65536)).ends_with("none of them zero"));
    assert!(refused("a\0").ends_with("none of them zero"));
    w.set("k", 1u32).unwrap();
    assert_eq!(w.set("k", 2u32).unwrap_err().to_string(), "metadata key `k`: expected every key once");
    for bad in [0u32, 24, 1 << 21] {
        assert!(w.set("general.alignment", bad).is_err());
    }
    assert!(w.set("general.alignment", 32u64).is_err());
    assert!(w.set("general.alignment", 1.0f32).is_err());
    let before = w.to_bytes().unwrap();
    let zeros = |n: usize| vec![0u8; n];
    let mut refused = |name: &str, dtype, shape: &[usize], n| {
        w.tensor(name, dtype, shape, zeros(n)).map(|_| ()).unwrap_err().to_string()
    };
    let name = "expected a name of 1 to 64 bytes, none of them zero";
    assert!(refused("", DType::F32, &[1], 4).ends_with(name));
    assert!(refused(&"n".repeat(65), DType::F32, &[1], 4).ends_with(name));
    assert!(refused("a\0", DType::F32, &[1], 4).ends_with(name));
    assert!(refused("t", DType::Q8K, &[256], 292).ends_with("expected a type that files hold, not q8_k"));
    assert!(refused("t", DType::F32, &[1; 5], 4).ends_with("expected at most 4 dimensions, not 5"));
    assert!(refused("t", DType::Q8_0, &[2, 16], 34).ends_with("expected rows of whole q8_0 blocks of 32"));
    assert!(refused("t", DType::F32, &[2, 2], 15).ends_with("expected 16 bytes for f32 [2, 2], not 15"));
    assert!(refused("t", DType::F32, &[usize::MAX, 2], 0).ends_with("fewer than 2^63 elements and bytes"));
    assert_eq!(w.to_bytes().unwrap(), before, "what was refused left nothing behind");
    w.tensor("t", DType::F32, &[1], zeros(4)).unwrap();
    let twice = w.tensor("t", DType::F32, &[1], zeros(4)).unwrap_err().to_string();
    assert_eq!(twice, "tensor `t`: expected every name once");
}
