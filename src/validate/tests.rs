use std::path::Path;

use vt_core::DType;
use vt_gguf::{TensorType, Value, Writer};
use vt_models::load::Target;

use super::Severity::{self, Error, Warning};
use super::numbers::{Bad, Encoding};
use super::{Report, file, scales};

fn target() -> Target {
    let registry = crate::default_registry(vt_cpu::Config { threads: Some(1), tier: None }).unwrap();
    Target { registry, device: vt_cpu::CPU.to_owned() }
}

fn validated(path: &Path) -> Report {
    file(path, &target(), |_, _| {})
}

/// The findings of a file, which are `expected` in this order: the severity, and a part of the line.
fn found(what: &str, fill: impl Fn(&mut Writer<'_>), expected: &[(Severity, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.gguf");
    let mut writer = Writer::new();
    fill(&mut writer);
    std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
    let report = validated(&path);
    let lines: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), expected.len(), "{what}: {lines:#?}");
    for (finding, (severity, part)) in report.findings.iter().zip(expected) {
        assert!(finding.severity == *severity && finding.what.contains(part), "{what}: {finding}, expected {part}");
        assert!(!finding.what.contains(char::is_control));
    }
    assert_eq!(report.is_ok(), expected.iter().all(|(severity, _)| *severity == Warning), "{what}");
}

fn architecture(w: &mut Writer<'_>, name: &str) {
    w.set("general.architecture", name).unwrap();
}

/// A vocabulary without faults: `a`, `b`, `ab`, `<s>`.
fn vocabulary(w: &mut Writer<'_>) {
    architecture(w, "llama");
    w.set("tokenizer.ggml.model", "gpt2").unwrap().set("tokenizer.ggml.pre", "gpt-2").unwrap();
    w.set("tokenizer.ggml.tokens", ["a", "b", "ab", "<s>"]).unwrap();
}

fn whole_vocabulary(w: &mut Writer<'_>) {
    vocabulary(w);
    w.set("tokenizer.ggml.merges", ["a b"]).unwrap();
    w.set("tokenizer.ggml.token_type", [1i32, 1, 1, 3]).unwrap();
    w.set("tokenizer.ggml.bos_token_id", 3u32).unwrap();
}

#[test]
fn a_vocabulary_alone_may_be_faultless() {
    found("whole", whole_vocabulary, &[]);
    let integers = |w: &mut Writer<'_>| {
        whole_vocabulary(w);
        w.set("tokenizer.ggml.scores", [0i32, -1, -2, 0]).unwrap();
    };
    found("scores as the reader takes them, too", integers, &[]);
    let text = |w: &mut Writer<'_>| {
        whole_vocabulary(w);
        w.set("tokenizer.ggml.scores", ["0", "1", "2", "3"]).unwrap();
    };
    found("scores as text", text, &[(Error, "scores` at byte")]);
}

#[test]
fn every_fault_of_a_vocabulary_is_told() {
    found(
        "many at once",
        |w| {
            vocabulary(w);
            w.set("tokenizer.ggml.merges", ["a b", "ab", "b a"]).unwrap();
            w.set("tokenizer.ggml.token_type", [1i32, 6, 77]).unwrap();
            w.set("tokenizer.ggml.scores", [0f32, f32::NAN, 0.0, 0.0]).unwrap();
            w.set("tokenizer.ggml.eos_token_id", 4u32).unwrap();
            w.set("tokenizer.ggml.padding_token_id", -1i32).unwrap();
            w.set("tokenizer.ggml.precompiled_charsmap", [9u8, 0, 0, 0, 1]).unwrap();
        },
        &[
            (Warning, "scores`: 1 are NaN"),
            (Error, "token_type` at byte"),
            (Error, "but 1 are not: merge 1 is `ab`"),
            (Warning, "1 of 3 make no token"),
            (Error, "eos_token_id` at byte"),
            (Error, "padding_token_id` at byte"),
            (Error, "precompiled_charsmap` at byte"),
        ],
    );
    let bytes = |w: &mut Writer<'_>| {
        vocabulary(w);
        w.set("tokenizer.ggml.merges", ["a b"]).unwrap();
        w.set("tokenizer.ggml.token_type", [1i32, 6, 77, 3]).unwrap();
    };
    found("types", bytes, &[(Warning, "1 are no type"), (Error, "token 1 is a byte, expected <0xHH>, found `b`")]);
    let no_start = |w: &mut Writer<'_>| {
        vocabulary(w);
        w.set("tokenizer.ggml.merges", ["a b"]).unwrap().set("tokenizer.ggml.add_bos_token", true).unwrap();
    };
    found("no start", no_start, &[(Error, "no bos token id")]);
}

