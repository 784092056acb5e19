//! The rules of SentencePiece vocabularies.

use super::super::*;
use super::random::Random;
use super::spm_goldens::{FILES, vocab};
use super::{PLAIN, WITH_SPECIAL};

/// A vocabulary of normal tokens, without byte tokens: 0 is unknown.
fn small(tokens: &[&str], scores: &[f32]) -> Vocab {
    let tokens = ["<unk>"].iter().chain(tokens);
    let scores = [0.0].iter().chain(scores).copied().collect();
    Vocab {
        model: "llama".into(),
        tokens: tokens.collect(),
        scores: Some(scores),
        add_space_prefix: Some(false),
        add_bos: Some(false),
        ..Vocab::default()
    }
}

fn id(vocab: &Vocab, text: &str) -> u32 {
    vocab.tokens.iter().position(|token| token == text.as_bytes()).unwrap() as u32
}

/// Merging by the definition: look through the whole text for the pair with the highest score, again and again.
fn merged_by_definition(vocab: &Vocab, text: &str) -> Vec<u32> {
    let find = |text: &str| vocab.tokens.iter().position(|token| token == text.as_bytes());
    let mut parts: Vec<String> = text.replace(' ', "▁").chars().map(String::from).collect();
    let scores = vocab.scores.as_ref().unwrap();
    loop {
        let mut best: Option<(f32, usize)> = None;
        for (at, pair) in parts.windows(2).enumerate() {
            if let Some(score) = find(&pair.concat()).map(|whole| scores[whole])
                && best.is_none_or(|(highest, _)| score > highest)
            {
                best = Some((score, at));
            }
        }
        let Some((_, at)) = best else { break };
        let right = parts.remove(at + 1);
        parts[at].push_str(&right);
    }
    let bytes = |part: &String| part.bytes().map(|b| find(&format!("<0x{b:02X}>")).unwrap()).collect();
    parts.iter().flat_map(|part| find(part).map_or_else(|| bytes(part), |id| vec![id])).map(|id| id as u32).collect()
}

#[test]
fn merges_as_defined() {
    let mut vocab = vocab("bare");
    // Nothing is recognised before merging.
    vocab.token_types.iter_mut().for_each(|kind| *kind = TokenType::Normal);
    vocab.name = None;
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    let mut random = Random(3);
    for alphabet in ["hello wrd", "ate ", "字é x<04", "the aaaa\n\n12 00"] {
        let letters: Vec<char> = alphabet.chars().collect();
        for _ in 0..300 {
            let text: String = (0..random.below(30)).map(|_| letters[random.below(letters.len())]).collect();
            assert_eq!(tokenizer.encode(&text, PLAIN), merged_by_definition(&vocab, &text), "{text:?}");
        }
    }
}

#[test]
fn any_bytes_survive_and_stream() {
    let all: Vec<u8> = (0..=255).collect();
    let some = "hello é字😀<s>\u{301} <tool>".bytes().chain([0xff, 0xf0, 0x9f, 0xe5]).collect::<Vec<_>>();
    for (name, _) in FILES {
        let tokenizer = Tokenizer::new(vocab(name)).unwrap();
        let mut random = Random(1);
        for round in 0..2000 {
            let text = random.bytes(if round % 2 == 0 { &all } else { &some });
            let tokens = tokenizer.encode(&text, PLAIN);
            // User-defined tokens do not: what is behind one gets a space, and `▁▁<`, to which merging leads, shows its
            // marks.
            let user_defined: [&[u8]; 4] = [b"  >", b"ol>", b"  <", "▁".as_bytes()];
            let spaced = [b" ", &text[..]].concat();
            if !spaced.windows(3).any(|bytes| user_defined.contains(&bytes)) {
                assert_eq!(tokenizer.decode(&tokens, true).unwrap(), text, "{name}");
            }
            for tokens in [tokens, tokenizer.encode(&text, WITH_SPECIAL)] {
                let whole: Vec<u8> = tokens.iter().flat_map(|&id| tokenizer.piece(id, true)).copied().collect();
                let decoded = tokenizer.decode(&tokens, true).unwrap();
                assert!(whole == decoded || whole.strip_prefix(b" ") == Some(&decoded[..]));
                let mut stream = TextStream::new(true);
                let mut shown: String = tokens.iter().map(|&id| stream.push(&tokenizer, id).to_owned()).collect();
                shown += stream.flush();
                assert_eq!(shown, String::from_utf8_lossy(&whole));
            }
        }
    }
}

