//! The vocabulary: `tokenizer.ggml.*`.

use vt_gguf::{Array, Gguf, Metadata, Strings, Value, ValueType};
use vt_models::load::{self, is_model};
use vt_models::tokenizer::{TokenType, Tokenizer, TokenizerError};

use super::charsmap;
use super::finding::{Findings, shown};

/// Validates the file's tokenizer, if it has one.
pub(super) fn validate(gguf: &Gguf, findings: &mut Findings) {
    let metadata = gguf.metadata().scoped("tokenizer.ggml");
    let before = findings.errors();
    let tokens = match metadata.optional::<Strings<'_>>("tokens") {
        Ok(Some(tokens)) => tokens,
        Ok(None) if metadata.get("model").is_none() => {
            if is_model(gguf) {
                findings.warning("the file has no tokenizer");
            }
            return;
        }
        Ok(None) if matches!(metadata.str("model"), Ok("none" | "no_vocab")) => return,
        Ok(None) => return findings.key_error(metadata.implausible("tokens", "an array of strings")),
        Err(error) => return findings.key_error(error),
    };
    let sorted = texts(tokens.clone(), findings);
    lists(metadata, tokens, findings);
    merges(metadata, &sorted, findings);
    special_ids(gguf.metadata(), sorted.len(), findings);
    charsmap::validate(metadata, findings);
    whole(gguf, findings, before);
}

/// The tokens' texts, sorted; what is strange about them is told.
fn texts<'a>(tokens: Strings<'a>, findings: &mut Findings) -> Vec<&'a [u8]> {
    let mut sorted: Vec<&[u8]> = tokens.collect();
    let count = |findings: &mut Findings, n: usize, what: String| {
        if n > 0 {
            findings.warning(format!("metadata key `tokenizer.ggml.tokens`: {n} of {what}"));
        }
    };
    let all = format!("{} tokens", sorted.len());
    count(findings, sorted.iter().filter(|text| text.is_empty()).count(), format!("{all} are empty"));
    let odd = sorted.iter().filter(|text| std::str::from_utf8(text).is_err()).count();
    count(findings, odd, format!("{all} are not UTF-8"));
    sorted.sort_unstable();
    let same = |pair: &&[&[u8]]| matches!(pair, [a, b] if a == b && !a.is_empty());
    let repeated = sorted.windows(2).filter(same).count();
    let first = sorted.windows(2).find(same).and_then(|pair| pair.first()).copied().unwrap_or_default();
    count(findings, repeated, format!("{all} repeat an earlier one, such as `{}`", shown(first)));
    sorted
}

/// The lists that go with the tokens.
fn lists(metadata: Metadata<'_>, tokens: Strings<'_>, findings: &mut Findings) {
    let count = tokens.len();
    let long_enough = |key: &str, findings: &mut Findings| match metadata.optional::<Array<'_>>(key) {
        Ok(Some(array)) if array.len() < count => {
            findings.key_error(metadata.implausible(key, format!("at least {count} elements, one for each token")));
            None
        }
        Ok(array) => array,
        Err(error) => {
            findings.key_error(error);
            None
        }
    };
    if let Some(scores) = long_enough("scores", findings) {
        self::scores(metadata, scores, findings);
    }
    if let Some(types) = long_enough("token_type", findings) {
        self::types(metadata, types, tokens, findings);
    }
}

fn scores(metadata: Metadata<'_>, scores: Array<'_>, findings: &mut Findings) {
    if !matches!(scores.elem_type(), ValueType::F32 | ValueType::I32) {
        return findings.key_error(metadata.implausible("scores", "an array of f32 or i32"));
    }
    let odd = scores.iter().filter(|score| matches!(score, Value::F32(x) if !x.is_finite())).count();
    if odd > 0 {
        findings.warning(format!("metadata key `tokenizer.ggml.scores`: {odd} are NaN or infinite"));
    }
}

