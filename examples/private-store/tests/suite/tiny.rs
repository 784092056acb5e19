//! A small llama as a GGUF file, of deterministic weights.

use std::sync::Arc;

use half::f16;
use vt::core::DType;
use vt::gguf::{Gguf, WriteError, Writer};

const VOCAB: usize = 48;
const DIM: usize = 64;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const KV_DIM: usize = DIM / HEADS * KV_HEADS;
const FF: usize = 96;
const LAYERS: usize = 2;

/// The ops of it that the device lacks, or has not for every type.
pub const LACKING: [&str; 10] = [
    "attend",
    "embed",
    "kv_append",
    "matmul_bt",
    "matmul_bt_quant",
    "quantize",
    "rms_norm",
    "rope",
    "silu",
    "take_rows",
];

/// Most weights are Q4_1. One matrix a layer is f32 and one Q8_0, which the device does not multiply.
pub fn llama() -> Gguf {
    let bytes = write().expect("the statements keep to the format");
    Gguf::from_bytes(Arc::new(bytes)).expect("the file is whole")
}

fn write() -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new();
    metadata(&mut writer)?;
    for ((name, dtype, shape), seed) in tensors().into_iter().zip(1..) {
        writer.tensor(&name, dtype, &shape, Random(seed).tensor(dtype, &shape))?;
    }
    writer.to_bytes()
}

fn metadata(writer: &mut Writer<'_>) -> Result<(), WriteError> {
    let sizes = [
        ("vocab_size", VOCAB),
        ("context_length", 64),
        ("embedding_length", DIM),
        ("block_count", LAYERS),
        ("feed_forward_length", FF),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
    ];
    writer.set("general.architecture", "llama")?;
    for (key, size) in sizes {
        writer.set(&format!("llama.{key}"), size as u32)?;
    }
    writer.set("llama.attention.layer_norm_rms_epsilon", 1e-5f32).map(drop)
}

fn tensors() -> Vec<(String, DType, Vec<usize>)> {
    let mut list = vec![
        ("token_embd.weight".to_owned(), DType::F32, vec![VOCAB, DIM]),
        ("output_norm.weight".to_owned(), DType::F32, vec![DIM]),
        ("output.weight".to_owned(), DType::Q4_1, vec![VOCAB, DIM]),
    ];
    for layer in 0..LAYERS {
        let layers = [
            ("attn_norm", DType::F32, vec![DIM]),
            ("attn_q", DType::Q4_1, vec![DIM, DIM]),
            ("attn_k", DType::Q4_1, vec![KV_DIM, DIM]),
            ("attn_v", DType::F32, vec![KV_DIM, DIM]),
            ("attn_output", DType::Q4_1, vec![DIM, DIM]),
            ("ffn_norm", DType::F32, vec![DIM]),
            ("ffn_gate", DType::Q4_1, vec![FF, DIM]),
            ("ffn_up", DType::Q4_1, vec![FF, DIM]),
            ("ffn_down", DType::Q8_0, vec![DIM, FF]),
        ];
        list.extend(layers.map(|(name, dtype, shape)| (format!("blk.{layer}.{name}.weight"), dtype, shape)));
    }
    list
}

/// A linear congruential generator (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }

    /// From `low` on, up to less than `high`.
    fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * f32::from(self.byte()) / 256.0
    }

    /// Weights whose products with rows of ordinary size are of ordinary size.
    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Vec<u8> {
        let blocks = shape.iter().product::<usize>() / dtype.block_elems();
        (0..blocks).flat_map(|_| self.block(dtype)).collect()
    }

    fn block(&mut self, dtype: DType) -> Vec<u8> {
        let half = |x: f32| f16::from_f32(x).to_le_bytes();
        match dtype {
            DType::F32 => self.float(-0.5, 0.5).to_le_bytes().to_vec(),
            DType::Q4_1 => {
                let scale = self.float(0.01, 0.05);
                let minimum = self.float(-9.0, -6.0) * scale;
                half(scale).into_iter().chain(half(minimum)).chain((0..16).map(|_| self.byte())).collect()
            }
            DType::Q8_0 => {
                let scale = self.float(0.001, 0.005);
                half(scale).into_iter().chain((0..32).map(|_| self.byte())).collect()
            }
            other => panic!("no weights of {other} here"),
        }
    }
}