#[test]
fn a_character_in_byte_tokens_streams_with_the_last_of_them() {
    let vocab = vocab("plain");
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    let byte = |byte: u8| id(&vocab, &format!("<0x{byte:02X}>"));
    let tokens = [id(&vocab, "▁a"), byte(0xe5), byte(0xad), byte(0x97), byte(0xf0), byte(0x9f), id(&vocab, "e")];
    let mut stream = TextStream::new(false);
    let shown = tokens.map(|token| stream.push(&tokenizer, token).to_owned());
    assert_eq!(shown, [" a", "", "", "字", "", "", "\u{fffd}e"]);
    assert_eq!(stream.flush(), "");
}

#[test]
fn a_broken_character_takes_what_follows_but_no_space() {
    let vocab = vocab("plain");
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    let ids = |texts: &[&str]| texts.iter().map(|text| id(&vocab, text)).collect::<Vec<_>>();
    assert_eq!(tokenizer.encode(b"\xff a", PLAIN), ids(&["▁", "<0xFF>", "▁a"]));
    assert_eq!(tokenizer.encode(b"\xe5a a", PLAIN), ids(&["▁", "<0xE5>", "<0x61>", "▁a"]));
    assert_eq!(tokenizer.encode(b"\xe5aaa", PLAIN), ids(&["▁", "<0xE5>", "<0x61>", "<0x61>", "a"]));
}

#[test]
fn very_long_texts() {
    let vocab = vocab("plain");
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    for (text, length, token, each) in
        [("a", 1, "aaaa", 4), (" ", 1, "▁▁▁▁", 4), ("😀", 4, "😀", 1), ("字", 3, "字字", 2)]
    {
        let count = 1_000_000 / length;
        let tokens = tokenizer.encode(text.repeat(count), PLAIN);
        assert!(tokens.len() <= count / each + 4, "{text:?}: {}", tokens.len());
        assert!(tokens.iter().filter(|&&found| found != id(&vocab, token)).count() <= 4, "{text:?}");
    }
}

#[test]
fn a_text_starts_with_a_space_unless_the_file_says_otherwise() {
    let encode = |prefix, text: &str| {
        let vocab = Vocab { add_space_prefix: prefix, ..small(&["▁", "a", "▁a"], &[0.0; 3]) };
        let tokenizer = Tokenizer::new(vocab).unwrap();
        let tokens = tokenizer.encode(text, PLAIN);
        assert_eq!(tokenizer.decode(&tokens, false).unwrap(), text.as_bytes());
        tokens
    };
    for prefix in [None, Some(true)] {
        assert_eq!(encode(prefix, "a"), [3]);
        assert_eq!(encode(prefix, " a"), [1, 3]);
        assert_eq!(encode(prefix, ""), [0_u32; 0]);
    }
    assert_eq!(encode(Some(false), "a a"), [2, 3]);
    assert_eq!(encode(Some(false), " a"), [3]);
}

#[test]
fn only_the_first_token_of_a_text_is_shown_without_its_space() {
    let vocab = vocab("plain");
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    let text = |tokens: &[&str]| {
        let tokens: Vec<u32> = tokens.iter().map(|text| id(&vocab, text)).collect();
        String::from_utf8(tokenizer.decode(&tokens, false).unwrap()).unwrap()
    };
    assert_eq!(text(&["▁a", "▁a"]), "a a");
    assert_eq!(text(&["▁▁", "▁a"]), "  a");
    assert_eq!(text(&["<s>", "▁a"]), " a");
    assert_eq!(text(&["a", "▁a"]), "a a");
}

