//! A conversation as tokens.

use vt_models::tokenizer::Tokenizer;

use super::specials::Specials;
use super::{Conversation, Json, Message, Template, TemplateError};

/// Characters of private use and those that are none, one of which marks text that says no control tokens.
const MARKS: [std::ops::RangeInclusive<char>; 3] =
    ['\u{fdd0}'..='\u{fdef}', '\u{e000}'..='\u{f8ff}', '\u{f0000}'..='\u{10fffd}'];

/// Turns conversations into tokens.
///
/// Special tokens are recognised where the template, or the model itself, writes them. In what others say they are
/// plain text, so a user who writes `<|im_end|>` does not end the turn. (transformers and llama.cpp do not tell the
/// two apart.) BOS is put in front if the tokenizer's rule asks for it and the template has not written it; EOS is
/// never added, as the answer is to follow.
#[derive(Debug)]
pub struct PromptEncoder<'a> {
    tokenizer: &'a Tokenizer,
    specials: Specials,
}

impl<'a> PromptEncoder<'a> {
    /// An encoder for a model's tokenizer.
    pub fn new(tokenizer: &'a Tokenizer) -> Self {
        Self { tokenizer, specials: Specials::new(tokenizer) }
    }

    /// The tokens of a conversation.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn encode(&self, template: &Template, conversation: &Conversation<'_>) -> Result<Vec<u32>, TemplateError> {
        let mark = unused(template, conversation).ok_or(TemplateError::NoMark)?;
        let change = |text: &str| self.specials.marked(text, mark);
        let value = |message: &Message| match message.role() {
            "assistant" => message.value().clone(),
            _ => message.with_texts(&change),
        };
        let text = template.render_messages(conversation.messages.iter().map(value).collect(), conversation)?;
        let mut tokens = self.specials.encode(self.tokenizer, &text, mark);
        if let Some(bos) = self.tokenizer.bos().filter(|_| self.tokenizer.adds_bos())
            && tokens.first() != Some(&bos)
        {
            tokens.insert(0, bos);
        }
        Ok(tokens)
    }
}

/// A character that appears nowhere.
fn unused(template: &Template, conversation: &Conversation<'_>) -> Option<char> {
    let messages = conversation.messages.iter().map(Message::to_string);
    let variables = conversation.variables.iter().map(|(_, value): &(_, Json)| value.to_string());
    let texts: Vec<String> = messages.chain(variables).chain(template.texts()).collect();
    let private = |c: &char| MARKS.iter().any(|range| range.contains(c));
    let mut used: Vec<char> = texts.iter().flat_map(|text| text.chars()).filter(private).collect();
    used.sort_unstable();
    MARKS.into_iter().flatten().find(|mark| used.binary_search(mark).is_err())
}
