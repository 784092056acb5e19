//! Tiny models with random weights, the same bytes on every machine.

use vt::core::DType;
use vt::gguf::{WriteError, Writer};

use super::random::Random;
use super::{blocks, tokenizer};

/// The tokens of every tiny model's vocabulary: an odd number of vectors.
pub const VOCAB: usize = 301;

/// What a tiny model is made of.
#[derive(Clone, Copy, Debug)]
pub struct Tiny {
    pub name: &'static str,
    pub arch: &'static str,
    /// The type of matrices.
    pub weights: DType,
    /// The type of `attn_v` and `ffn_down` in even layers, as in published files of mixed types.
    pub mixed: DType,
    pub embedding: DType,
    /// The head's type; without it the embedding is the head.
    pub head: Option<DType>,
    pub dim: usize,
    pub ff: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
}

const LAYERS: usize = 2;

/// Rows of an odd length: of floats only.
const RAGGED: Tiny = Tiny {
    name: "",
    arch: "llama",
    weights: DType::F32,
    mixed: DType::F32,
    embedding: DType::F32,
    head: None,
    dim: 75,
    ff: 109,
    heads: 6,
    kv_heads: 2,
    head_dim: 18,
};
/// Rows of blocks of 32.
const SMALL: Tiny = Tiny { dim: 96, ff: 160, heads: 4, kv_heads: 2, head_dim: 24, ..RAGGED };
/// Rows of blocks of 256.
const WIDE: Tiny = Tiny { dim: 256, ff: 256, heads: 8, kv_heads: 2, head_dim: 32, ..RAGGED };

impl Tiny {
    const fn of(self, name: &'static str, arch: &'static str, weights: DType) -> Self {
        Self { name, arch, weights, mixed: weights, embedding: weights, ..self }
    }

    const fn headed(self) -> Self {
        Self { head: Some(self.weights), ..self }
    }

    /// A sum of its name: models differ also where their sizes agree.
    fn seed(&self) -> u64 {
        self.name.bytes().fold(17, |seed, byte| seed * 31 + u64::from(byte))
    }

    fn matrix_type(&self, layer: usize, tensor: &str) -> DType {
        let mixed = layer.is_multiple_of(2) && matches!(tensor, "attn_v" | "ffn_down");
        if mixed { self.mixed } else { self.weights }
    }

