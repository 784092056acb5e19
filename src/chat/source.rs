//! What a file says of chat templates.

use vt_gguf::{FromValue, Gguf, GgufError, Strings};

use super::TemplateError;

/// The key of a file's template.
pub(crate) const TEMPLATE_KEY: &str = "tokenizer.chat_template";

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
    let key = name.map_or_else(|| TEMPLATE_KEY.to_owned(), |name| format!("{TEMPLATE_KEY}.{name}"));
    let missing = || TemplateError::Missing { wanted: name.map(str::to_owned), names: names(gguf) };
    gguf.metadata().optional(&key)?.ok_or_else(missing)
}

/// The names of a file's named templates.
pub(super) fn names(gguf: &Gguf) -> Vec<String> {
    let name = |key: &str| Some(key.strip_prefix(TEMPLATE_KEY)?.strip_prefix('.')?.to_owned());
    gguf.metadata().iter().filter_map(|(key, _)| name(key)).collect()
}

/// The texts of the special tokens that a file names. BOS and EOS have a text in any case, as in llama.cpp: templates
/// write them without asking. An id that no token has names none.
pub(super) fn special_tokens(gguf: &Gguf) -> Result<Vec<(&'static str, String)>, GgufError> {
    let meta = gguf.metadata().scoped("tokenizer.ggml");
    let tokens: Strings<'_> = meta.required("tokens")?;
    let mut texts = Vec::new();
    for (name, key) in SPECIAL {
        let id = meta.get(&format!("{key}_token_id")).and_then(u32::from_value);
        let text = id.and_then(|id| tokens.clone().nth(usize::try_from(id).ok()?));
        match text {
            Some(text) => texts.push((name, String::from_utf8_lossy(text).into_owned())),
            None if matches!(key, "bos" | "eos") => texts.push((name, String::new())),
            None => {}
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vt_gguf::Writer;

    use super::super::{Conversation, Template};
    use super::*;

    fn file(entries: &[(&str, &str)]) -> Gguf {
        let mut writer = Writer::new();
        writer.set("tokenizer.ggml.model", "gpt2").unwrap();
        writer.set("tokenizer.ggml.tokens", ["<s>", "<pad>", "a"]).unwrap();
        writer.set("tokenizer.ggml.bos_token_id", 0u32).unwrap();
        writer.set("tokenizer.ggml.padding_token_id", 1u32).unwrap();
        writer.set("tokenizer.ggml.mask_token_id", 7u32).unwrap();
        for (key, value) in entries {
            writer.set(key, *value).unwrap();
        }
        Gguf::from_bytes(Arc::new(writer.to_bytes().unwrap())).unwrap()
    }

    #[test]
    fn special_tokens_have_the_names_of_transformers() {
        let source = "{{ bos_token }},{{ pad_token }},{{ eos_token + '!' }},{{ mask_token is defined }}";
        let template = Template::from_gguf(&file(&[(TEMPLATE_KEY, source)]), None).unwrap();
        let now = "2026-03-05T04:07:09".parse().unwrap();
        let conversation = Conversation { messages: &[], add_generation_prompt: false, now, variables: &[] };
        assert_eq!(template.render(&conversation).unwrap(), "<s>,<pad>,!,False");
    }

    #[test]
    fn a_file_may_have_several_templates() {
        let gguf = file(&[(TEMPLATE_KEY, "one"), ("tokenizer.chat_template.tool_use", "two")]);
        assert_eq!((find(&gguf, None).unwrap(), find(&gguf, Some("tool_use")).unwrap()), ("one", "two"));
        let message = |gguf: &Gguf, name| find(gguf, name).unwrap_err().to_string();
        let absent = message(&gguf, Some("rag"));
        assert_eq!(absent, "the file has no chat template named `rag`; it has: tool_use");
        assert_eq!(message(&file(&[]), None), "the file has no chat template");
        let mut writer = Writer::new();
        writer.set(TEMPLATE_KEY, 1u32).unwrap();
        let number = Gguf::from_bytes(Arc::new(writer.to_bytes().unwrap())).unwrap();
        assert!(message(&number, None).contains(TEMPLATE_KEY));
    }
}
