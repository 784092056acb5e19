//! Element types and the block types of GGUF.

use std::fmt;

use thiserror::Error;

/// The type of a tensor's elements, and with it the layout of its bytes.
///
/// A block type stores its elements in blocks of a fixed number of elements with shared scales. Block types are
/// storage only: there is no size per element, and a row must be a whole number of blocks ([`DType::row_bytes`]).
/// The weight blocks are GGUF's (ggml `docs/gguf.md`, `ggml-common.h`), the activation blocks are what a matmul
/// quantizes its left operand to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DType {
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    BF16,
    /// IEEE binary64; files may hold it, no op computes in it.
    F64,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// 4-bit weights: f16 scale, 32 quants less 8: 16 bytes, the first 16 quants in their low halves.
    Q4_0,
    /// 4-bit weights: f16 scale and f16 minimum, 32 quants as in Q4_0.
    Q4_1,
    /// 5-bit weights: f16 scale, 32 quants less 16.
    Q5_0,
    /// 5-bit weights: f16 scale and f16 minimum, 32 quants.
    Q5_1,
    /// 8-bit: f16 scale, 32 quants. A weight block, and the activation block beside Q4_0, Q5_0, Q8_0 and MXFP4 weights.
    Q8_0,
    /// 2-bit weights: 256 quants, 16 four-bit scales and minima, f16 super-scales.
    Q2K,
    /// 3-bit weights: 256 quants less 4, 16 six-bit scales, f16 super-scale.
    Q3K,
    /// 4-bit weights: 256 quants, 8 six-bit scales and minima, f16 super-scales.
    Q4K,
    /// 5-bit weights: 256 quants, 8 six-bit scales and minima, f16 super-scales.
    Q5K,
    /// 6-bit weights: 256 quants less 32, 16 eight-bit scales, f16 super-scale.
    Q6K,
    /// 4-bit weights: a power of two as scale (E8M0), 32 floats of 4 bits (E2M1): 16 bytes, the first 16 in their low
    /// halves.
    MXFP4,
    /// Activation block beside Q4_1 and Q5_1 weights: f32 scale `d`, f32 sum (`d` times the sum of the quants), 32
    /// quants; 40 bytes. Not GGUF's Q8_1, whose f16 sum overflows.
    Q8_1,
    /// Activation block beside K-quants: f32 scale, 256 quants, sixteen i16 sums of 16 quants each; 292 bytes.
    Q8K,
}

/// What is fixed about a type: one row of the table that everything else asks.
struct Layout {
    name: &'static str,
    block_elems: usize,
    block_bytes: usize,
    gguf_id: Option<u32>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Integer,
    WeightBlock,
    ActivationBlock,
}

/// A row of `elems` elements is no whole number of blocks.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a row of {elems} elements is not a whole number of {dtype} blocks of {block} elements")]
pub struct RaggedRow {
    /// The type.
    pub dtype: DType,
    /// Elements in the row.
    pub elems: usize,
    /// Elements in a block of the type.
    pub block: usize,
}

impl DType {
    /// Every type.
    pub const ALL: [DType; 21] = [
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::F64,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::Q4_0,
        DType::Q4_1,
        DType::Q5_0,
        DType::Q5_1,
        DType::Q8_0,
        DType::Q2K,
        DType::Q3K,
        DType::Q4K,
        DType::Q5K,
        DType::Q6K,
        DType::MXFP4,
        DType::Q8_1,
        DType::Q8K,
    ];

    /// The weight block types, in the order of [`DType::ALL`].
    pub fn weight_blocks() -> impl Iterator<Item = DType> {
        Self::ALL.into_iter().filter(|d| d.is_weight_block())
    }

    const fn layout(self) -> Layout {
        use Kind::{ActivationBlock, Float, Integer, WeightBlock};
        let (name, block_elems, block_bytes, gguf_id, kind) = match self {
            DType::F32 => ("f32", 1, 4, Some(0), Float),
            DType::F16 => ("f16", 1, 2, Some(1), Float),
            DType::BF16 => ("bf16", 1, 2, Some(30), Float),
            DType::F64 => ("f64", 1, 8, Some(28), Float),
            DType::I8 => ("i8", 1, 1, Some(24), Integer),
            DType::I16 => ("i16", 1, 2, Some(25), Integer),
            DType::I32 => ("i32", 1, 4, Some(26), Integer),
            DType::I64 => ("i64", 1, 8, Some(27), Integer),
            DType::Q4_0 => ("q4_0", 32, 18, Some(2), WeightBlock),
            DType::Q4_1 => ("q4_1", 32, 20, Some(3), WeightBlock),
            DType::Q5_0 => ("q5_0", 32, 22, Some(6), WeightBlock),
            DType::Q5_1 => ("q5_1", 32, 24, Some(7), WeightBlock),
            DType::Q8_0 => ("q8_0", 32, 34, Some(8), WeightBlock),
            DType::Q2K => ("q2_k", 256, 84, Some(10), WeightBlock),
            DType::Q3K => ("q3_k", 256, 110, Some(11), WeightBlock),
            DType::Q4K => ("q4_k", 256, 144, Some(12), WeightBlock),
            DType::Q5K => ("q5_k", 256, 176, Some(13), WeightBlock),
            DType::Q6K => ("q6_k", 256, 210, Some(14), WeightBlock),
            DType::MXFP4 => ("mxfp4", 32, 17, Some(39), WeightBlock),
            DType::Q8_1 => ("q8_1", 32, 40, None, ActivationBlock),
            DType::Q8K => ("q8_k", 256, 292, None, ActivationBlock),
        };
        Layout { name, block_elems, block_bytes, gguf_id, kind }
    }

