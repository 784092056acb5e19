//! The rules of tensor infos and data (section 2 of the format's rules).

mod common;

use std::io::Write;

use common::{F32, Raw, refusals};
use vt_core::DType;
use vt_gguf::{Fault, Gguf};

const Q8_0: u32 = 8;
const Q4_K: u32 = 12;

/// A file of one tensor with that many bytes of data.
fn one(ne: &[u64], tensor_type: u32, data: usize) -> Raw {
    Raw::file(1, 0).info("t", ne, tensor_type, 0).data(data)
}

fn pair(first: u64, second: u64, data: usize) -> Raw {
    Raw::file(2, 0).info("a", &[8], F32, first).info("b", &[8], F32, second).data(data)
}

#[test]
fn rule_14_names() {
    let named = |name: &str| Raw::file(1, 0).info(name, &[1], F32, 0).data(4);
    let longest = "n".repeat(64);
    assert_eq!(named(&longest).open().unwrap().tensor(&longest).unwrap().shape(), [1]);
    let long = "n".repeat(65);
    assert!(named(&long).refusal().ends_with("at byte 24: expected a name of at most 64 bytes, found 65 bytes"));
    let twice = Raw::file(2, 0).info("a", &[1], F32, 0).info("a", &[1], F32, 32).data(36);
    let invalid = Raw::file(1, 0).string(b"\xff").u32(0).u32(F32).u64(0).data(4);
    refusals([
        ("empty", named(""), "tensor `` at byte 24: expected a tensor's name, found an empty one"),
        ("twice", twice, "tensor `a` at byte 57: expected every name once, found the name a second time"),
        (
            "zero byte",
            named("a\0"),
            "tensor `a\u{fffd}` at byte 24: expected a name without zero bytes, found one with",
        ),
        ("not UTF-8", invalid, "tensor `\u{fffd}` at byte 24: expected a name of UTF-8, found other bytes"),
    ]);
}

#[test]
fn rule_15_dimensions() {
    for (ne, shape) in
        [(&[][..], &[][..]), (&[6], &[6]), (&[3, 2], &[2, 3]), (&[4, 3, 2], &[2, 3, 4]), (&[5, 4, 3, 2], &[2, 3, 4, 5])]
    {
        let bytes = 4 * ne.iter().product::<u64>() as usize;
        let file = one(ne, F32, bytes).open().unwrap();
        assert_eq!(file.info("t").unwrap().shape(), shape);
        assert_eq!(file.tensor("t").unwrap().shape(), shape);
    }
    refusals([("five", one(&[1; 5], F32, 4), "tensor `t` at byte 33: expected at most 4 dimensions, found 5")]);
    let huge = Raw::file(1, 0).string(b"t").u32(u32::MAX).data(64);
    assert!(huge.refusal().ends_with("expected at most 4 dimensions, found 4294967295"));
}

#[test]
fn rule_16_dimensions_may_be_zero_but_not_negative() {
    for ne in [&[0][..], &[0, 3], &[3, 0], &[2, 0, 3], &[0, 0, 0, 0]] {
        let file = one(ne, F32, 0).open().unwrap();
        let tensor = file.tensor("t").unwrap();
        assert_eq!((tensor.as_slice::<f32>().unwrap().len(), tensor.shape().len()), (0, ne.len()));
    }
    let negative = "tensor `t` at byte 37: expected a dimension of at most 2^63 - 1, found 18446744073709551615";
    refusals([("-1", one(&[u64::MAX], F32, 0), negative)]);
}

#[test]
fn rule_17_no_order_of_dimensions_overflows() {
    let big = 1 << 32;
    for ne in [
        &[big, big][..],
        &[big, big, 0],
        &[0, big, big],
        &[big, 0, big],
        &[big, 0, 0, big],
        &[i64::MAX as u64, 2],
        &[1 << 61, 1],
        &[i64::MAX as u64, i64::MAX as u64, i64::MAX as u64, 0],
    ] {
        let message = one(ne, F32, 64).refusal();
        let expected = format!("expected fewer than 2^63 elements and bytes, found dimensions {ne:?}");
        assert!(message.ends_with(&expected), "{message}");
    }
}

#[test]
fn rule_18_types() {
    for id in [4, 5, 31, 32, 33, 36, 37, 38, 43, 1000, u32::MAX] {
        let expected = format!(
            "(memory): tensor `t` at byte 45: expected a tensor type of the format \
             (it may be removed, or newer than this program), found type {id}"
        );
        assert_eq!(one(&[256], id, 4096).refusal(), expected);
    }
}

#[test]
fn rule_18_types_that_vt_lacks_are_listed_and_refused_on_use() {
    // Bytes in 256 elements, from ggml's type traits.
    for (id, name, bytes) in [
        (9, "q8_1", 288),
        (15, "q8_k", 292),
        (16, "iq2_xxs", 66),
        (17, "iq2_xs", 74),
        (18, "iq3_xxs", 98),
        (19, "iq1_s", 50),
        (20, "iq4_nl", 144),
        (21, "iq3_s", 110),
        (22, "iq2_s", 82),
        (23, "iq4_xs", 136),
        (29, "iq1_m", 56),
        (34, "tq1_0", 54),
        (35, "tq2_0", 66),
        (40, "nvfp4", 144),
        (41, "q1_0", 36),
        (42, "q2_0", 72),
    ] {
        assert!(one(&[256], id, bytes - 1).open().is_err(), "{name}");
        let file = one(&[256], id, bytes).open().unwrap();
        let info = file.info("t").unwrap();
        assert_eq!((info.tensor_type().name(), info.bytes(), info.shape()), (name, bytes as u64, &[256][..]));
        let error = file.tensor("t").unwrap_err();
        assert!(matches!(*error.fault, Fault::UnsupportedType { offset: 64, .. }));
        assert_eq!(error.to_string(), format!("(memory): tensor `t` at byte 64: {name} tensors are not supported"));
    }
}

