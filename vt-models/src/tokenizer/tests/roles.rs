//! Types and end tokens that follow from texts.

use super::super::*;

/// The types of tokens with these texts, all normal in the file, and which of them end an answer.
fn roles(texts: &[&str]) -> (Vec<TokenType>, Vec<bool>) {
    let vocab = Vocab {
        model: "gpt2".into(),
        tokens: texts.iter().collect(),
        merges: Some(ByteStrings::default()),
        ..Vocab::default()
    };
    let tokenizer = Tokenizer::new(vocab).unwrap();
    let ids = 0..texts.len() as u32;
    (
        ids.clone().map(|id| tokenizer.token_type(id).unwrap()).collect(),
        ids.map(|id| tokenizer.is_end_of_generation(id)).collect(),
    )
}

#[test]
fn end_is_no_end_beside_the_marks_of_channels() {
    use TokenType::{Control, UserDefined};
    assert_eq!(roles(&["<|end|>", "<|call|>"]), (vec![Control; 2], vec![true; 2]));
    assert_eq!(roles(&["<|end|>", "<|return|>", "<|flush|>"]), (vec![Control; 3], vec![true; 3]));
    for texts in [["<|end|>", "<|return|>", "<|call|>"], ["<|end|>", "<|flush|>", "<|calls|>"]] {
        assert_eq!(roles(&texts), (vec![UserDefined, Control, Control], vec![false, true, true]));
    }
}

#[test]
fn a_closing_s_is_a_normal_token_beside_the_ends_of_gemma4_and_plamo() {
    use TokenType::{Control, Normal};
    assert_eq!(roles(&["</s>", "<eos>"]), (vec![Control; 2], vec![true; 2]));
    assert_eq!(roles(&["</s>", "<|tool_response>"]), (vec![Normal, Control], vec![false, true]));
    // No end by its text alone.
    assert_eq!(roles(&["</s>", "<|plamo:eos|>"]), (vec![Control, Normal], vec![true, false]));
}

#[test]
fn channel_marks_are_always_recognised() {
    let (types, ends) = roles(&["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>", "<|other|>"]);
    assert_eq!(types[..4], [TokenType::UserDefined; 4]);
    assert_eq!((types[4], ends), (TokenType::Normal, vec![false; 5]));
}
