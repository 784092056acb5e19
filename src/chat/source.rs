//! What a file says of chat templates.

use vt_gguf::{Gguf, GgufError};
use vt_models::load;

use super::TemplateError;

const KEY: &str = "tokenizer.chat_template";

/// Names of special tokens in templates, and the keys that hold their ids.
const SPECIAL: [(&str, &str); 7] = [
    ("bos_token", "bos"),
    ("eos_token", "eos"),
    ("unk_token", "unknown"),
    ("sep_token", "seperator"),
    ("pad_token", "padding"),
    ("cls_token", "cls"),
    ("mask_token", "mask"),
];

/// The source of a file's template.
pub(super) fn find<'a>(gguf: &'a Gguf, name: Option<&str>) -> Result<&'a str, TemplateError> {
    let key = name.map_or_else(|| KEY.to_owned(), |name| format!("{KEY}.{name}"));
    let missing = || TemplateError::Missing { wanted: name.map(str::to_owned), names: names(gguf) };
    gguf.metadata().optional(&key)?.ok_or_else(missing)
}

/// The names of a file's named templates.
pub(super) fn names(gguf: &Gguf) -> Vec<String> {
    let name = |key: &str| Some(key.strip_prefix(KEY)?.strip_prefix('.')?.to_owned());
    gguf.metadata().iter().filter_map(|(key, _)| name(key)).collect()
}

/// The texts of the special tokens that a file names. BOS and EOS have a text in any case, as in llama.cpp: templates
/// write them without asking.
pub(super) fn special_tokens(gguf: &Gguf) -> Result<Vec<(&'static str, String)>, GgufError> {
    let meta = gguf.metadata().scoped("tokenizer.ggml");
    let tokens = load::vocab(gguf)?.tokens;
    let mut texts = Vec::new();
    for (name, key) in SPECIAL {
        let id = meta.optional::<u32>(&format!("{key}_token_id"))?;
        let text = id.and_then(|id| tokens.get(usize::try_from(id).ok()?));
        match text {
            Some(text) => texts.push((name, String::from_utf8_lossy(text).into_owned())),
            None if matches!(key, "bos" | "eos") => texts.push((name, String::new())),
            None => {}
        }
    }
    Ok(texts)
}