#[test]
fn rule_19_every_row_is_whole_blocks() {
    assert!(one(&[32, 31], Q8_0, 34 * 31).open().is_ok());
    refusals([
        (
            "31 x 32",
            one(&[31, 32], Q8_0, 34 * 31),
            "tensor `t` at byte 53: expected rows of whole q8_0 blocks of 32, found rows of 31 elements",
        ),
        (
            "128 x 2",
            one(&[128, 2], Q4_K, 144),
            "tensor `t` at byte 53: expected rows of whole q4_k blocks of 256, found rows of 128 elements",
        ),
        (
            "scalar",
            one(&[], Q8_0, 34),
            "tensor `t` at byte 37: expected rows of whole q8_0 blocks of 32, found rows of 1 elements",
        ),
        (
            "foreign",
            one(&[100], 23, 136),
            "tensor `t` at byte 45: expected rows of whole iq4_xs blocks of 256, found rows of 100 elements",
        ),
    ]);
}

#[test]
fn rule_21_offsets_are_aligned_and_tensors_do_not_overlap() {
    for (what, file) in [
        ("in order", pair(0, 32, 64)),
        ("a gap", pair(0, 128, 160)),
        ("a gap before", pair(64, 128, 160)),
        ("the other order", pair(32, 0, 64)),
    ] {
        assert!(file.open().is_ok(), "{what}");
    }
    let empty_inside = Raw::file(2, 0).info("a", &[16], F32, 0).info("b", &[0], F32, 32).data(64);
    assert!(empty_inside.open().is_ok(), "a tensor without bytes shares none");
    let long = |name: &str, start| Raw::file(2, 0).info(name, &[16], F32, start);
    refusals([
        ("unaligned", pair(0, 36, 96), "tensor `b` at byte 82: expected an offset that is a multiple of 32, found 36"),
        (
            "the same bytes",
            pair(32, 32, 96),
            "tensor `b` at byte 128: expected it after the end of tensor `a` at byte 160, found it inside",
        ),
        (
            "the end of one",
            long("a", 0).info("b", &[16], F32, 32).data(96),
            "tensor `b` at byte 128: expected it after the end of tensor `a` at byte 160, found it inside",
        ),
        (
            "the end of a later one",
            long("a", 32).info("b", &[16], F32, 0).data(96),
            "tensor `a` at byte 128: expected it after the end of tensor `b` at byte 160, found it inside",
        ),
    ]);
}

#[test]
fn rules_20_and_22_all_bytes_are_in_the_file() {
    assert!(pair(0, 32, 64).open().is_ok(), "the last tensor needs no padding");
    assert!(one(&[0], F32, 0).open().is_ok());
    let at = |offset| Raw::file(1, 0).info("t", &[8], F32, offset).data(64);
    assert!(at(32).open().is_ok());
    for offset in [64, 96, 1 << 40, u64::MAX - 31] {
        let expected = format!(
            "(memory): tensor `t` at byte 49: expected its bytes in the 64 bytes of data: \
             the file is cut short or damaged, found 32 bytes at offset {offset}"
        );
        assert_eq!(at(offset).refusal(), expected);
    }
    let cut = Raw::file(1, 0).info("t", &[8], F32, 0);
    assert!(
        cut.refusal().ends_with("in the 0 bytes of data: the file is cut short or damaged, found 32 bytes at offset 0")
    );
    assert!(one(&[1 << 40], F32, 64).refusal().ends_with("found 4398046511104 bytes at offset 0"));
}

#[test]
fn rule_23_a_file_that_shrinks_is_noticed() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&pair(0, 32, 64).0).unwrap();
    let gguf = Gguf::open(file.path()).unwrap();
    assert!(gguf.tensor("a").is_ok());
    let len = file.as_file().metadata().unwrap().len();
    file.as_file().set_len(len - 1).unwrap();
    let error = gguf.tensor("a").unwrap_err();
    assert!(matches!(*error.fault, Fault::Shrunk { expected, found } if expected == len && found == len - 1));
    file.as_file().set_len(len + 1).unwrap();
    assert!(gguf.tensor("a").is_ok());
}

#[test]
fn tensors_borrow_the_map_and_outlive_the_reader() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&pair(0, 32, 64).0).unwrap();
    let gguf = Gguf::open(file.path()).unwrap();
    let (tensor, again) = (gguf.tensor("b").unwrap(), gguf.tensor("b").unwrap());
    assert!(tensor.storage().same(again.storage()), "both are the map's bytes");
    drop(gguf);
    let expected: Vec<u8> = (32..64).collect();
    assert_eq!(tensor.storage().host(), Some(&expected[..]));
}

#[test]
fn a_missing_tensor_is_named() {
    let file = pair(0, 32, 64).open().unwrap();
    assert!(file.info("c").is_none());
    assert_eq!(file.tensor("c").unwrap_err().to_string(), "(memory): tensor `c` is missing");
    assert_eq!(file.tensors().map(|t| t.name().to_owned()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(file.info("b").unwrap().tensor_type().dtype(), Some(DType::F32));
}
