//! Tokens whose role follows from their text.
//!
//! Files often do not say which tokens end an answer, or give control tokens another type. The texts below are those
//! that llama.cpp recognises; its lists are the reference.

use super::byte_strings::ByteStrings;
use super::vocab::{SpecialIds, TokenType};

/// Texts of tokens that end an answer.
const END_OF_GENERATION: [&str; 22] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
];

/// Texts of tokens that are part of the text whatever the file says: marks between the parts of an answer.
const ALWAYS_SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// A role that one token of a vocabulary has: that which the file names, or else the first of the texts that exists.
struct Role {
    id: fn(&SpecialIds) -> Option<u32>,
    texts: &'static [&'static str],
    ends_generation: bool,
}

const ROLES: [Role; 7] = [
    Role { id: |ids| ids.eom, texts: &["<|eom_id|>"], ends_generation: true },
    Role {
        id: |ids| ids.fim_pre,
        texts: &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
        ends_generation: false,
    },
    Role {
        id: |ids| ids.fim_suf,
        texts: &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
        ends_generation: false,
    },
    Role {
        id: |ids| ids.fim_mid,
        texts: &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
        ends_generation: false,
    },
    Role {
        id: |ids| ids.fim_pad,
        texts: &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"],
        ends_generation: true,
    },
    Role {
        id: |ids| ids.fim_rep,
        texts: &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
        ends_generation: true,
    },
    Role { id: |ids| ids.fim_sep, texts: &["<|file_sep|>"], ends_generation: true },
];

/// Gives tokens with a well-known text the type that goes with it, and returns the ids that end an answer, ascending.
pub(super) fn assign(tokens: &ByteStrings, special: &SpecialIds, types: &mut [TokenType]) -> Vec<u32> {
    let known = KnownTexts::find(tokens);
    let mut ends: Vec<u32> = [special.eos, special.eot].into_iter().flatten().collect();
    for id in END_OF_GENERATION.iter().filter_map(|text| known.id(text)) {
        set_type(types, id, TokenType::Control);
        ends.push(id);
    }
    for role in &ROLES {
        let named = (role.id)(special);
        let found = if named.is_none() { role.texts.iter().find_map(|text| known.id(text)) } else { None };
        found.iter().for_each(|&id| set_type(types, id, TokenType::Control));
        ends.extend(named.or(found).filter(|_| role.ends_generation));
    }
    for id in ALWAYS_SHOWN.iter().filter_map(|text| known.id(text)) {
        set_type(types, id, TokenType::UserDefined);
    }
    for (id, kind) in inner_marks(&known, &ends) {
        set_type(types, id, kind);
        ends.retain(|&end| end != id);
    }
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Tokens that end an answer elsewhere but are something else beside others of the vocabulary, and what they are.
fn inner_marks(known: &KnownTexts, ends: &[u32]) -> Vec<(u32, TokenType)> {
    let end = |text: &str| known.id(text).filter(|id| ends.contains(id));
    let any = |texts: [&str; 2]| texts.into_iter().any(|text| end(text).is_some());
    // Where a message can end in a call, `<|end|>` is only the end of a part (gpt-oss, Solar Open).
    let calls = any(["<|call|>", "<|calls|>"]) && any(["<|return|>", "<|flush|>"]);
    let part = end("<|end|>").filter(|_| calls).map(|id| (id, TokenType::UserDefined));
    // Gemma 4 and PLaMo have `</s>` as a piece of HTML.
    let html = end("</s>").filter(|_| any(["<|tool_response>", "<|plamo:eos|>"])).map(|id| (id, TokenType::Normal));
    part.into_iter().chain(html).collect()
}

fn set_type(types: &mut [TokenType], id: u32, kind: TokenType) {
    if let Some(entry) = types.get_mut(id as usize) {
        *entry = kind;
    }
}

/// The ids of the texts above in one vocabulary.
struct KnownTexts(Vec<(&'static str, Option<u32>)>);

impl KnownTexts {
    fn find(tokens: &ByteStrings) -> Self {
        let roles = ROLES.iter().flat_map(|role| role.texts);
        let texts = END_OF_GENERATION.iter().chain(roles).chain(&ALWAYS_SHOWN).chain(&["<|plamo:eos|>"]);
        let mut known: Vec<_> = texts.map(|&text| (text, None)).collect();
        known.sort_unstable();
        known.dedup();
        for (id, text) in (0..).zip(tokens.iter()) {
            if !matches!(text.first(), Some(b'<' | b'[' | b'_' | 0xE2)) {
                continue;
            }
            if let Ok(at) = known.binary_search_by(|(known, _)| known.as_bytes().cmp(text)) {
                known[at].1.get_or_insert(id);
            }
        }
        Self(known)
    }

    fn id(&self, text: &str) -> Option<u32> {
        self.0.binary_search_by(|(known, _)| (*known).cmp(text)).ok().and_then(|at| self.0[at].1)
    }
}
