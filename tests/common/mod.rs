//! Small models, and the `vt` binary that runs them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use half::f16;
use tempfile::TempDir;
use vt_core::DType;
use vt_gguf::Writer;

pub const DIM: usize = 64;
pub const VOCAB: usize = 300;
pub const EOS: u32 = 260;
pub const START: u32 = 261;
const FF: usize = 96;
const LAYERS: usize = 2;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD_DIM: usize = DIM / HEADS;

/// A folder of models of two layers. All have the same numbers.
pub struct Models(TempDir);

impl Models {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("whole.gguf"), |w| {
            architecture(w, "llama");
            vocabulary(w);
            tensors(w);
        });
        write(&folder.path().join("no-tokenizer.gguf"), |w| {
            architecture(w, "llama");
            tensors(w);
        });
        write(&folder.path().join("no-tensors.gguf"), |w| {
            architecture(w, "llama");
            vocabulary(w);
        });
        write(&folder.path().join("foreign.gguf"), |w| {
            architecture(w, "never-heard-of");
            vocabulary(w);
            tensors(w);
        });
        write(&folder.path().join("odd.gguf"), |w| {
            architecture(w, "llama");
            w.set("llama.rope.scaling.type", "longrope").unwrap();
            // As writers state it that hold every key.
            w.set("llama.attention.layer_norm_epsilon", 0f32).unwrap();
            tensors(w);
            for name in ["blk.1.attn_q_norm.weight", "blk.1.attn_rot_embd", "blk.2.attn_q.weight", "extra"] {
                w.tensor(name, DType::F32, &[1], vec![0; 4]).unwrap();
            }
        });
        Self(folder)
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `vt` with arguments; those that end in `.gguf` or `.npy`, or start with `@`, are files in the folder.
    pub fn vt(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vt"));
        for argument in arguments {
            match argument.strip_prefix('@') {
                Some(name) => command.arg(self.path(name)),
                None if argument.ends_with(".gguf") || argument.ends_with(".npy") => command.arg(self.path(argument)),
                None => command.arg(argument),
            };
        }
        for variable in ["VT_THREADS", "VT_CPU_TIER", "VT_FUSE", "VT_GGUF_KEEP_QUANT", "VT_CPU_REF"] {
            command.env_remove(variable);
        }
        command.env("VT_MODELS", self.path("pulled")).stdin(Stdio::null());
        command
    }

    /// What a command that must succeed writes to standard output.
    pub fn stdout(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.vt(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        output.stdout
    }

    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_slice(&self.stdout(arguments)).unwrap()
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub fn write(path: &Path, fill: impl Fn(&mut Writer<'_>)) {
    let mut writer = Writer::new();
    fill(&mut writer);
    writer.write_to(File::create(path).unwrap()).unwrap();
}

pub fn architecture(w: &mut Writer<'_>, name: &str) {
    let mut set = |key: &str, value: usize| {
        w.set(&format!("{name}.{key}"), u32::try_from(value).unwrap()).unwrap();
    };
    set("block_count", LAYERS);
    set("context_length", 128);
    set("embedding_length", DIM);
    set("feed_forward_length", FF);
    set("attention.head_count", HEADS);
    set("attention.head_count_kv", KV_HEADS);
    w.set(&format!("{name}.attention.layer_norm_rms_epsilon"), 1e-5f32).unwrap();
    w.set("general.architecture", name).unwrap();
}

/// Byte b is token b; then four merges, an end, a start, and tokens without a meaning.
pub fn vocabulary(w: &mut Writer<'_>) {
    let merges = ["h e", "l l", "he ll", "hell o"];
    let mut tokens: Vec<String> = byte_alphabet();
    tokens.extend(merges.iter().map(|merge| merge.replace(' ', "")));
    tokens.extend(["<|endoftext|>".to_owned(), "<|im_start|>".to_owned()]);
    let mut types = vec![1i32; 260];
    types.extend([3, 3]);
    while tokens.len() < VOCAB {
        tokens.push(format!("[PAD{}]", tokens.len()));
        types.push(5);
    }
    w.set("tokenizer.ggml.model", "gpt2").unwrap();
    w.set("tokenizer.ggml.pre", "gpt-2").unwrap();
    w.set("tokenizer.ggml.tokens", tokens.as_slice()).unwrap();
    w.set("tokenizer.ggml.token_type", types.as_slice()).unwrap();
    w.set("tokenizer.ggml.merges", merges).unwrap();
    w.set("tokenizer.ggml.eos_token_id", EOS).unwrap();
}

/// GPT-2's `bytes_to_unicode`: printable bytes are themselves, the others count up from 256.
fn byte_alphabet() -> Vec<String> {
    let mut next = 256;
    let mut letter = |byte: u32| {
        if matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) {
            return byte;
        }
        next += 1;
        next - 1
    };
    (0..256).map(|byte| char::from_u32(letter(byte)).unwrap().to_string()).collect()
}

pub fn tensors(w: &mut Writer<'_>) {
    let mut random = Random(1);
    let mut matrix = |w: &mut Writer<'_>, name: &str, dtype: DType, rows: usize, cols: usize| {
        let bytes = random.blocks(dtype, rows * cols);
        w.tensor(name, dtype, &[rows, cols], bytes).unwrap();
    };
    let ones = |w: &mut Writer<'_>, name: &str| {
        let bytes: Vec<u8> = (0..DIM).flat_map(|_| 1f32.to_le_bytes()).collect();
        w.tensor(name, DType::F32, &[DIM], bytes).unwrap();
    };
    matrix(w, "token_embd.weight", DType::Q8_0, VOCAB, DIM);
    ones(w, "output_norm.weight");
    for layer in 0..LAYERS {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        ones(w, &name("attn_norm"));
        matrix(w, &name("attn_q"), DType::Q4_0, DIM, DIM);
        matrix(w, &name("attn_k"), DType::Q4_0, KV_HEADS * HEAD_DIM, DIM);
        matrix(w, &name("attn_v"), DType::Q4_1, KV_HEADS * HEAD_DIM, DIM);
        matrix(w, &name("attn_output"), DType::Q8_0, DIM, DIM);
        ones(w, &name("ffn_norm"));
        matrix(w, &name("ffn_gate"), DType::Q4_1, FF, DIM);
        matrix(w, &name("ffn_up"), DType::Q4_1, FF, DIM);
        matrix(w, &name("ffn_down"), DType::F16, DIM, FF);
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Random elements with a deviation of about 0.3.
    fn blocks(&mut self, dtype: DType, elements: usize) -> Vec<u8> {
        let (scales, quants): (&[f32], usize) = match dtype {
            DType::Q8_0 => (&[0.3 / 74.0], 32),
            DType::Q4_0 => (&[0.3 / 4.6], 16),
            DType::Q4_1 => (&[0.3 / 4.6, -0.3 * 1.6], 16),
            DType::F16 => return (0..elements).flat_map(|_| f16::from_f32(self.near_zero()).to_le_bytes()).collect(),
            _ => panic!("no random {dtype}"),
        };
        let mut bytes = Vec::new();
        for _ in 0..elements / 32 {
            scales.iter().for_each(|scale| bytes.extend(f16::from_f32(*scale).to_le_bytes()));
            bytes.extend((0..quants).map(|_| self.next() as u8));
        }
        bytes
    }

    fn near_zero(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32 - 0.5
    }
}