    /// The name in files and messages: `f32`, `q4_k`.
    pub const fn name(self) -> &'static str {
        self.layout().name
    }

    /// The type of that [`name`](DType::name).
    pub fn from_name(name: &str) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }

    /// The type's number in a GGUF file, if files can hold it.
    pub const fn gguf_id(self) -> Option<u32> {
        self.layout().gguf_id
    }

    /// The type of that number in a GGUF file.
    pub fn from_gguf_id(id: u32) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.gguf_id() == Some(id))
    }

    /// Elements in a block; 1 for a type that is not a block type.
    pub const fn block_elems(self) -> usize {
        self.layout().block_elems
    }

    /// Bytes in a block; the element's size for a type that is not a block type.
    pub const fn block_bytes(self) -> usize {
        self.layout().block_bytes
    }

    /// Whether elements lie in blocks.
    pub const fn is_block(self) -> bool {
        matches!(self.layout().kind, Kind::WeightBlock | Kind::ActivationBlock)
    }

    /// Whether weights of a model can have this block type.
    pub const fn is_weight_block(self) -> bool {
        matches!(self.layout().kind, Kind::WeightBlock)
    }

    /// Whether this is a floating-point type that is not a block type.
    pub const fn is_float(self) -> bool {
        matches!(self.layout().kind, Kind::Float)
    }

    /// The block type that activations are quantized to beside weights of this block type.
    pub const fn activation(self) -> Option<DType> {
        match self {
            DType::Q4_0 | DType::Q5_0 | DType::Q8_0 | DType::MXFP4 => Some(DType::Q8_0),
            DType::Q4_1 | DType::Q5_1 => Some(DType::Q8_1),
            DType::Q2K | DType::Q3K | DType::Q4K | DType::Q5K | DType::Q6K => Some(DType::Q8K),
            _ => None,
        }
    }

    /// The bytes of a row of `elems` elements.
    ///
    /// # Errors
    /// [`RaggedRow`] where the row is no whole number of blocks.
    pub const fn row_bytes(self, elems: usize) -> Result<usize, RaggedRow> {
        let Layout { block_elems, block_bytes, .. } = self.layout();
        if !elems.is_multiple_of(block_elems) {
            return Err(RaggedRow { dtype: self, elems, block: block_elems });
        }
        Ok(elems / block_elems * block_bytes)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_unique_and_round_trip() {
        for (i, d) in DType::ALL.into_iter().enumerate() {
            assert_eq!(DType::from_name(d.name()), Some(d));
            if let Some(id) = d.gguf_id() {
                assert_eq!(DType::from_gguf_id(id), Some(d));
            }
            assert!(DType::ALL[..i].iter().all(|o| o.name() != d.name() && *o != d));
        }
    }

    /// ggml's numbers of types, elements of a block and bytes of a block.
    #[test]
    fn files_and_blocks_are_ggmls() {
        use DType::{
            BF16, F16, F32, F64, I8, I16, I32, I64, MXFP4, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, Q8_1,
            Q8K,
        };
        let floats = [(F32, 0, 1, 4), (F16, 1, 1, 2), (BF16, 30, 1, 2), (F64, 28, 1, 8)];
        let integers = [(I8, 24, 1, 1), (I16, 25, 1, 2), (I32, 26, 1, 4), (I64, 27, 1, 8)];
        let small = [
            (Q4_0, 2, 32, 18),
            (Q4_1, 3, 32, 20),
            (Q5_0, 6, 32, 22),
            (Q5_1, 7, 32, 24),
            (Q8_0, 8, 32, 34),
            (MXFP4, 39, 32, 17),
        ];
        let large =
            [(Q2K, 10, 256, 84), (Q3K, 11, 256, 110), (Q4K, 12, 256, 144), (Q5K, 13, 256, 176), (Q6K, 14, 256, 210)];
        let weights: Vec<_> = small.into_iter().chain(large).collect();
        for (d, id, elems, bytes) in floats.into_iter().chain(integers).chain(weights.clone()) {
            let block = weights.iter().any(|w| w.0 == d);
            assert_eq!((d.gguf_id(), DType::from_gguf_id(id)), (Some(id), Some(d)));
            assert_eq!(
                (d.block_elems(), d.block_bytes(), d.row_bytes(3 * elems)),
                (elems, bytes, Ok(3 * bytes)),
                "{d}"
            );
            assert_eq!((d.is_block(), d.is_weight_block()), (block, block), "{d}");
            assert_eq!(d.is_float(), floats.iter().any(|f| f.0 == d), "{d}");
        }
        for d in [Q8_1, Q8K] {
            assert_eq!((d.gguf_id(), d.is_block(), d.is_weight_block(), d.is_float()), (None, true, false, false));
        }
        assert_eq!((Q4_0.activation(), Q5_1.activation(), Q6K.activation()), (Some(Q8_0), Some(Q8_1), Some(Q8K)));
        assert_eq!((DType::from_gguf_id(9), DType::from_name("q9")), (None, None));
    }

    #[test]
    fn rows_are_whole_blocks() {
        assert_eq!(DType::Q4K.row_bytes(512), Ok(288));
        assert_eq!(DType::Q4K.row_bytes(0), Ok(0));
        assert_eq!(DType::F16.row_bytes(3), Ok(6));
        let err = DType::Q8_0.row_bytes(33).unwrap_err();
        assert_eq!(err.to_string(), "a row of 33 elements is not a whole number of q8_0 blocks of 32 elements");
    }

    #[test]
    fn every_weight_block_has_an_activation_block_of_its_size() {
        for w in DType::weight_blocks() {
            let a = w.activation().unwrap();
            assert!(a.is_block());
            assert_eq!(a.block_elems(), w.block_elems(), "{w}");
        }
        assert_eq!(DType::weight_blocks().count(), 11);
        assert_eq!(DType::F16.activation(), None);
    }
}
