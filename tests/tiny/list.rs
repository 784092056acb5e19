//! The tiny models that there are.

use vt::core::DType;

use super::Tiny;
use super::hybrid::Delta;
use super::latent::Latent;

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
    layers: 2,
    window: None,
    delta: None,
    experts: None,
    latent: None,
};
const COMPRESSED: Latent = Latent { rank: 41, query_rank: Some(37), turned: 10, absorbed: true, groups: Some(3) };
/// A delta net of few heads, and every other layer with attention.
const DELTA: Delta =
    Delta { interval: 2, key_heads: 2, heads: 4, dim: 32, rotated: 12, sections: [2, 2, 2, 0], predictors: 0 };
/// Rows of blocks of 32.
const SMALL: Tiny = Tiny { dim: 96, ff: 160, heads: 4, kv_heads: 2, head_dim: 24, ..RAGGED };
/// Rows of blocks of 256.
const WIDE: Tiny = Tiny { dim: 256, ff: 256, heads: 8, kv_heads: 2, head_dim: 32, ..RAGGED };

impl Tiny {
    const fn of(self, name: &'static str, arch: &'static str, weights: DType) -> Self {
        Self { name, arch, weights, mixed: weights, embedding: weights, ..self }
    }

    /// As `of`, with the types of mixed matrices and of the embedding as they are.
    const fn typed(self, name: &'static str, arch: &'static str, weights: DType) -> Self {
        Self { name, arch, weights, ..self }
    }

    /// Whose tokens use `used` of so many experts.
    const fn mixed_of(self, experts: usize, used: usize) -> Self {
        Self { experts: Some((experts, used)), ..self }
    }

    /// With delta nets in place of attention in most layers.
    const fn hybrid(self, delta: Delta) -> Self {
        Self { delta: Some(delta), ..self }
    }

    /// With latent attention.
    const fn latent(self, latent: Latent) -> Self {
        Self { latent: Some(latent), ..self }
    }

    const fn headed(self) -> Self {
        Self { head: Some(self.weights), ..self }
    }
}

