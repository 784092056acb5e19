//! Templates that mean harm.

use vt::chat::{Conversation, MAX_TEMPLATE_BYTES, Message, Template, TemplateError};

use crate::model;

fn render(source: &str) -> Result<String, TemplateError> {
    let messages = [Message::new("user", "x")];
    let conversation =
        Conversation { messages: &messages, add_generation_prompt: true, now: model::now(), variables: &[] };
    Template::new(source, &[])?.render(&conversation)
}

#[test]
fn endless_work_and_text_are_ended() {
    let twice = "{% set ns = namespace(x=START) %}{% for i in range(99) %}{% set ns.x = TWICE %}{% endfor %}";
    let twice = |start: &str, step: &str| twice.replace("START", start).replace("TWICE", step);
    let lists = twice("[1]", "[ns.x, ns.x]");
    let cases = [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}{% endfor %}{% endfor %}{% endfor %}".to_owned(),
        "{% for i in range(99999) %}{% for j in range(99999) %}0123456789012345678901234567890123456789{% endfor %}{% endfor %}".to_owned(),
        twice("'x'", "ns.x + ns.x"),
        twice("'x'", "ns.x ~ ns.x"),
        twice("'x'", "ns.x | replace('x', 'xx')"),
        twice("'x'", "ns.x.replace('x', 'xx')"),
        twice("'x'", "[ns.x, ns.x] | join"),
        twice("'x'", "ns.x.join(['', '', ns.x])"),
        twice("'x'", "'{0}{0}'.format(ns.x)"),
        twice("'x'", "'%s%s' | format(ns.x, ns.x)"),
        twice("{'a': 1}", "{'a': ns.x, 'b': ns.x}") + "{{ ns.x | tojson }}",
        lists.clone() + "{{ ns.x }}",
        lists.clone() + "{{ ns.x | string }}",
        lists.clone() + "{{ ns.x | tojson }}",
        "{{ 'x' * 10 ** 12 }}".to_owned(),
        "{{ [0] * 10 ** 12 }}".to_owned(),
        "{{ '%999999999d' | format(1) }}".to_owned(),
        "{{ 'x' | center(10 ** 12) }}".to_owned(),
        "{{ 'a\nb' | indent(10 ** 12) }}".to_owned(),
        "{{ range(10 ** 12) | list }}".to_owned(),
    ];
    for case in cases {
        let error = render(&case).unwrap_err();
        assert!(error.to_string().len() < 500, "{error}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |open: &str, close: &str| format!("{{{{ {}1{} }}}}", open.repeat(50_000), close.repeat(50_000));
    let cases = [
        nested("(", ")"),
        nested("[", "]"),
        nested("not ", ""),
        nested("-", ""),
        "{% if x %}".repeat(50_000),
        "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}".to_owned(),
        "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}".to_owned(),
        "{% set ns = namespace(x=1) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}".to_owned(),
        "{% set ns = namespace(x=1) %}{% for i in range(9999) %}{% set ns.x = {'a': ns.x} %}{% endfor %}{{ ns.x | tojson }}".to_owned(),
    ];
    for case in cases {
        let error = render(&case).unwrap_err();
        assert!(error.to_string().len() < 500, "{error}");
    }
}

#[test]
fn errors_say_what_and_where() {
    let line = |source: &str, expected: usize, what: &str| match render(source).unwrap_err() {
        TemplateError::Syntax { line, what: said } | TemplateError::Failed { line, what: said } => {
            assert_eq!(line, expected, "{said}");
            assert!(said.contains(what), "{said}");
        }
        error => panic!("{error:?}"),
    };
    line("a\nb\n{% if x %}\nc", 4, "end of input");
    line("a\n{{ x y }}", 2, "unexpected");
    line("\n\n{{ messages[0].nothing.more }}", 3, "undefined");
    line("{{ 1 | nothing }}", 1, "nothing");
    let raised = render("{{ raise_exception('not ' ~ 1) }}").unwrap_err();
    assert_eq!(raised.to_string(), "the chat template refuses the conversation: not 1");
    let raised = render("{% macro f() %}{{ raise_exception('deep') }}{% endmacro %}{{ f() }}").unwrap_err();
    assert!(matches!(raised, TemplateError::Refused(message) if message == "deep"));
    let long = render(&"x".repeat(MAX_TEMPLATE_BYTES + 1)).unwrap_err();
    assert!(matches!(long, TemplateError::TooLong { .. }));
    let endless = render("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}").unwrap_err();
    assert!(matches!(endless, TemplateError::Exhausted { .. }));
    let wordy = render("{{ 'word ' * 100000 }}").unwrap_err();
    assert!(matches!(wordy, TemplateError::TextTooLong { bytes: 500_000, .. }));
}

#[test]
fn long_conversations_are_no_hostile_ones() {
    let messages: Vec<Message> = (0..2000)
        .map(|i| Message::new(if i % 2 == 0 { "user" } else { "assistant" }, &"some words ".repeat(100)))
        .collect();
    let conversation =
        Conversation { messages: &messages, add_generation_prompt: true, now: model::now(), variables: &[] };
    for template in ["qwen3", "deepseek-r1", "gemma", "qwen2.5-coder-0.5b"] {
        let path = format!("{}/goldens/chat/templates/{template}.jinja", env!("CARGO_MANIFEST_DIR"));
        let template = Template::new(&std::fs::read_to_string(path).unwrap(), &[("bos_token", "")]).unwrap();
        assert!(template.render(&conversation).unwrap().len() > 2000 * 1100);
    }
}
