//! Any chat template and conversation: a text or an error, in bounded time and memory.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use vt::chat::{Conversation, Message, Template};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    source: &'a str,
    messages: Vec<(&'a str, &'a str)>,
    add_generation_prompt: bool,
}

/// The most text that the work of a template can pay for, and the messages themselves.
const LONGEST: usize = 64 << 20;

fuzz_target!(|input: Input<'_>| {
    let Ok(template) = Template::new(input.source, &[("bos_token", "<s>"), ("eos_token", "</s>")]) else { return };
    let messages: Vec<Message> = input.messages.iter().map(|(role, content)| Message::new(role, content)).collect();
    let now = "2026-01-31T12:00".parse().expect("a time");
    let add_generation_prompt = input.add_generation_prompt;
    let conversation = Conversation { messages: &messages, add_generation_prompt, now, variables: &[] };
    if let Ok(text) = template.render(&conversation) {
        assert!(text.len() <= LONGEST, "{} bytes", text.len());
        assert_eq!(template.render(&conversation).ok(), Some(text), "another text the second time");
    }
});
