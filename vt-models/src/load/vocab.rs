//! The vocabulary of a file: the keys `tokenizer.ggml.*` (ggml's `docs/gguf.md`).

use vt_gguf::{Array, Gguf, GgufError, Metadata, Strings, Value};

use crate::tokenizer::{ByteStrings, SpecialIds, TokenType, Vocab};

/// The vocabulary of a file of any architecture.
///
/// # Errors
/// If the kind of tokenizer or the tokens are missing, or a key is not of its type.
pub fn vocab(gguf: &Gguf) -> Result<Vocab, GgufError> {
    let meta = gguf.metadata().scoped("tokenizer.ggml");
    Ok(Vocab {
        model: meta.str("model")?.to_owned(),
        pre: meta.optional::<&str>("pre")?.map(str::to_owned),
        tokens: byte_strings(meta.required("tokens")?),
        token_types: token_types(meta)?,
        merges: meta.optional("merges")?.map(byte_strings),
        scores: scores(meta)?,
        add_space_prefix: meta.optional("add_space_prefix")?,
        special: special_ids(meta)?,
        add_bos: meta.optional("add_bos_token")?,
        add_eos: meta.optional("add_eos_token")?,
        architecture: text(gguf.metadata(), "general.architecture")?,
        name: text(gguf.metadata(), "general.name")?,
    })
}