/// Models of all architectures and every weight type, with grouped queries, tied and untied. New ones go to the end: the
/// tokens that a model is asked depend on its place.
pub const ALL: &[Tiny] = &[
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
    RAGGED.of("qwen3-f32", "qwen3", DType::F32).headed(),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 26, ..RAGGED }.of("qwen3-bf16", "qwen3", DType::BF16),
    Tiny { head_dim: 40, ..SMALL }.of("qwen3-q4_0", "qwen3", DType::Q4_0),
    SMALL.of("qwen3-q5_1", "qwen3", DType::Q5_1).headed(),
    Tiny { heads: 4, kv_heads: 1, head_dim: 64, ..WIDE }.of("qwen3-q6_k", "qwen3", DType::Q6K).headed(),
    Tiny { mixed: DType::Q6K, embedding: DType::F16, ..WIDE.of("qwen3-mixed", "qwen3", DType::Q4K) },
    Tiny { layers: 7, window: Some((5, None)), ..RAGGED }.of("gemma3-f32", "gemma3", DType::F32),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 26, layers: 3, window: Some((7, Some(2))), ..RAGGED }.of(
        "gemma3-f16",
        "gemma3",
        DType::F16,
    ),
    Tiny { window: Some((5, Some(2))), ..SMALL }.of("gemma3-q8_0", "gemma3", DType::Q8_0),
    SMALL.of("gemma3-q5_0", "gemma3", DType::Q5_0).headed(),
    Tiny { kv_heads: 1, window: Some((6, Some(2))), ..WIDE }.of("gemma3-q4_k", "gemma3", DType::Q4K),
    Tiny {
        mixed: DType::Q6K,
        embedding: DType::Q8_0,
        ..Tiny { layers: 6, window: Some((4, None)), ..WIDE }.of("gemma3-mixed", "gemma3", DType::Q5_0)
    },
    // As many layers as the 27B has, which scales its scores in its own way.
    Tiny { dim: 28, ff: 40, heads: 2, kv_heads: 1, head_dim: 20, layers: 62, window: Some((5, None)), ..RAGGED }.of(
        "gemma3-27b",
        "gemma3",
        DType::F32,
    ),
    Tiny { dim: 108, layers: 5, window: Some((5, None)), ..RAGGED }.of("olmo2-f32", "olmo2", DType::F32).headed(),
    SMALL.of("olmo2-q8_0", "olmo2", DType::Q8_0).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("olmo2-mixed", "olmo2", DType::Q4K).headed() },
    RAGGED.of("granite-f32", "granite", DType::F32),
    SMALL.of("granite-q8_0", "granite", DType::Q8_0).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("granite-mixed", "granite", DType::Q4K) },
    Tiny { layers: 4, ..RAGGED }
        .of("qwen35-f32", "qwen35", DType::F32)
        .hybrid(Delta { interval: 4, dim: 21, sections: [1, 2, 2, 1], ..DELTA })
        .headed(),
    Tiny { layers: 3, ..SMALL }.of("qwen35-q8_0", "qwen35", DType::Q8_0).hybrid(Delta {
        key_heads: 1,
        heads: 3,
        rotated: 8,
        sections: [2, 1, 1, 0],
        ..DELTA
    }),
    Tiny { layers: 3, ..SMALL }.of("qwen35-bf16", "qwen35", DType::BF16).hybrid(Delta {
        interval: 3,
        heads: 6,
        dim: 16,
        rotated: 24,
        sections: [4, 4, 4, 0],
        ..DELTA
    }),
    Tiny { mixed: DType::Q6K, embedding: DType::F16, layers: 4, ..WIDE }
        .typed("qwen35-mixed", "qwen35", DType::Q4K)
        .hybrid(Delta { key_heads: 4, dim: 64, rotated: 16, sections: [3, 3, 2, 0], predictors: 1, ..DELTA }),
    RAGGED.of("qwen3moe-f32", "qwen3moe", DType::F32).mixed_of(8, 3).headed(),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 26, ff: 52, ..RAGGED }
        .of("qwen3moe-bf16", "qwen3moe", DType::BF16)
        .mixed_of(9, 2),
    Tiny { ff: 64, ..SMALL }.of("qwen3moe-q5_0", "qwen3moe", DType::Q5_0).mixed_of(8, 2).headed(),
    Tiny { mixed: DType::Q6K, embedding: DType::F16, ..WIDE.of("qwen3moe-mixed", "qwen3moe", DType::Q4K) }
        .mixed_of(12, 4)
        .headed(),
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 34, ff: 44, ..RAGGED }
        .of("qwen2moe-f32", "qwen2moe", DType::F32)
        .mixed_of(6, 2)
        .headed(),
    Tiny { ff: 64, ..SMALL }.of("qwen2moe-q8_0", "qwen2moe", DType::Q8_0).mixed_of(8, 4).headed(),
    RAGGED.of("mixtral-f32", "llama", DType::F32).mixed_of(4, 2),
    WIDE.of("mixtral-q3_k", "llama", DType::Q3K).mixed_of(8, 3).headed(),
    SMALL.of("llama-mxfp4", "llama", DType::MXFP4),
    Tiny { layers: 3, ff: 44, ..RAGGED }.of("deepseek2-f32", "deepseek2", DType::F32).mixed_of(9, 3).latent(COMPRESSED),
    Tiny { ff: 44, ..RAGGED }
        .of("deepseek2-expanded", "deepseek2", DType::F32)
        .mixed_of(4, 2)
        .latent(Latent { query_rank: None, absorbed: false, groups: None, ..COMPRESSED })
        .headed(),
    Tiny { ff: 64, head_dim: 32, ..SMALL }
        .of("deepseek2-q8_0", "deepseek2", DType::Q8_0)
        .mixed_of(8, 2)
        .latent(Latent { rank: 64, query_rank: Some(96), turned: 16, groups: Some(4), ..COMPRESSED })
        .headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("deepseek2-mixed", "deepseek2", DType::Q4K) }
        .mixed_of(6, 2)
        .latent(Latent { rank: 256, query_rank: None, turned: 16, groups: None, ..COMPRESSED })
        .headed(),
    Tiny { layers: 4, ff: 44, window: Some((5, None)), ..RAGGED }
        .of("gpt-oss-f32", "gpt-oss", DType::F32)
        .mixed_of(6, 2)
        .headed(),
    Tiny { ff: 64, window: Some((4, Some(2))), ..SMALL }
        .of("gpt-oss-mxfp4", "gpt-oss", DType::Q8_0)
        .mixed_of(8, 4)
        .headed(),
    RAGGED.of("gemma-f32", "gemma", DType::F32),
    Tiny { kv_heads: 1, ..SMALL }.of("gemma-q8_0", "gemma", DType::Q8_0),
    Tiny { layers: 5, window: Some((5, None)), ..RAGGED }.of("gemma2-f32", "gemma2", DType::F32),
    Tiny { mixed: DType::Q6K, window: Some((6, Some(2))), ..WIDE.of("gemma2-mixed", "gemma2", DType::Q4K) },
    // As many layers as the 27B has, which scales its scores in its own way.
    Tiny { dim: 28, ff: 40, heads: 2, kv_heads: 1, head_dim: 20, layers: 46, ..RAGGED }.of(
        "gemma2-27b",
        "gemma2",
        DType::F32,
    ),
    Tiny { dim: 108, ..RAGGED }.of("phi3-f32", "phi3", DType::F32),
    Tiny { window: Some((3, None)), ..SMALL }.of("phi3-q4_0", "phi3", DType::Q4_0).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("phi3-mixed", "phi3", DType::Q5K).headed() },
    RAGGED.of("glm4-f32", "glm4", DType::F32),
    SMALL.of("glm4-axes", "glm4", DType::F32),
    Tiny { mixed: DType::Q6K, ..WIDE.of("glm4-mixed", "glm4", DType::Q4K).headed() },
    RAGGED.of("mistral3-f32", "mistral3", DType::F32).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("mistral3-mixed", "mistral3", DType::Q4K) },
    Tiny { layers: 5, ..RAGGED }.of("smollm3-f32", "smollm3", DType::F32),
    Tiny { layers: 4, ..SMALL.of("smollm3-q8_0", "smollm3", DType::Q8_0).headed() },
    Tiny { layers: 3, ..RAGGED }
        .of("qwen35moe-f32", "qwen35moe", DType::F32)
        .hybrid(Delta { interval: 3, dim: 16, ..DELTA })
        .mixed_of(6, 2),
    Tiny { ff: 64, layers: 3, ..SMALL }
        .of("qwen35moe-q4_0", "qwen35moe", DType::Q4_0)
        .hybrid(Delta { predictors: 1, ..DELTA })
        .mixed_of(8, 3)
        .headed(),
    Tiny { layers: 3, ..RAGGED }
        .of("qwen3next-f32", "qwen3next", DType::F32)
        .hybrid(Delta { interval: 3, heads: 6, dim: 16, sections: [0; 4], ..DELTA })
        .mixed_of(6, 2)
        .headed(),
    Tiny { ff: 64, layers: 3, ..SMALL }
        .of("qwen3next-q8_0", "qwen3next", DType::Q8_0)
        .hybrid(Delta { rotated: 24, sections: [0; 4], ..DELTA })
        .mixed_of(8, 3)
        .headed(),
    RAGGED.of("ernie4_5-f32", "ernie4_5", DType::F32).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("ernie4_5-mixed", "ernie4_5", DType::Q4K) },
    Tiny { dim: 102, heads: 3, kv_heads: 1, head_dim: 26, ..RAGGED }.of("seed_oss-f32", "seed_oss", DType::F32),
    SMALL.of("seed_oss-q8_0", "seed_oss", DType::Q8_0).headed(),
    Tiny { mixed: DType::Q6K, ..WIDE.of("seed_oss-mixed", "seed_oss", DType::Q4K).headed() },
];

/// The model of that name.
pub fn find(name: &str) -> Tiny {
    ALL.iter().copied().find(|tiny| tiny.name == name).unwrap_or_else(|| panic!("no tiny model is named `{name}`"))
}
