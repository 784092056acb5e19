//! Damaged files give an error or are read; nothing else happens.

mod common;

use common::{Random, open};
use vt_core::DType;
use vt_gguf::{Encode, Gguf, Value, Writer};

/// A small file with some of everything.
fn small() -> Vec<u8> {
    let mut w = Writer::new();
    w.set("general.architecture", "llama").unwrap().set("general.alignment", 16u32).unwrap();
    w.set("tokens", ["<s>", "a", "", "\u{2581}the"]).unwrap().set("scores", [0.5f32, -1.0]).unwrap();
    w.set("types", [1i32, 3, 6]).unwrap().set("flag", true).unwrap().set("eps", 1e-5f64).unwrap();
    w.tensor("a", DType::F32, &[2, 3], vec![1; 24]).unwrap();
    w.tensor("empty", DType::F16, &[0, 4], vec![]).unwrap();
    w.tensor("b", DType::Q8_0, &[2, 32], vec![2; 68]).unwrap();
    w.to_bytes().unwrap()
}

/// Looks at everything that an accepted file offers, and checks what must hold of it.
fn look_at_all(gguf: &Gguf, len: usize) {
    let metadata = gguf.metadata();
    assert_eq!(metadata.iter().count(), metadata.len());
    for (key, value) in metadata.iter() {
        assert!(metadata.get(key).is_some());
        if let Value::Array(array) = value {
            assert_eq!(array.iter().count(), array.len());
        }
        let mut copy = Vec::new();
        value.encode(&mut copy);
        assert!(copy.len() <= len && value.to_string().len() <= 400);
    }
    let _ = (metadata.u32("flag"), metadata.str("tokens"), metadata.arch().map(|m| m.per_layer::<u32>("types", 3)));
    assert_eq!(gguf.tensors().count(), gguf.tensor_count());
    for info in gguf.tensors() {
        assert!(info.offset() + info.bytes() <= len as u64 || info.bytes() == 0);
        let tensor = gguf.tensor(info.name());
        assert_eq!(tensor.is_ok(), info.tensor_type().dtype().is_some());
        assert!(tensor.map_or(true, |t| t.storage().len() as u64 == info.bytes() && t.shape() == info.shape()));
    }
}

#[test]
fn every_truncation_of_a_file() {
    let whole = small();
    let padding = 12;
    let data_end = whole.len() - padding;
    for len in 0..=whole.len() {
        let result = open(whole[..len].to_vec());
        assert_eq!(result.is_ok(), len >= data_end, "{len} of {} bytes", whole.len());
        if let Ok(gguf) = result {
            look_at_all(&gguf, len);
        }
    }
}

#[test]
fn random_bytes_in_a_file() {
    let whole = small();
    let mut random = Random(1);
    let mut accepted = 0;
    for _ in 0..60_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = match random.below(4) {
                0 => 0,
                1 => 0xff,
                2 => bytes[at] ^ (1 << random.below(8)),
                _ => random.next() as u8,
            };
        }
        if let Ok(gguf) = open(bytes) {
            accepted += 1;
            look_at_all(&gguf, whole.len());
        }
    }
    assert!((1_000..59_000).contains(&accepted), "{accepted}: both ways must be exercised");
}

#[test]
fn interesting_numbers_everywhere_in_a_file() {
    let whole = small();
    let numbers =
        [0, 1, 2, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, 1 << 60, u64::MAX >> 1, u64::MAX - 31, u64::MAX];
    for at in 0..whole.len() - 8 {
        for number in numbers {
            for width in [4, 8] {
                let mut bytes = whole.clone();
                bytes[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
                if let Ok(gguf) = open(bytes) {
                    look_at_all(&gguf, whole.len());
                }
            }
        }
    }
}

#[test]
fn random_bytes_behind_the_magic_number() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend((0..random.below(200)).map(|_| random.next() as u8 & random.next() as u8 & random.next() as u8));
        if let Ok(gguf) = open(bytes.clone()) {
            look_at_all(&gguf, bytes.len());
        }
    }
}
