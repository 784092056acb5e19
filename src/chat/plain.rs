//! A simple format for models without a template.

/// The texts that end an answer in the plain format: the user's next turn.
pub const PLAIN_STOP: [&str; 1] = ["\nUser:"];

/// The plain format: the system message, a blank line, then turns of a line each, as in
///
/// ```text
/// Be brief.
///
/// User: Hello
/// Assistant: Hi!
/// User: Who are you?
/// Assistant:
/// ```
pub(super) const SOURCE: &str = "\
{%- for message in messages %}
{%- if message.role == 'system' %}{{ message.content }}{{ '\\n\\n' }}
{%- elif message.role == 'assistant' %}Assistant: {{ message.content | trim }}{{ '\\n' }}
{%- else %}User: {{ message.content }}{{ '\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}Assistant:{% endif %}";
