//! A chat template and what it writes.

use jiff::civil::DateTime;
use minijinja::{Environment, Value};
use vt_gguf::Gguf;

use super::environment::environment;
use super::program::Program;
use super::{Json, Message, TemplateError, clock, nesting, plain, source, tag};

/// The longest template that is read. Published ones have a few kilobytes.
pub const MAX_TEMPLATE_BYTES: usize = 1 << 20;

/// What rendering may cost, in units of fuel: an instruction, or 64 bytes of text, is one. Published templates need a
/// few hundred for a message.
const FUEL: u64 = 250_000;
/// What each message adds, and each byte of them.
const FUEL_PER_MESSAGE: u64 = 5_000;
const FUEL_PER_BYTE: u64 = 1;

/// The longest text that is rendered: so much, and so much more for each message and each byte of what was given.
/// Published templates write a few kilobytes of their own.
const TEXT: usize = 1 << 16;
const TEXT_PER_MESSAGE: usize = 1 << 12;
const TEXT_PER_BYTE: usize = 16;

/// A conversation, and what else a template may ask for.
#[derive(Clone, Debug)]
pub struct Conversation<'a> {
    /// The messages so far.
    pub messages: &'a [Message],
    /// Whether the answer is to begin.
    pub add_generation_prompt: bool,
    /// The time that `strftime_now` tells.
    pub now: DateTime,
    /// Variables by name, such as `tools`, `documents` or `enable_thinking`.
    pub variables: &'a [(&'a str, Json)],
}

/// A chat template.
///
/// Rendered is what `transformers` renders: jinja2 with `trim_blocks`, `lstrip_blocks` and loop controls, the functions
/// `raise_exception` and `strftime_now`, Python's methods of strings, lists and maps, and `tojson` as `json.dumps`.
/// Work and text are limited, so a hostile template ends soon, with an error.
///
/// ```
/// use vt::chat::{Conversation, Message, Template};
///
/// let template = Template::new("{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}", &[])?;
/// let messages = [Message::new("user", "Hi"), Message::new("assistant", "Hello!")];
/// let now = "2026-01-31T12:00".parse().unwrap();
/// let conversation = Conversation { messages: &messages, add_generation_prompt: true, now, variables: &[] };
/// assert_eq!(template.render(&conversation)?, "[user] Hi\n[assistant] Hello!\n");
/// # Ok::<(), vt::chat::TemplateError>(())
/// ```
#[derive(Debug)]
pub struct Template {
    env: Environment<'static>,
    source: String,
    special: Vec<(String, String)>,
}

impl Template {
    /// A template of a source, with the texts of special tokens by their name in templates, such as `bos_token`.
    ///
    /// # Errors
    /// If the source is not a template, or too long.
    pub fn new(source: &str, special: &[(&str, &str)]) -> Result<Self, TemplateError> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(TemplateError::TooLong { bytes: source.len(), limit: MAX_TEMPLATE_BYTES });
        }
        let failed = |error| TemplateError::new(&error, FUEL);
        let env = environment().map_err(failed)?;
        // jinja2 reads every kind of line end as \n.
        let source = source.replace("\r\n", "\n").replace('\r', "\n");
        let source = tag::without_generation(&source);
        nesting::check(&source)?;
        Program::new(&source).map_err(failed)?;
        let special = special.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Ok(Self { env, source: source.into_owned(), special })
    }

    /// The template of a file: `tokenizer.chat_template`, or `tokenizer.chat_template.<name>`.
    ///
    /// # Errors
    /// If the file has none, or it is not a template.
    pub fn from_gguf(gguf: &Gguf, name: Option<&str>) -> Result<Self, TemplateError> {
        let special = source::special_tokens(gguf)?;
        let special: Vec<(&str, &str)> = special.iter().map(|(name, text)| (*name, text.as_str())).collect();
        Self::new(source::find(gguf, name)?, &special)
    }

    /// A simple format that belongs to no model, for those without a template:
    ///
    /// ```
    /// use vt::chat::{Conversation, Message, Template};
    ///
    /// let says = [("system", "Be brief."), ("user", "Hi"), ("assistant", " Hello! "), ("user", "Who are you?")];
    /// let messages = says.map(|(role, content)| Message::new(role, content));
    /// let now = "2026-01-31T12:00".parse().unwrap();
    /// let conversation = Conversation { messages: &messages, add_generation_prompt: true, now, variables: &[] };
    /// let text = "Be brief.\n\nUser: Hi\nAssistant: Hello!\nUser: Who are you?\nAssistant:";
    /// assert_eq!(Template::plain()?.render(&conversation)?, text);
    /// # Ok::<(), vt::chat::TemplateError>(())
    /// ```
    ///
    /// # Errors
    /// None that can happen: it is a template.
    pub fn plain() -> Result<Self, TemplateError> {
        Self::new(plain::SOURCE, &[])
    }

    /// Every text that it is made of.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        let source = std::iter::once(self.source.clone());
        source.chain(self.special.iter().map(|(_, text)| text.clone()))
    }

    /// The conversation as text.
    ///
    /// # Errors
    /// If the template refuses it, cannot be carried out, or takes too much work.
    pub fn render(&self, conversation: &Conversation<'_>) -> Result<String, TemplateError> {
        let messages = conversation.messages.iter().map(|message| message.value().clone());
        self.render_messages(messages.collect(), conversation)
    }

    /// The conversation as text, with other messages in its place.
    pub(super) fn render_messages(
        &self,
        messages: Vec<Value>,
        conversation: &Conversation<'_>,
    ) -> Result<String, TemplateError> {
        let cost = |message: &Message| FUEL_PER_MESSAGE + FUEL_PER_BYTE * message.content().len() as u64;
        let fuel = FUEL + conversation.messages.iter().map(cost).sum::<u64>();
        let failed = |error| TemplateError::new(&error, fuel);
        let mut env = self.env.clone();
        env.set_fuel(Some(fuel));
        let variables = self.variables(messages, conversation);
        let text = Program::new(&self.source).and_then(|program| program.run(&env, variables)).map_err(failed)?;
        let (bytes, limit) = (text.len(), longest(conversation));
        if bytes > limit { Err(TemplateError::TextTooLong { bytes, limit }) } else { Ok(text) }
    }

    fn variables(&self, messages: Vec<Value>, conversation: &Conversation<'_>) -> Value {
        let special = self.special.iter().map(|(name, text)| (name.as_str(), Value::from(text.as_str())));
        let given = conversation.variables.iter().map(|(name, Json(value))| (*name, value.clone()));
        let fixed = [
            ("messages", Value::from(messages)),
            ("add_generation_prompt", conversation.add_generation_prompt.into()),
            ("tools", ().into()),
            ("documents", ().into()),
            ("strftime_now", clock::strftime_now(conversation.now)),
        ];
        Value::from_pairs(fixed.into_iter().chain(special).chain(given))
    }
}

/// The bytes of the longest text that is rendered for a conversation.
fn longest(conversation: &Conversation<'_>) -> usize {
    let messages = conversation.messages.iter().map(|message| message.to_string().len());
    let variables = conversation.variables.iter().map(|(_, value): &(_, Json)| value.to_string().len());
    let given: usize = messages.chain(variables).sum();
    TEXT + TEXT_PER_MESSAGE * conversation.messages.len() + TEXT_PER_BYTE.saturating_mul(given)
}
