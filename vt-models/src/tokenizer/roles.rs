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

/// Texts of tokens that are shown and recognised whatever the file says.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// A text of [`END_OF_GENERATION`] that does not end an answer in vocabularies with certain other end tokens.
struct Exception {
    text: &'static str,
    /// One of each list ends answers, too.
    beside: &'static [&'static [&'static str]],
    becomes: TokenType,
}

const EXCEPTIONS: [Exception; 2] = [
    Exception {
        text: "<|end|>",
        beside: &[&["<|return|>", "<|flush|>"], &["<|call|>", "<|calls|>"]],
        becomes: TokenType::UserDefined,
    },
    Exception { text: "</s>", beside: &[&["<|tool_response>", "<|plamo:eos|>"]], becomes: TokenType::Normal },
];

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

/// Gives tokens the type that their text implies, and returns the ids that end an answer, ascending.
pub(super) fn assign(tokens: &ByteStrings, special: &SpecialIds, types: &mut [TokenType]) -> Vec<u32> {
    let known = KnownTexts::find(tokens);
    let mut ends: Vec<u32> = [special.eos, special.eot].into_iter().flatten().collect();
    for id in END_OF_GENERATION.iter().filter_map(|text| known.id(text)) {
        set(types, id, TokenType::Control);
        ends.push(id);
    }
    for role in &ROLES {
        let named = (role.id)(special);
        let found = if named.is_none() { role.texts.iter().find_map(|text| known.id(text)) } else { None };
        found.iter().for_each(|&id| set(types, id, TokenType::Control));
        ends.extend(named.or(found).filter(|_| role.ends_generation));
    }
    SHOWN.iter().filter_map(|text| known.id(text)).for_each(|id| set(types, id, TokenType::UserDefined));
    for exception in &EXCEPTIONS {
        except(exception, &known, types, &mut ends);
    }
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn except(exception: &Exception, known: &KnownTexts, types: &mut [TokenType], ends: &mut Vec<u32>) {
    let ending = |text: &str| known.id(text).filter(|id| ends.contains(id));
    let applies = exception.beside.iter().all(|texts| texts.iter().any(|text| ending(text).is_some()));
    if let Some(id) = ending(exception.text).filter(|_| applies) {
        ends.retain(|&end| end != id);
        set(types, id, exception.becomes);
    }
}

fn set(types: &mut [TokenType], id: u32, kind: TokenType) {
    if let Some(place) = types.get_mut(id as usize) {
        *place = kind;
    }
}

/// The ids of the texts above in one vocabulary.
struct KnownTexts(Vec<(&'static str, Option<u32>)>);

impl KnownTexts {
    fn find(tokens: &ByteStrings) -> Self {
        let beside = EXCEPTIONS.iter().flat_map(|exception| exception.beside.iter().copied().flatten());
        let texts =
            END_OF_GENERATION.iter().chain(ROLES.iter().flat_map(|role| role.texts)).chain(&SHOWN).chain(beside);
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
