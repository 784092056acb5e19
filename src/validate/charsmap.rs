//! `tokenizer.ggml.precompiled_charsmap`: the normalizer of SentencePiece, in bytes.

use vt_gguf::{Array, Metadata, ValueType};

use super::finding::Findings;

const KEY: &str = "precompiled_charsmap";

/// It starts with the length of its table, which must be in it.
pub(super) fn validate(metadata: Metadata<'_>, findings: &mut Findings) {
    let array = match metadata.optional::<Array<'_>>(KEY) {
        Ok(None) => return,
        Ok(Some(array)) => array,
        Err(error) => return findings.key_error(error),
    };
    if !matches!(array.elem_type(), ValueType::U8 | ValueType::I8) {
        return findings.key_error(metadata.implausible(KEY, "an array of bytes"));
    }
    let length: Vec<u8> = array.iter().take(4).filter_map(|v| v.as_int()).map(|byte| byte as u8).collect();
    let inside = length.first_chunk().map(|length| u32::from_le_bytes(*length) as usize);
    if inside.is_none_or(|inside| inside > array.len() - 4) {
        let expected = "four bytes of a length, and as many bytes behind them";
        findings.key_error(metadata.implausible(KEY, expected));
    }
}
