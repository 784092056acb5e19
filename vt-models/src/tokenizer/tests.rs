//! A tiny vocabulary: the 256 bytes, a few merges, a few special tokens.

use super::model::byte_alphabet::char_of;
use super::*;

const MERGES: [&str; 9] = ["l l", "h e", "Ġ w", "e ll", "he ll", "a a", "aa aa", "o o", "l o"];
const SPECIAL: [(&str, TokenType); 8] = [
    ("<s>", TokenType::Control),
    ("</s>", TokenType::Normal),
    ("<|im_end|>", TokenType::UserDefined),
    ("<tool>", TokenType::UserDefined),
    ("<tool>x", TokenType::UserDefined),
    ("<unk>", TokenType::Unknown),
    ("", TokenType::Normal),
    ("[PAD0]", TokenType::Unused),
];

/// Byte b is token b, then one token per merge, then the special ones.
fn vocab() -> Vocab {
    let bytes = (0..=255).map(|byte| char_of(byte).to_string());
    let merged = MERGES.iter().map(|merge| merge.replace(' ', ""));
    let special = SPECIAL.iter().map(|(text, _)| (*text).to_owned());
    let types = std::iter::repeat_n(TokenType::Normal, 256 + MERGES.len()).chain(SPECIAL.iter().map(|s| s.1));
    Vocab {
        model: "gpt2".into(),
        pre: Some("gpt-2".into()),
        tokens: bytes.chain(merged).chain(special).collect(),
        token_types: types.collect(),
        merges: Some(MERGES.iter().collect()),
        special: SpecialIds { bos: Some(special_id("<s>")), eos: Some(special_id("</s>")), ..SpecialIds::default() },
        add_bos: Some(true),
        add_eos: None,
    }
}

fn special_id(text: &str) -> u32 {
    (256 + MERGES.len() + SPECIAL.iter().position(|s| s.0 == text).unwrap()) as u32
}

fn merged_id(text: &str) -> u32 {
    (256 + MERGES.iter().position(|merge| merge.replace(' ', "") == text).unwrap()) as u32
}

const PLAIN: EncodeOptions = EncodeOptions { add_bos: false, special: false };
const WITH_SPECIAL: EncodeOptions = EncodeOptions { add_bos: false, special: true };

/// Merging by the definition: look through the whole word for the lowest rank, again and again.
fn merged_by_definition(word: &[u8]) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = word.iter().map(|&byte| vec![byte]).collect();
    let ranks: Vec<(Vec<u8>, Vec<u8>)> = MERGES
        .iter()
        .map(|merge| merge.replace('Ġ', "_").split_once(' ').map(|(l, r)| (l.into(), r.into())).unwrap())
        .map(|(l, r): (String, String)| (l.replace('_', " ").into_bytes(), r.replace('_', " ").into_bytes()))
        .collect();
    let rank = |pair: &[Vec<u8>]| ranks.iter().position(|(l, r)| *l == pair[0] && *r == pair[1]);
    while let Some((_, at)) = parts.windows(2).enumerate().filter_map(|(at, pair)| Some((rank(pair)?, at))).min() {
        let right = parts.remove(at + 1);
        parts[at].extend(right);
    }
    parts
}