    /// The GGUF file.
    pub fn file(&self) -> Vec<u8> {
        self.write().and_then(|writer| writer.to_bytes()).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn write(&self) -> Result<Writer<'static>, WriteError> {
        let mut writer = Writer::new();
        self.metadata(&mut writer)?;
        let mut random = Random::new(self.seed());
        let mut matrix = |writer: &mut Writer<'static>, name: &str, dtype, [rows, cols]: [usize; 2]| {
            let bytes = blocks::matrix(&mut random, dtype, rows, cols, 1.0 / (cols as f32).sqrt());
            writer.tensor(name, dtype, &[rows, cols], bytes).map(drop)
        };
        matrix(&mut writer, "token_embd.weight", self.embedding, [VOCAB, self.dim])?;
        if let Some(dtype) = self.head {
            matrix(&mut writer, "output.weight", dtype, [VOCAB, self.dim])?;
        }
        for layer in 0..LAYERS {
            for (tensor, shape) in self.matrices() {
                let name = format!("blk.{layer}.{tensor}.weight");
                matrix(&mut writer, &name, self.matrix_type(layer, tensor), shape)?;
            }
        }
        self.vectors(&mut writer, &mut random)?;
        Ok(writer)
    }

    fn matrices(&self) -> [(&'static str, [usize; 2]); 7] {
        let (q, kv) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        [
            ("attn_q", [q, self.dim]),
            ("attn_k", [kv, self.dim]),
            ("attn_v", [kv, self.dim]),
            ("attn_output", [self.dim, q]),
            ("ffn_gate", [self.ff, self.dim]),
            ("ffn_up", [self.ff, self.dim]),
            ("ffn_down", [self.dim, self.ff]),
        ]
    }

    fn vectors(&self, writer: &mut Writer<'static>, random: &mut Random) -> Result<(), WriteError> {
        let mut vector = |name: &str, len, mean| {
            writer.tensor(name, DType::F32, &[len], blocks::vector(random, len, mean, 0.1)).map(drop)
        };
        vector("output_norm.weight", self.dim, 1.0)?;
        for layer in 0..LAYERS {
            vector(&format!("blk.{layer}.attn_norm.weight"), self.dim, 1.0)?;
            vector(&format!("blk.{layer}.ffn_norm.weight"), self.dim, 1.0)?;
            if self.arch == "qwen2" {
                for (tensor, [rows, _]) in &self.matrices()[..3] {
                    vector(&format!("blk.{layer}.{tensor}.bias"), *rows, 0.0)?;
                }
            }
        }
        Ok(())
    }

    fn metadata(&self, writer: &mut Writer<'_>) -> Result<(), WriteError> {
        writer.set("general.architecture", self.arch)?.set("general.name", self.name)?;
        let sizes = [
            ("block_count", LAYERS),
            ("context_length", 512),
            ("embedding_length", self.dim),
            ("feed_forward_length", self.ff),
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", self.kv_heads),
            ("attention.key_length", self.head_dim),
            ("attention.value_length", self.head_dim),
            ("rope.dimension_count", self.head_dim),
        ];
        for (key, size) in sizes {
            writer.set(&format!("{}.{key}", self.arch), size as u32)?;
        }
        writer.set(&format!("{}.attention.layer_norm_rms_epsilon", self.arch), 1e-6f32)?;
        writer.set(&format!("{}.rope.freq_base", self.arch), 10_000f32)?;
        let pre = if self.arch == "llama" { "llama-bpe" } else { "qwen2" };
        tokenizer::state(writer, pre, VOCAB)
    }
}

/// Models of both architectures and every weight type, with grouped queries, tied and untied.
pub const ALL: [Tiny; 16] = [
    RAGGED.of("llama-f32", "llama", DType::F32).headed(),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 34, ..RAGGED }.of("qwen2-f32", "qwen2", DType::F32),
    RAGGED.of("llama-f16", "llama", DType::F16),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 34, ..RAGGED }.of("qwen2-bf16", "qwen2", DType::BF16).headed(),
    SMALL.of("llama-q4_0", "llama", DType::Q4_0).headed(),
    SMALL.of("llama-q4_1", "llama", DType::Q4_1),
    SMALL.of("qwen2-q5_0", "qwen2", DType::Q5_0),
    SMALL.of("qwen2-q5_1", "qwen2", DType::Q5_1).headed(),
    SMALL.of("llama-q8_0", "llama", DType::Q8_0),
    WIDE.of("llama-q2_k", "llama", DType::Q2K).headed(),
    WIDE.of("qwen2-q3_k", "qwen2", DType::Q3K),
    WIDE.of("llama-q4_k", "llama", DType::Q4K),
    WIDE.of("qwen2-q5_k", "qwen2", DType::Q5K).headed(),
    WIDE.of("llama-q6_k", "llama", DType::Q6K),
    Tiny { mixed: DType::Q8_0, embedding: DType::Q8_0, ..SMALL.of("llama-mixed", "llama", DType::Q4_1) },
    Tiny {
        mixed: DType::Q6K,
        embedding: DType::F16,
        head: Some(DType::Q6K),
        ..WIDE.of("qwen2-mixed", "qwen2", DType::Q4K)
    },
];

/// The model of that name.
pub fn find(name: &str) -> Tiny {
    ALL.into_iter().find(|tiny| tiny.name == name).unwrap_or_else(|| panic!("no tiny model is named `{name}`"))
}

/// Tokens to run a tiny model on.
pub fn tokens(seed: u64, count: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(VOCAB) as u32).collect()
}