/// A text in which bytes that are not UTF-8 do not matter.
fn text(meta: Metadata<'_>, key: &str) -> Result<Option<String>, GgufError> {
    Ok(meta.optional::<&[u8]>(key)?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

fn byte_strings(strings: Strings<'_>) -> ByteStrings {
    let bytes = strings.clone().map(<[u8]>::len).sum();
    let mut list = ByteStrings::with_capacity(strings.len(), bytes);
    strings.for_each(|string| list.push(string));
    list
}

/// No more than a byte per token, whatever integers the file has.
fn token_types(meta: Metadata<'_>) -> Result<Vec<TokenType>, GgufError> {
    let Some(array) = meta.optional::<Array<'_>>("token_type")? else { return Ok(Vec::new()) };
    let number = |value: Value<'_>| value.as_int().map(|n| TokenType::from_gguf(i64::try_from(n).unwrap_or(0)));
    let types: Option<Vec<TokenType>> = array.iter().map(number).collect();
    types.ok_or_else(|| meta.implausible("token_type", "an array of integers"))
}

/// Scores are floats, in some files integers.
fn scores(meta: Metadata<'_>) -> Result<Option<Vec<f32>>, GgufError> {
    let Some(array) = meta.optional::<Array<'_>>("scores")? else { return Ok(None) };
    let number = |value: Value<'_>| match value {
        Value::F32(score) => Some(score),
        Value::I32(score) => Some(score as f32),
        _ => None,
    };
    let scores: Option<Vec<f32>> = array.iter().map(number).collect();
    scores.map(Some).ok_or_else(|| meta.implausible("scores", "an array of f32 or i32"))
}

fn special_ids(meta: Metadata<'_>) -> Result<SpecialIds, GgufError> {
    let id = |name: &str| meta.optional::<u32>(&format!("{name}_token_id"));
    let either = |name, older| Ok::<_, GgufError>(id(name)?.or(id(older)?));
    Ok(SpecialIds {
        bos: id("bos")?,
        eos: id("eos")?,
        unk: id("unknown")?,
        eot: id("eot")?,
        eom: id("eom")?,
        fim_pre: either("fim_pre", "prefix")?,
        fim_suf: either("fim_suf", "suffix")?,
        fim_mid: either("fim_mid", "middle")?,
        fim_pad: id("fim_pad")?,
        fim_rep: id("fim_rep")?,
        fim_sep: id("fim_sep")?,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vt_gguf::Writer;

    use super::*;

    fn read(fill: impl Fn(&mut Writer<'_>)) -> Result<Vocab, GgufError> {
        let mut writer = Writer::new();
        fill(&mut writer);
        vocab(&Gguf::from_bytes(Arc::new(writer.to_bytes().unwrap())).unwrap())
    }

    fn least(writer: &mut Writer<'_>) {
        writer.set("tokenizer.ggml.model", "gpt2").unwrap();
        writer.set("tokenizer.ggml.tokens", ["a", "", "b"]).unwrap();
    }

    #[test]
    fn what_a_file_leaves_out_stays_out() {
        let tokens = ["a", "", "b"].iter().collect();
        assert_eq!(read(least).unwrap(), Vocab { model: "gpt2".into(), tokens, ..Vocab::default() });
    }

    #[test]
    fn every_key_has_its_field() {
        let vocab = read(|w| {
            least(w);
            w.set("tokenizer.ggml.pre", "smollm").unwrap();
            w.set("tokenizer.ggml.token_type", [1i32, 3, 77]).unwrap();
            w.set("tokenizer.ggml.merges", ["a b"]).unwrap();
            w.set("tokenizer.ggml.scores", [0.5f32, -1.0, 2.0]).unwrap();
            w.set("tokenizer.ggml.add_space_prefix", false).unwrap();
            w.set("general.architecture", "phi3").unwrap();
            w.set("general.name", "Phi").unwrap();
            w.set("tokenizer.ggml.add_bos_token", true).unwrap();
            w.set("tokenizer.ggml.add_eos_token", false).unwrap();
            let names = [
                "bos", "eos", "unknown", "eot", "eom", "fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep",
            ];
            for (id, name) in (0u32..).zip(names) {
                w.set(&format!("tokenizer.ggml.{name}_token_id"), id).unwrap();
            }
            w.set("tokenizer.ggml.prefix_token_id", 99u32).unwrap();
        })
        .unwrap();
        assert_eq!((vocab.pre.as_deref(), vocab.add_bos, vocab.add_eos), (Some("smollm"), Some(true), Some(false)));
        assert_eq!(vocab.token_types, [TokenType::Normal, TokenType::Control, TokenType::Undefined]);
        assert_eq!(vocab.merges, Some(["a b"].iter().collect()));
        assert_eq!((vocab.scores, vocab.add_space_prefix), (Some(vec![0.5, -1.0, 2.0]), Some(false)));
        assert_eq!((vocab.architecture.as_deref(), vocab.name.as_deref()), (Some("phi3"), Some("Phi")));
        let special = SpecialIds {
            bos: Some(0),
            eos: Some(1),
            unk: Some(2),
            eot: Some(3),
            eom: Some(4),
            fim_pre: Some(5),
            fim_suf: Some(6),
            fim_mid: Some(7),
            fim_pad: Some(8),
            fim_rep: Some(9),
            fim_sep: Some(10),
        };
        assert_eq!(vocab.special, special);
    }

    #[test]
    fn scores_may_be_integers() {
        let vocab = read(|w| {
            least(w);
            w.set("tokenizer.ggml.scores", [3i32, -2, 0]).unwrap();
        });
        assert_eq!(vocab.unwrap().scores, Some(vec![3.0, -2.0, 0.0]));
    }

    #[test]
    fn older_keys_count_where_the_newer_are_missing() {
        let special = read(|w| {
            least(w);
            for (id, name) in (5u32..).zip(["prefix", "suffix", "middle"]) {
                w.set(&format!("tokenizer.ggml.{name}_token_id"), id).unwrap();
            }
        })
        .unwrap()
        .special;
        assert_eq!((special.fim_pre, special.fim_suf, special.fim_mid), (Some(5), Some(6), Some(7)));
    }

    #[test]
    fn errors_name_the_key() {
        let message = |fill: &dyn Fn(&mut Writer<'_>)| read(fill).unwrap_err().to_string();
        assert!(message(&|_| ()).contains("tokenizer.ggml.model"));
        let with = |key: &str, value: &str| {
            message(&|w| {
                least(w);
                w.set(key, value).unwrap();
            })
        };
        for key in ["token_type", "merges", "eos_token_id", "scores", "add_space_prefix"] {
            let key = format!("tokenizer.ggml.{key}");
            assert!(with(&key, "x").contains(&key));
        }
        let doubles = message(&|w| {
            least(w);
            w.set("tokenizer.ggml.scores", [1.0f64]).unwrap();
        });
        assert!(doubles.contains("tokenizer.ggml.scores") && doubles.contains("f32"), "{doubles}");
        let floats = message(&|w| {
            least(w);
            w.set("tokenizer.ggml.token_type", [1.0f32]).unwrap();
        });
        assert!(floats.contains("tokenizer.ggml.token_type") && floats.contains("integers"), "{floats}");
    }
}
