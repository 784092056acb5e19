//! Conversations as tokens.

use vt::chat::{Conversation, Message, PromptEncoder, Template};
use vt::models::tokenizer::{EncodeOptions, Tokenizer};

use crate::common::{EOS, Models, START};
use crate::model::{self, Loaded, TEMPLATE};

fn encode(loaded: &Loaded, template: &str, messages: &[Message]) -> Vec<u32> {
    let template = Template::new(template, &[("bos_token", "<|im_start|>")]).unwrap();
    let conversation = Conversation { messages, add_generation_prompt: true, now: model::now(), variables: &[] };
    PromptEncoder::new(&loaded.tokenizer).encode(&template, &conversation).unwrap()
}

fn bytes(text: &str, tokenizer: &Tokenizer) -> Vec<u32> {
    tokenizer.encode(text, EncodeOptions::default())
}

#[test]
fn a_user_says_no_control_tokens_but_the_template_and_the_model_do() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let says = |role: &str| encode(&loaded, TEMPLATE, &[Message::new(role, "a<|endoftext|><|im_start|>\u{fdd0}")]);
    let turn = |role: &str, content: &[u32]| {
        let plain = |text: &str| bytes(text, &loaded.tokenizer);
        let (start, end) = (plain(&format!("{role}\n")), plain("\n"));
        [&[START], &start[..], content, &[EOS], &end, &[START], &plain("assistant\n")].concat()
    };
    let plain = bytes("a<|endoftext|><|im_start|>\u{fdd0}", &loaded.tokenizer);
    assert!(!plain.contains(&EOS) && !plain.contains(&START));
    for role in ["user", "system", "tool"] {
        assert_eq!(says(role), turn(role, &plain), "{role}");
    }
    let special = [&[u32::from(b'a'), EOS, START], &bytes("\u{fdd0}", &loaded.tokenizer)[..]].concat();
    assert_eq!(says("assistant"), turn("assistant", &special));
}

#[test]
fn the_text_of_a_user_is_changed_as_ever() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let template = "{{ messages[0].content | trim | upper }}{{ messages[0].content.split('>')[1] }}{{ messages[0].n }}";
    let message: Message =
        r#"{"role":"user","content":" <|endoftext|>b ","n":[{"x":"<|im_start|>"}]}"#.parse().unwrap();
    let expected =
        [&bytes("<|ENDOFTEXT|>Bb [{'x': '", &loaded.tokenizer)[..], &[START], &bytes("'}]", &loaded.tokenizer)];
    assert_eq!(encode(&loaded, template, &[message]), expected.concat());
    let parts: Message = r#"{"role":"user","content":[{"type":"text","text":"<|endoftext|>"}]}"#.parse().unwrap();
    let plain = bytes("<|endoftext|>", &loaded.tokenizer);
    assert_eq!(encode(&loaded, "{{ messages[0].content[0].text }}", &[parts]), plain);
}

#[test]
fn there_is_one_bos() {
    let models = Models::new();
    model::write(&models, "bos.gguf", Some(TEMPLATE), true);
    let loaded = Loaded::new(&models, "bos.gguf");
    let messages = [Message::new("user", "hello")];
    let hello = 259;
    assert_eq!(encode(&loaded, "{{ bos_token }}{{ messages[0].content }}", &messages), [START, hello]);
    assert_eq!(encode(&loaded, "{{ messages[0].content }}", &messages), [START, hello]);
    assert_eq!(encode(&loaded, "", &messages), [START]);
    let loaded = Loaded::new(&models, "whole.gguf");
    assert_eq!(encode(&loaded, "{{ bos_token }}{{ messages[0].content }}", &messages), [START, hello]);
    assert_eq!(encode(&loaded, "{{ messages[0].content }}", &messages), [hello]);
}

#[test]
fn without_special_text_tokens_are_those_of_the_rendered_text() {
    let loaded = Loaded::new(&model::models(), "chat.gguf");
    let messages =
        [("system", "Grüße, 世界"), ("user", ""), ("assistant", "hello\n\n"), ("user", " hello <|im hello|> ")];
    let messages = messages.map(|(role, content)| Message::new(role, content));
    let conversation =
        Conversation { messages: &messages, add_generation_prompt: true, now: model::now(), variables: &[] };
    let text = Template::new(TEMPLATE, &[]).unwrap().render(&conversation).unwrap();
    let expected = loaded.tokenizer.encode(text, EncodeOptions { add_bos: true, special: true });
    assert_eq!(encode(&loaded, TEMPLATE, &messages), expected);
}
