//! Tests of whole tokenizers.

mod bpe;
mod random;
mod spm;
mod spm_goldens;

use super::EncodeOptions;

const PLAIN: EncodeOptions = EncodeOptions { add_bos: false, special: false };
const WITH_SPECIAL: EncodeOptions = EncodeOptions { add_bos: false, special: true };
