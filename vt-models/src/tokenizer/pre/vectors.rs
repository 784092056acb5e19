//! Words of every pre-tokenizer against llama.cpp's own. `goldens/tokenizers/words.py` made the files, and chose the
//! texts so that each expression is told from slightly different ones.

use std::collections::{BTreeMap, BTreeSet};

use super::{PRE_TOKENIZERS, PreTokenizer, TokenizerError};

/// Lines of a name, the name whose words it has, whether merges are ignored, whether BOS is added.
const NAMES: &str = include_str!("../../../tests/data/pre/names.tsv");
/// A list of texts.
const TEXTS: &str = include_str!("../../../tests/data/pre/texts.json");
/// For each name, for each text, the lengths of its words in characters as digits of base 36.
const WORDS: &str = include_str!("../../../tests/data/pre/words.json");

fn words<'t>(pre: &PreTokenizer, text: &'t [u8]) -> Vec<&'t [u8]> {
    let mut words = Vec::new();
    pre.split(text, &mut |word| words.push(word));
    words
}

fn texts() -> Vec<String> {
    serde_json::from_str(TEXTS).unwrap()
}

/// The words of `text` that `lengths` says.
fn cut<'t>(mut text: &'t str, lengths: &str) -> Vec<&'t str> {
    let mut words = Vec::new();
    for length in lengths.chars().map(|digit| digit.to_digit(36).unwrap() as usize) {
        let end = text.char_indices().nth(length).map_or(text.len(), |(end, _)| end);
        let (word, rest) = text.split_at(end);
        words.push(word);
        text = rest;
    }
    assert_eq!(text, "");
    words
}

#[test]
fn words_are_those_of_llama_cpp_for_every_name() {
    let texts = texts();
    let lengths: BTreeMap<String, Vec<String>> = serde_json::from_str(WORDS).unwrap();
    let mut seen = BTreeSet::new();
    for line in NAMES.lines() {
        let [name, rules, ignore_merges, add_bos] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let pre = PreTokenizer::by_name(name).unwrap();
        assert_eq!((pre.ignore_merges, pre.add_bos), (ignore_merges == "1", add_bos == "1"), "{name}");
        assert_eq!(texts.len(), lengths[rules].len());
        for (text, lengths) in texts.iter().zip(&lengths[rules]) {
            let found = words(pre, text.as_bytes());
            let found: Vec<_> = found.iter().map(|word| str::from_utf8(word).unwrap()).collect();
            assert_eq!(found, cut(text, lengths), "{name}: {text:?}");
        }
        assert!(seen.insert(name), "{name}");
    }
    let known: Vec<_> = PRE_TOKENIZERS.iter().flat_map(|pre| pre.names).copied().collect();
    assert_eq!(known.len(), seen.len(), "a name is known twice");
    assert_eq!(BTreeSet::from_iter(known), seen);
}

#[test]
fn words_of_any_bytes_are_the_text() {
    let mut state = 1_u32;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % limit
    };
    let all = texts().concat();
    let all = all.as_bytes();
    for round in 0..400 {
        let mut text: Vec<u8> = (0..random(30)).map(|_| random(256) as u8).collect();
        for _ in 0..random(20) {
            // Parts of the texts, cut anywhere, also within characters.
            let start = random(all.len());
            text.extend_from_slice(&all[start..all.len().min(start + 1 + random(9))]);
        }
        for pre in &PRE_TOKENIZERS {
            let found = words(pre, &text);
            assert!(found.iter().all(|word| !word.is_empty()), "{}, round {round}", pre.name());
            assert_eq!(found.concat(), text, "{}, round {round}", pre.name());
        }
    }
}

/// An expression that looked at the rest of a run again for each of its characters would take very long here.
#[test]
fn long_runs_are_cut_in_one_go() {
    let units = ["a", "A", "1", " ", ".", "\n", "\0", "字", "éA", "\u{3000}", "\n ", "\u{301}", "'", "١"];
    for unit in units {
        for end in ["", "1", "x", "\n"] {
            let text = unit.repeat(60_000 / unit.len()) + end;
            for pre in &PRE_TOKENIZERS {
                let mut length = 0;
                pre.split(text.as_bytes(), &mut |word| length += word.len());
                assert_eq!(length, text.len(), "{}", pre.name());
            }
        }
    }
}

#[test]
fn an_unknown_name_is_told_the_known_ones() {
    let error = PreTokenizer::by_name("gpt-5").unwrap_err();
    let TokenizerError::UnsupportedPre { pre, supported } = &error else { panic!("{error}") };
    assert_eq!(pre, "gpt-5");
    for name in ["default", "gpt-2", "llama-bpe", "qwen2", "qwen35", "smollm", "command-r", "deepseek-coder"] {
        assert!(supported.contains(name), "{supported}");
    }
}
