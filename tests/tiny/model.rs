//! Tiny models with random weights, the same bytes on every machine.

use vt::core::DType;
use vt::gguf::{WriteError, Writer};

use super::random::Random;
use super::{blocks, hybrid, latent, special, tokenizer};

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
    pub layers: usize,
    /// How many keys the queries of local layers see, and of how many layers the last one is not local.
    pub window: Option<(u32, Option<u32>)>,
    /// What its recurrent layers are like.
    pub delta: Option<hybrid::Delta>,
    /// How many experts there are, and how many a token uses; none in dense layers. Each has `ff` elements, and a shared one
    /// `dim`.
    pub experts: Option<(usize, usize)>,
    /// What its latent attention is like.
    pub latent: Option<latent::Latent>,
}

impl Tiny {
    /// A sum of its name: models differ also where their sizes agree.
    fn seed(&self) -> u64 {
        self.name.bytes().fold(17, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()))
    }

    fn matrix_type(&self, layer: usize, tensor: &str) -> DType {
        if tensor == "ssm_conv1d" {
            return DType::F32;
        }
        let mixed = layer.is_multiple_of(2) && matches!(tensor, "attn_v" | "ffn_down" | "ffn_down_exps");
        if self.arch == "gpt-oss" && tensor.ends_with("_exps") && self.weights.is_block() {
            return DType::MXFP4;
        }
        // The rows of this one are the heads', which blocks of 256 do not divide.
        let narrow = tensor == "attn_k_b" && !self.head_dim.is_multiple_of(self.weights.block_elems());
        match (mixed, narrow) {
            (true, _) => self.mixed,
            (false, true) => DType::Q8_0,
            (false, false) => self.weights,
        }
    }

    /// The GGUF file.
    pub fn file(&self) -> Vec<u8> {
        self.file_with(|_| ())
    }

    /// The GGUF file with what `add` adds to it.
    pub fn file_with(&self, add: impl FnOnce(&mut Writer<'static>)) -> Vec<u8> {
        let mut writer = self.write().unwrap_or_else(|e| panic!("{}: {e}", self.name));
        add(&mut writer);
        writer.to_bytes().unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn write(&self) -> Result<Writer<'static>, WriteError> {
        let mut writer = Writer::new();
        self.metadata(&mut writer)?;
        let mut random = Random::new(self.seed());
        let mut matrix = |writer: &mut Writer<'static>, name: &str, dtype, shape: &[usize]| {
            let (cols, rows) = (shape[shape.len() - 1], shape[..shape.len() - 1].iter().product());
            let bytes = blocks::matrix(&mut random, dtype, rows, cols, 1.0 / (cols as f32).sqrt());
            writer.tensor(name, dtype, shape, bytes).map(drop)
        };
        matrix(&mut writer, "token_embd.weight", self.embedding, &[VOCAB, self.dim])?;
        if let Some(dtype) = self.head {
            matrix(&mut writer, "output.weight", dtype, &[VOCAB, self.dim])?;
        }
        for layer in 0..hybrid::stored_layers(self) {
            for (tensor, shape) in hybrid::matrices(self, layer).unwrap_or_else(|| self.matrices(layer)) {
                let name = format!("blk.{layer}.{tensor}.weight");
                matrix(&mut writer, &name, self.matrix_type(layer, tensor), &shape)?;
            }
            if let Some((experts, _)) = self.experts.filter(|_| !latent::is_dense(self, layer)) {
                matrix(&mut writer, &format!("blk.{layer}.ffn_gate_inp.weight"), DType::F32, &[experts, self.dim])?;
                if self.arch == "gpt-oss" {
                    for (part, width) in [("gate", self.ff), ("up", self.ff), ("down", self.dim)] {
                        let name = format!("blk.{layer}.ffn_{part}_exps.bias");
                        matrix(&mut writer, &name, DType::F32, &[experts, width])?;
                    }
                }
            }
        }
        self.vectors(&mut writer, &mut random)?;
        Ok(writer)
    }

    fn matrices(&self, layer: usize) -> Vec<(&'static str, Vec<usize>)> {
        let (q, kv) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let inputs = if special::is_fused(self) {
            vec![("attn_qkv", vec![q + 2 * kv, self.dim])]
        } else {
            vec![("attn_q", vec![q, self.dim]), ("attn_k", vec![kv, self.dim]), ("attn_v", vec![kv, self.dim])]
        };
        let attention = [inputs, vec![("attn_output", vec![self.dim, q])]].concat();
        let attention = latent::attention(self).unwrap_or(attention);
        let experts = self.experts.filter(|_| !latent::is_dense(self, layer));
        attention.into_iter().chain(special::feed_forward(&Self { experts, ..*self })).collect()
    }

    fn vectors(&self, writer: &mut Writer<'static>, random: &mut Random) -> Result<(), WriteError> {
        let mut vector = |name: &str, len, mean| {
            writer.tensor(name, DType::F32, &[len], blocks::vector(random, len, mean, 0.1)).map(drop)
        };
        vector("output_norm.weight", self.dim, 1.0)?;
        for (tensor, len, mean) in special::outer_vectors(self) {
            vector(tensor, len, mean)?;
        }
        for layer in 0..hybrid::stored_layers(self) {
            let own = hybrid::vectors(self, layer).or_else(|| latent::vectors(self, layer));
            for (tensor, len, mean) in own.unwrap_or_else(|| special::vectors(self)) {
                vector(&format!("blk.{layer}.{tensor}"), len, mean)?;
            }
        }
        Ok(())
    }

    fn metadata(&self, writer: &mut Writer<'_>) -> Result<(), WriteError> {
        writer.set("general.architecture", self.arch)?.set("general.name", special::name(self))?;
        let [kv_heads, key_dim, value_dim, turned] = latent::sizes(self);
        let sizes = [
            ("block_count", hybrid::stored_layers(self)),
            ("context_length", 512),
            ("embedding_length", self.dim),
            ("feed_forward_length", self.ff),
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", kv_heads),
            ("attention.key_length", key_dim),
            ("attention.value_length", value_dim),
            ("rope.dimension_count", hybrid::rotated(self).unwrap_or(turned)),
        ];
        for (key, size) in sizes {
            writer.set(&format!("{}.{key}", self.arch), size as u32)?;
        }
        writer.set(&format!("{}.attention.layer_norm_rms_epsilon", self.arch), 1e-6f32)?;
        writer.set(&format!("{}.rope.freq_base", self.arch), 10_000f32)?;
        special::keys(self, writer)?;
        latent::keys(self, writer)?;
        let pre = if self.arch == "llama" { "llama-bpe" } else { "qwen2" };
        tokenizer::state(writer, pre, VOCAB)
    }
}

/// Tokens to run a tiny model on.
pub fn tokens(seed: u64, count: usize) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.below(VOCAB) as u32).collect()
}