fn types(metadata: Metadata<'_>, types: Array<'_>, tokens: Strings<'_>, findings: &mut Findings) {
    let key = "metadata key `tokenizer.ggml.token_type`";
    let mut unknown = 0usize;
    let mut bad_byte = None;
    for (id, (number, text)) in types.iter().zip(tokens).enumerate() {
        let Some(number) = number.as_int() else {
            return findings.key_error(metadata.implausible("token_type", "an array of integers"));
        };
        unknown += usize::from(!(1..=6).contains(&number));
        let kind = TokenType::from_gguf(i64::try_from(number).unwrap_or(0));
        if kind == TokenType::Byte && !is_byte(text) {
            bad_byte.get_or_insert((id, text));
        }
    }
    if unknown > 0 {
        findings.warning(format!("{key}: {unknown} are no type from 1 to 6"));
    }
    if let Some((id, text)) = bad_byte {
        findings.error(format!("{key}: token {id} is a byte, expected <0xHH>, found `{}`", shown(text)));
    }
}

fn is_byte(text: &[u8]) -> bool {
    matches!(text, [b'<', b'0', b'x', a, b, b'>'] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
}

/// A merge is two parts with a space between them; what it makes should be a token.
fn merges(metadata: Metadata<'_>, sorted: &[&[u8]], findings: &mut Findings) {
    let merges = match metadata.optional::<Strings<'_>>("merges") {
        Ok(None) => return,
        Ok(Some(merges)) => merges,
        Err(error) => return findings.key_error(error),
    };
    let count = merges.len();
    let key = "metadata key `tokenizer.ggml.merges`";
    let (mut bad, mut idle) = ((0usize, None), 0usize);
    let mut whole = Vec::new();
    for (index, merge) in merges.enumerate() {
        match parts(merge) {
            None => {
                bad.0 += 1;
                bad.1.get_or_insert((index, merge));
            }
            Some((left, right)) => {
                whole.clear();
                whole.extend_from_slice(left);
                whole.extend_from_slice(right);
                idle += usize::from(sorted.binary_search(&whole.as_slice()).is_err());
            }
        }
    }
    if let (n, Some((index, merge))) = bad {
        let found = format!("merge {index} is `{}`", shown(merge));
        findings.error(format!("{key}: expected two parts with a space between them, but {n} are not: {found}"));
    }
    if idle > 0 {
        findings.warning(format!("{key}: {idle} of {count} make no token of the vocabulary"));
    }
}

/// The first character belongs to the left part, whatever it is.
fn parts(merge: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = 1 + merge.get(1..)?.iter().position(|byte| *byte == b' ')?;
    let (left, right) = merge.split_at_checked(space)?;
    let right = right.get(1..).filter(|right| !right.is_empty())?;
    Some((left, right))
}

/// Every id that a key names is in the vocabulary.
fn special_ids(metadata: Metadata<'_>, tokens: usize, findings: &mut Findings) {
    let named = |key: &str| key.starts_with("tokenizer.ggml.") && key.ends_with("_token_id");
    for (key, value) in metadata.iter().filter(|(key, _)| named(key)) {
        let inside = value.as_int().is_some_and(|id| usize::try_from(id).is_ok_and(|id| id < tokens));
        if !inside {
            findings.key_error(metadata.implausible(key, format!("a token's id, less than {tokens}")));
        }
    }
}

/// Whether vt has the tokenizer. What else it refuses is told unless errors were found already: most likely it is one
/// of them.
fn whole(gguf: &Gguf, findings: &mut Findings, errors_before: usize) {
    let tokenizer = match load::vocab(gguf) {
        Ok(vocab) => Tokenizer::new(vocab),
        Err(error) => return findings.key_error(error),
    };
    match tokenizer {
        Ok(tokenizer) if tokenizer.assumes_pre() => {
            findings.warning("the file names no pre-tokenizer: `default` is used");
        }
        Ok(_) => {}
        Err(error @ (TokenizerError::UnsupportedModel { .. } | TokenizerError::UnsupportedPre { .. })) => {
            findings.warning(format!("vt cannot tokenize for this model: {error}"));
        }
        Err(error) if findings.errors() == errors_before => findings.error(error),
        Err(_) => {}
    }
}