#[test]
fn what_is_strange_in_a_vocabulary_is_a_warning() {
    found(
        "tokens",
        |w| {
            architecture(w, "some-other");
            w.set("tokenizer.ggml.model", "gpt2").unwrap();
            let tokens: [&[u8]; 6] = [b"a", b"", b"a", b"\xff", b"a", b"\x1b[2J"];
            w.set("tokenizer.ggml.tokens", tokens).unwrap().set("tokenizer.ggml.merges", [""; 0]).unwrap();
        },
        &[
            (Warning, "1 of 6 tokens are empty"),
            (Warning, "1 of 6 tokens are not UTF-8"),
            (Warning, "2 of 6 tokens repeat an earlier one, such as `a`"),
            (Warning, "names no pre-tokenizer"),
        ],
    );
    for (key, value) in [("model", "rwkv"), ("pre", "never-heard-of")] {
        let strange = |w: &mut Writer<'_>| {
            architecture(w, "llama");
            for (other, usual) in [("model", "gpt2"), ("pre", "gpt-2")] {
                let value = if other == key { value } else { usual };
                w.set(&format!("tokenizer.ggml.{other}"), value).unwrap();
            }
            w.set("tokenizer.ggml.tokens", ["a"]).unwrap().set("tokenizer.ggml.merges", [""; 0]).unwrap();
        };
        found(key, strange, &[(Warning, value)]);
    }
}

#[test]
fn every_implausible_key_is_told_whatever_the_architecture() {
    found(
        "keys",
        |w| {
            architecture(w, "never-heard-of");
            let mut set = |key: &str, value: u32| {
                w.set(&format!("never-heard-of.{key}"), value).unwrap();
            };
            set("block_count", 0);
            set("context_length", u32::MAX);
            set("expert_count", 8);
            set("expert_used_count", 9);
            set("attention.key_length", 1 << 20);
            w.set("never-heard-of.embedding_length", "many").unwrap();
            w.set("never-heard-of.attention.layer_norm_rms_epsilon", 0f32).unwrap();
            w.set("never-heard-of.rope.freq_base", f32::INFINITY).unwrap();
            w.set("never-heard-of.attention.head_count", [1u32, 2, 3]).unwrap();
        },
        &[
            (Error, "block_count` at byte"),
            (Error, "context_length` at byte"),
            (Error, "embedding_length` at byte"),
            (Error, "attention.head_count` at byte"),
            (Error, "attention.key_length` at byte"),
            (Error, "layer_norm_rms_epsilon` at byte"),
            (Error, "rope.freq_base` at byte"),
            (Error, "expert_used_count` at byte"),
        ],
    );
    let heads = |w: &mut Writer<'_>| {
        architecture(w, "llama");
        w.set("llama.attention.head_count", 3u32).unwrap().set("llama.attention.head_count_kv", 2u32).unwrap();
    };
    found("heads", heads, &[(Error, "expected a divisor of 3 heads, found u32 2")]);
    found("no name, no tensors", |_| {}, &[]);
    let tensor = |w: &mut Writer<'_>| {
        w.tensor("x", DType::F32, &[1], vec![0; 4]).unwrap();
    };
    let missing = (Error, "`general.architecture` is missing");
    found("no name", tensor, &[missing, (Warning, "no tokenizer")]);
    let matrix = |w: &mut Writer<'_>| {
        w.set("general.type", "imatrix").unwrap().tensor("x", DType::F32, &[1], vec![0; 4]).unwrap();
    };
    found("no model", matrix, &[]);
}