struct Random(u32);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }

    fn bytes(&mut self, alphabet: &[u8]) -> Vec<u8> {
        let length = self.below(60);
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

#[test]
fn merges_as_defined() {
    let tokenizer = Tokenizer::new(vocab()).unwrap();
    let mut random = Random(7);
    for _ in 0..2000 {
        let word = random.bytes(b"aaahelloo");
        let tokens = tokenizer.encode(&word, PLAIN);
        let found: Vec<_> = tokens.iter().map(|&id| tokenizer.piece(id, false).to_vec()).collect();
        assert_eq!(found, merged_by_definition(&word), "{}", String::from_utf8_lossy(&word));
    }
    // "hell" is reached by way of "ell", which has a better rank than "l o".
    assert_eq!(tokenizer.encode("hello w", PLAIN), [merged_id("hell"), u32::from(b'o'), merged_id("Ġw")]);
}

#[test]
fn a_very_long_word() {
    let tokenizer = Tokenizer::new(vocab()).unwrap();
    let tokens = tokenizer.encode("a".repeat(1_000_003), PLAIN);
    assert_eq!(tokens.len(), 250_002);
    assert!(tokens[..250_000].iter().all(|&id| id == merged_id("aaaa")));
    assert_eq!(tokens[250_000..], [merged_id("aa"), u32::from(b'a')]);
}

#[test]
fn any_bytes_survive_and_stream() {
    let tokenizer = Tokenizer::new(vocab()).unwrap();
    let mut random = Random(1);
    let all: Vec<u8> = (0..=255).collect();
    let some = "he é字😀\u{301}<s>".bytes().chain([0xff, 0xf0, 0x9f, 0xe5]).collect::<Vec<_>>();
    for round in 0..3000 {
        let text = random.bytes(if round % 2 == 0 { &all } else { &some });
        for options in [PLAIN, WITH_SPECIAL] {
            let tokens = tokenizer.encode(&text, options);
            assert_eq!(tokenizer.decode(&tokens, true).unwrap(), text);
            let mut stream = TextStream::new(true);
            let mut shown: String = tokens.iter().map(|&id| stream.push(&tokenizer, id).to_owned()).collect();
            shown += stream.flush();
            assert_eq!(shown, String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn the_stream_holds_back_only_what_is_unfinished() {
    let tokenizer = Tokenizer::new(vocab()).unwrap();
    let mut stream = TextStream::new(false);
    let shown: Vec<String> = b"a\xe5\xad\x97b\xf0\x9f\x98\x80\xc3(\xe5"
        .iter()
        .map(|&byte| stream.push(&tokenizer, byte.into()).to_owned())
        .collect();
    assert_eq!(shown, ["a", "", "", "字", "b", "", "", "", "😀", "", "\u{fffd}(", ""]);
    assert_eq!(stream.flush(), "\u{fffd}");
    assert_eq!(stream.flush(), "");
    assert_eq!(stream.push(&tokenizer, special_id("<s>")), "");
    assert_eq!(stream.push(&tokenizer, 1_000_000), "");
}

#[test]
fn special_tokens_in_text() {
    let tokenizer = Tokenizer::new(vocab()).unwrap();
    let text = "<s>h<tool>x</s><tool><|im_end|><unk>[PAD0]";
    let tokens = tokenizer.encode(text, WITH_SPECIAL);
    let special = ["<tool>x", "</s>", "<tool>", "<|im_end|>", "<unk>"].map(special_id);
    assert_eq!(tokens[..7], [&[special_id("<s>"), u32::from(b'h')][..], &special].concat());
    assert_eq!(tokenizer.decode(&tokens, true).unwrap(), text.as_bytes());
    assert_eq!(tokenizer.decode(&tokens, false).unwrap(), b"h<tool>x<tool>[PAD0]");

    let tokens = tokenizer.encode(text, PLAIN);
    let found: Vec<_> = tokens.iter().filter(|&&id| id >= special_id("<s>")).collect();
    assert_eq!(found, [&special_id("<tool>x"), &special_id("<tool>")]);
    assert_eq!(tokenizer.decode(&tokens, false).unwrap(), text.as_bytes());
}

#[test]
fn unused_and_byte_and_unprintable_tokens_show_as_their_type_says() {
    let mut vocab = vocab();
    vocab.tokens.push(b"<0x0A>");
    vocab.token_types.push(TokenType::Byte);
    vocab.tokens.push("a 字Ġ".as_bytes());
    vocab.token_types.push(TokenType::Normal);
    let last = vocab.tokens.len() as u32 - 1;
    let tokenizer = Tokenizer::new(vocab).unwrap();
    assert_eq!(tokenizer.piece(last - 1, false), b"\n");
    assert_eq!(tokenizer.piece(last, false), "a 字 ".as_bytes());
    assert_eq!(tokenizer.piece(special_id("[PAD0]"), true), b"");
    assert_eq!(tokenizer.piece(special_id(""), true), b"");
    assert_eq!(tokenizer.piece(last + 1, true), b"");
    assert_eq!(tokenizer.len() as u32, last + 1);
    let error = tokenizer.decode(&[0, last + 1], true).unwrap_err();
    assert_eq!(error, TokenizerError::UnknownToken { id: last + 1, tokens: last as usize + 1 });
}

#[test]
fn bos_and_eos_follow_the_files_rule() {
    let (bos, eos, a) = (special_id("<s>"), special_id("</s>"), u32::from(b'a'));
    let asked = EncodeOptions { add_bos: true, special: false };
    let encode = |pre: &str, add_bos, add_eos| {
        let tokenizer = Tokenizer::new(Vocab { pre: Some(pre.into()), add_bos, add_eos, ..vocab() }).unwrap();
        assert_eq!(tokenizer.encode("a", PLAIN), [a]);
        assert_eq!((tokenizer.bos(), tokenizer.eos()), (Some(bos), Some(eos)));
        assert_eq!(tokenizer.adds_bos(), tokenizer.encode("", asked).first() == Some(&bos));
        tokenizer.encode("a", asked)
    };
    assert_eq!(encode("gpt-2", Some(true), None), [bos, a]);
    assert_eq!(encode("gpt-2", None, Some(true)), [a, eos]);
    assert_eq!(encode("llama-bpe", None, None), [bos, a]);
    assert_eq!(encode("llama-bpe", Some(false), Some(false)), [a]);
}

#[test]
fn end_tokens_are_known_by_id_and_by_text() {
    let ends = |vocab| {
        let tokenizer = Tokenizer::new(vocab).unwrap();
        (0..tokenizer.len() as u32).filter(|&id| tokenizer.is_end_of_generation(id)).collect::<Vec<_>>()
    };
    let by_text = ["</s>", "<|im_end|>"].map(special_id);
    assert_eq!(ends(vocab()), by_text);
    let mut named = vocab();
    (named.special.eot, named.special.fim_pre, named.special.fim_pad) = (Some(1), Some(2), Some(3));
    named.tokens.push(b"<|fim_pad|>");
    assert_eq!(ends(Vocab { token_types: Vec::new(), ..named }), [[1, 3], by_text].concat());
    let mut unnamed = vocab();
    ["<|fim_prefix|>", "<|repo_name|>"].iter().for_each(|text| unnamed.tokens.push(text.as_bytes()));
    let repo = unnamed.tokens.len() as u32 - 1;
    let unnamed = Vocab { token_types: Vec::new(), ..unnamed };
    let tokenizer = Tokenizer::new(unnamed.clone()).unwrap();
    assert_eq!(tokenizer.token_type(repo - 1), Some(TokenType::Control));
    assert_eq!(ends(unnamed), [&by_text[..], &[repo]].concat());
}

#[test]
fn what_ends_an_answer_depends_on_its_neighbours() {
    let with = |texts: &[&str]| {
        let mut vocab = vocab();
        for text in texts {
            vocab.tokens.push(text.as_bytes());
            vocab.token_types.push(TokenType::Control);
        }
        let first = (vocab.tokens.len() - texts.len()) as u32;
        let tokenizer = Tokenizer::new(vocab).unwrap();
        let found =
            (first..).take(texts.len()).map(|id| (tokenizer.is_end_of_generation(id), tokenizer.token_type(id)));
        found.map(|(end, kind)| (end, kind.unwrap())).collect::<Vec<_>>()
    };
    let (end, shown) = ((true, TokenType::Control), (false, TokenType::UserDefined));
    assert_eq!(with(&["<|end|>", "<|call|>"]), [end, end]);
    assert_eq!(with(&["<|end|>", "<|return|>", "<|flush|>"]), [end, end, end]);
    assert_eq!(with(&["<|end|>", "<|return|>", "<|call|>"]), [shown, end, end]);
    assert_eq!(with(&["<|flush|>", "<|calls|>", "<|end|>"]), [end, end, shown]);
    assert_eq!(with(&["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"]), [shown; 4]);
    let mut gemma = vocab();
    gemma.special.eos = Some(0);
    gemma.tokens.push(b"<|tool_response>");
    gemma.token_types.push(TokenType::Control);
    let tokenizer = Tokenizer::new(gemma).unwrap();
    assert_eq!(tokenizer.token_type(special_id("</s>")), Some(TokenType::Normal));
    assert!(!tokenizer.is_end_of_generation(special_id("</s>")));
}

#[test]
fn of_repeated_tokens_the_lowest_id_wins() {
    let mut vocab = vocab();
    for text in ["hell", "<tool>", "<|im_end|>"] {
        vocab.tokens.push(text.as_bytes());
        vocab.token_types.push(TokenType::UserDefined);
    }
    let tokenizer = Tokenizer::new(vocab).unwrap();
    assert_eq!(tokenizer.encode("<tool>", PLAIN), [special_id("<tool>")]);
    let mut vocab = self::vocab();
    vocab.tokens.push(b"hell");
    vocab.token_types.push(TokenType::Normal);
    for pre in ["gpt-2", "llama-bpe"] {
        let tokenizer = Tokenizer::new(Vocab { pre: Some(pre.into()), ..vocab.clone() }).unwrap();
        assert_eq!(tokenizer.encode("hell", PLAIN), [merged_id("hell")]);
    }
}

#[test]
fn whole_words_come_before_merges_where_the_pre_tokenizer_says_so() {
    let mut vocab = vocab();
    vocab.tokens.push(b"xyz");
    vocab.token_types.push(TokenType::Normal);
    let xyz = vocab.tokens.len() as u32 - 1;
    let encode =
        |pre: &str| Tokenizer::new(Vocab { pre: Some(pre.into()), ..vocab.clone() }).unwrap().encode("xyz", PLAIN);
    assert_eq!(encode("llama-bpe"), [xyz]);
    assert_eq!(encode("qwen2"), b"xyz".map(u32::from));
}

#[test]
fn merges_may_name_parts_that_are_no_tokens() {
    let merges: [&str; 3] = ["x y", "xy z", "字 b"];
    let mut vocab = Vocab { merges: Some(merges.iter().collect()), ..vocab() };
    vocab.tokens.push(b"xyz");
    vocab.token_types.push(TokenType::Normal);
    let xyz = vocab.tokens.len() as u32 - 1;
    let tokenizer = Tokenizer::new(vocab).unwrap();
    assert_eq!(tokenizer.encode("xyzxy", PLAIN), [xyz, b'x'.into(), b'y'.into()]);
}

#[test]
fn bytes_without_a_token_are_left_out() {
    let tokens = ["a", "b", "ab"];
    let merges = ["a b"];
    let vocab = Vocab {
        model: "gpt2".into(),
        tokens: tokens.iter().collect(),
        merges: Some(merges.iter().collect()),
        ..Vocab::default()
    };
    let tokenizer = Tokenizer::new(vocab).unwrap();
    assert_eq!(tokenizer.encode("abcba", PLAIN), [2, 1, 0]);
    assert!(tokenizer.assumes_pre());
    assert_eq!(tokenizer.pre_name(), "default");
}

#[test]
fn what_contradicts_itself_is_an_error() {
    use TokenizerError as E;
    let error = |change: &dyn Fn(&mut Vocab)| {
        let mut vocab = vocab();
        change(&mut vocab);
        Tokenizer::new(vocab).unwrap_err()
    };
    let tokens = vocab().tokens.len();
    let unsupported = error(&|vocab| vocab.model = "bert".into());
    assert_eq!(unsupported, E::UnsupportedModel { model: "bert".into(), supported: "gpt2".into() });
    assert!(matches!(error(&|vocab| vocab.pre = Some("x".into())), E::UnsupportedPre { .. }));
    assert_eq!(error(&|vocab| vocab.token_types.truncate(3)), E::TooFewTypes { types: 3, tokens });
    let id = tokens as u32;
    assert_eq!(error(&|vocab| vocab.special.eot = Some(id)), E::SpecialOutOfRange { name: "eot", id, tokens });
    assert_eq!(error(&|vocab| vocab.special.bos = None), E::MissingSpecial { name: "bos" });
    assert_eq!(error(&|vocab| vocab.merges = None), E::MissingMerges);
    for bad in ["", " ", "a", "ab", "a ", " a"] {
        let merges = ["a b", bad];
        assert_eq!(error(&|vocab| vocab.merges = Some(merges.iter().collect())), E::BadMerge { index: 1 }, "{bad:?}");
    }
    let byte = |vocab: &mut Vocab| vocab.token_types[65] = TokenType::Byte;
    assert_eq!(error(&byte), E::BadByteToken { id: 65 });
}