#[test]
fn ids_that_a_file_does_not_give_are_unknown_0_bos_1_and_eos_2() {
    let asked = EncodeOptions { add_bos: true, special: false };
    let tokens = ["<s>", "</s>", "a", "b"];
    let vocab = Vocab { add_bos: None, ..small(&tokens, &[0.0; 4]) };
    let tokenizer = Tokenizer::new(vocab.clone()).unwrap();
    assert_eq!((tokenizer.bos(), tokenizer.eos(), tokenizer.adds_bos()), (Some(1), Some(2), true));
    assert!(tokenizer.is_end_of_generation(2) && !tokenizer.is_end_of_generation(1));
    assert_eq!(tokenizer.encode("azb", asked), [1, 3, 0, 4]);
    let special = SpecialIds { bos: Some(3), eos: Some(4), unk: Some(2), ..SpecialIds::default() };
    let tokenizer = Tokenizer::new(Vocab { special, add_eos: Some(true), ..vocab }).unwrap();
    assert_eq!(tokenizer.encode("azb", asked), [3, 3, 2, 4, 4]);
    let tokenizer = Tokenizer::new(Vocab { add_bos: None, ..small(&[], &[]) }).unwrap();
    assert_eq!((tokenizer.bos(), tokenizer.eos()), (None, None));
    assert_eq!(tokenizer.encode("ab", asked), [0, 0]);
    assert_eq!((tokenizer.pre_name(), tokenizer.assumes_pre()), (None, false));
}

#[test]
fn a_character_without_tokens_becomes_bytes_or_one_unknown_token() {
    let bytes: Vec<String> = "字".bytes().map(|byte| format!("<0x{byte:02X}>")).collect();
    let mut tokens: Vec<&str> = bytes.iter().map(String::as_str).collect();
    tokens.extend(["q", "字字"]);
    let tokenizer = Tokenizer::new(small(&tokens, &[0.0; 5])).unwrap();
    assert_eq!(tokenizer.encode("字q字", PLAIN), [1, 2, 3, 4, 1, 2, 3]);
    assert_eq!(tokenizer.encode("字字é", PLAIN), [5, 0]);
    assert_eq!(tokenizer.encode(b"q\xe5\xff", PLAIN), [4, 0]);
    // Without an id for unknown text there is nothing to show it with.
    let none = Vocab { tokens: ByteStrings::default(), scores: Some(Vec::new()), ..small(&[], &[]) };
    assert_eq!(Tokenizer::new(none).unwrap().encode("ab", PLAIN), [0_u32; 0]);
}

#[test]
fn tokens_with_real_spaces_are_recognised_but_come_of_no_merge() {
    let mut vocab = small(&["▁", "a", "a b", "b", "a▁"], &[0.0; 5]);
    assert_eq!(Tokenizer::new(vocab.clone()).unwrap().encode("a b", PLAIN), [5, 4]);
    vocab.token_types = vec![TokenType::Normal; 6];
    vocab.token_types[3] = TokenType::UserDefined;
    let tokenizer = Tokenizer::new(vocab).unwrap();
    assert_eq!(tokenizer.encode("a ba▁b", PLAIN), [3, 5, 4]);
    assert_eq!(tokenizer.decode(&[3, 5], false).unwrap(), b"a ba ");
}

#[test]
fn equal_scores_merge_from_the_left_and_repeated_tokens_keep_the_lowest_id() {
    let tokenizer = Tokenizer::new(small(&["a", "b", "ab", "ba", "ab"], &[0.0, 0.0, 0.0, -0.0, 9.0])).unwrap();
    assert_eq!(tokenizer.encode("abab", PLAIN), [3, 3]);
    assert_eq!(tokenizer.encode("baba", PLAIN), [4, 4]);
}

#[test]
fn bad_scores_are_errors() {
    use TokenizerError as E;
    let error = |scores: Option<Vec<f32>>| {
        let vocab = Vocab { scores, ..small(&["a", "b"], &[0.0; 2]) };
        Tokenizer::new(vocab).map(|tokenizer| tokenizer.len())
    };
    assert_eq!(error(None), Err(E::MissingScores));
    assert_eq!(error(Some(vec![0.0; 2])), Err(E::TooFewScores { scores: 2, tokens: 3 }));
    assert_eq!(error(Some(vec![0.0, f32::NAN, 0.0])), Err(E::BadScore { id: 1 }));
    assert_eq!(error(Some(vec![0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN])), Ok(3));
    let mut byte = small(&["<0xZZ>"], &[0.0]);
    byte.token_types = vec![TokenType::Unknown, TokenType::Byte];
    assert_eq!(Tokenizer::new(byte).unwrap_err(), E::BadByteToken { id: 1 });
}