#[test]
fn what_only_the_specification_asks_is_a_warning() {
    found(
        "container",
        |w| {
            w.set("general.type", "adapter").unwrap().set("general.architecture", "llama").unwrap();
            w.set("general.alignment", 4u32).unwrap().set("General.Name\u{1b}", 1u32).unwrap();
            w.set("general.name", Value::String(b"\xff")).unwrap();
            w.tensor(&"n".repeat(64), DType::F32, &[0], vec![]).unwrap();
        },
        &[
            (Warning, "4 is no multiple of 8"),
            (Warning, "`General.Name\u{fffd}`: expected lower-case"),
            (Warning, "`general.name`: expected a string of UTF-8"),
            (Warning, "at most 63 bytes"),
            (Warning, "no elements"),
        ],
    );
}

#[test]
fn many_findings_of_a_kind_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.gguf");
    let mut writer = Writer::new();
    writer.set("general.type", "adapter").unwrap().set("general.architecture", "llama").unwrap();
    (0..1000).for_each(|i| {
        writer.tensor(&format!("t{i}"), DType::F32, &[0], vec![]).unwrap();
    });
    std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
    let report = validated(&path);
    assert_eq!(report.findings.len(), 21);
    assert_eq!(report.findings[20].what, "980 more tensors have no elements");
}

/// Where in a block a binary16 NaN makes gguf-py's decoder give NaN, for all types that it decodes.
const NAN_PLACES: [(&str, &[usize]); 20] = [
    ("q4_0", &[0]),
    ("q4_1", &[0, 2]),
    ("q5_0", &[0]),
    ("q5_1", &[0, 2]),
    ("q8_0", &[0]),
    ("q2_k", &[80, 82]),
    ("q3_k", &[108]),
    ("q4_k", &[0, 2]),
    ("q5_k", &[0, 2]),
    ("q6_k", &[208]),
    ("iq2_xxs", &[0]),
    ("iq2_xs", &[0]),
    ("iq3_xxs", &[0]),
    ("iq1_s", &[0]),
    ("iq4_nl", &[0]),
    ("iq3_s", &[0]),
    ("iq2_s", &[0]),
    ("iq4_xs", &[0]),
    ("tq1_0", &[52]),
    ("tq2_0", &[64]),
];

fn scan(tensor_type: TensorType, bytes: &[u8]) -> Bad {
    let mut bad = Bad::default();
    for (encoding, at) in scales::of(tensor_type) {
        bad.add(encoding.find(bytes, tensor_type.block_bytes() as usize, *at), 0);
    }
    bad
}

#[test]
fn scales_are_where_a_decoder_reads_them() {
    for (name, places) in NAN_PLACES {
        let tensor_type = (0..64).filter_map(TensorType::from_gguf_id).find(|t| t.name() == name).unwrap();
        let size = tensor_type.block_bytes() as usize;
        for at in (0..size - 1).step_by(2) {
            let mut bytes = vec![0; 3 * size];
            bytes[size + at + 1] = 0x7e;
            let first = (size + at) as u64;
            let expected = if places.contains(&at) { Bad { count: 1, first: Some(first) } } else { Bad::default() };
            assert_eq!(scan(tensor_type, &bytes), expected, "{name} {at}");
        }
    }
}

#[test]
fn numbers_are_finite_or_not_in_every_encoding() {
    let count = |encoding: Encoding, bytes: &[u8]| encoding.find(bytes, encoding.bytes(), 0).count;
    for bits in 0..=u16::MAX {
        let (half, brain) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
        assert_eq!(count(Encoding::F16, &bits.to_le_bytes()), u64::from(!half.is_finite()), "{bits:#x}");
        assert_eq!(count(Encoding::Bf16, &bits.to_le_bytes()), u64::from(!brain.is_finite()), "{bits:#x}");
        let parts = (0..4).flat_map(|i| (((bits >> (4 * i)) << 12) | 0xfff).to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(count(Encoding::Scattered, &parts), u64::from(!half.is_finite()), "{bits:#x}");
    }
    let singles = [0.0, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN];
    let bytes: Vec<u8> = singles.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(Encoding::F32.find(&bytes, 4, 0), Bad { count: 4, first: Some(12) });
    let bytes: Vec<u8> = singles.iter().flat_map(|x| f64::from(*x).to_le_bytes()).collect();
    assert_eq!(Encoding::F64.find(&bytes, 8, 0), Bad { count: 4, first: Some(24) });
    assert_eq!(Encoding::E8m0.find(&[0, 0xfe, 0xff], 1, 0), Bad { count: 1, first: Some(2) });
    assert_eq!(Encoding::E4m3.find(&[0x7e, 0x7f, 0xff, 0xfe, 0], 1, 0), Bad { count: 2, first: Some(1) });
}

#[test]
fn weights_are_read_to_the_last_piece() {
    let elements = 600_000;
    let mut weights = vec![1f32; elements];
    weights[0] = f32::NAN;
    weights[elements - 1] = f32::INFINITY;
    let bytes: Vec<u8> = weights.iter().flat_map(|x| x.to_le_bytes()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.gguf");
    let mut writer = Writer::new();
    writer.set("general.type", "adapter").unwrap().set("general.architecture", "llama").unwrap();
    writer.tensor("a", DType::F32, &[elements], bytes).unwrap();
    writer.tensor("b", DType::I8, &[7], vec![0xff; 7]).unwrap();
    std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
    let mut steps = Vec::new();
    let report = file(&path, &target(), |done, total| steps.push((done, total)));
    let offset = vt_gguf::Gguf::open(&path).unwrap().info("a").unwrap().offset();
    let expected =
        format!("warning: tensor `a`: 2 of {elements} weights are NaN or infinite, the first at byte {offset}");
    assert_eq!(report.findings.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    let total = elements as u64 * 4 + 7;
    assert!(steps.is_sorted() && steps.iter().all(|(_, all)| *all == total));
    assert_eq!(steps.last(), Some(&(total, total)));
}

#[test]
fn a_file_that_is_cut_while_it_is_read_is_named_only_if_it_is_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |number: usize| folder.path().join(format!("set-0000{number}-of-00002.gguf"));
    let tensors = ["a", "b"];
    for number in 1..=2u16 {
        let mut writer = Writer::new();
        writer.set("split.no", number - 1).unwrap().set("split.count", 2u16).unwrap();
        if number == 1 {
            architecture(&mut writer, "unknown");
            writer.set("split.tensors.count", 4i32).unwrap();
        }
        for name in tensors {
            writer.tensor(&format!("{name}{number}"), DType::F32, &[4096], vec![0; 4 * 4096]).unwrap();
        }
        std::fs::write(path(usize::from(number)), writer.to_bytes().unwrap()).unwrap();
    }
    // After the first tensor of a file: its header is in the map, its second tensor is not there any more.
    let mut read = 0;
    let report = file(&path(1), &target(), |_, _| {
        read += 1;
        let cut = std::fs::OpenOptions::new().write(true).open(path(read)).unwrap();
        cut.set_len(8192).unwrap();
    });
    let what = "the weights cannot be read: the file became shorter while it was read";
    let errors: Vec<&str> = report.of(Error).map(|finding| finding.what.as_str()).collect();
    assert_eq!(errors, [what, &format!("{}: {what}", path(2).display())]);
}
