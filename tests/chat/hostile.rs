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

/// Renders in a thread with a stack of 2 MB, as a server's threads have.
fn render_on_a_small_stack(source: String) -> Result<String, TemplateError> {
    std::thread::Builder::new().stack_size(2 << 20).spawn(move || render(&source)).unwrap().join().unwrap()
}

fn repeated(times: usize, start: &str, step: &str, then: &str) -> String {
    format!(
        "{{% set ns = namespace(x={start}) %}}{{% for i in range({times}) %}}{{% set ns.x = {step} %}}{{% endfor %}}{then}"
    )
}

#[test]
fn work_on_lists_that_hold_a_list_many_times_is_ended() {
    let thens = [
        "ns.x == ns.y",
        "ns.x != ns.y",
        "ns.x < ns.y",
        "ns.x <= ns.y",
        "ns.x > ns.y",
        "ns.x >= ns.y",
        "1 < 2 < 3 == ns.x == ns.y",
        "ns.x in ns.y",
        "ns.x not in ns.y",
        "ns.x ~ 'x'",
        "ns.x | join",
        "ns.x | sort",
        "ns.x | unique",
        "ns.x | min",
        "ns.x | max",
        "[{'a': ns.x}, {'a': ns.y}] | groupby('a')",
        "ns.x is eq ns.y",
        "ns.x is in ns.y",
        "ns.y | select('eq', ns.x) | list",
        "ns.x.count(ns.y)",
        "ns.x.index(ns.y)",
        "ns.x | upper",
        "'%s' | format(ns.x)",
        "{}[ns.x]",
        "{(ns.x,): 1}",
    ];
    for then in thens {
        let source = format!(
            "{{% set ns = namespace(x=[1], y=[1]) %}}{{% for i in range(60) %}}{{% set ns.x = [ns.x, ns.x] %}}\
             {{% set ns.y = [ns.y, ns.y] %}}{{% endfor %}}{{{{ {then} }}}}"
        );
        let error = render_on_a_small_stack(source).unwrap_err();
        assert!(matches!(error, TemplateError::Exhausted { .. }), "{then}: {error}");
    }
}

#[test]
fn work_that_is_paid_for_once_is_paid_for_each_time() {
    let used = [
        "ns.x == ns.y",
        "0 == ns.x == ns.y",
        "ns.x == ns.y == 0",
        "ns.x < ns.y",
        "ns.x in [ns.y]",
        "ns.x ~ ''",
        "[ns.x, ns.y] | sort",
        "[ns.x] | join",
        "ns.x is eq ns.y",
        "[ns.y] | select('eq', ns.x)",
        "[ns.x].count(ns.y)",
        "{}[ns.x]",
        "{}.get(ns.x)",
        "{} | attr(ns.x)",
        "loop.changed([ns.x])",
        "ns.x | upper",
        "'%s' | format(ns.x)",
    ];
    for then in used {
        let source = format!(
            "{{% set ns = namespace(x=[1], y=[1]) %}}{{% for i in range(14) %}}{{% set ns.x = [ns.x, ns.x] %}}\
             {{% set ns.y = [ns.y, ns.y] %}}{{% endfor %}}{{% for i in range(9999) %}}{{% set z = {then} %}}{{% endfor %}}"
        );
        let error = render(&source).unwrap_err();
        assert!(matches!(error, TemplateError::Exhausted { .. }), "{then}: {error}");
    }
}

#[test]
fn lists_that_grow_without_measure_are_ended() {
    for source in [
        repeated(60, "[1]", "ns.x + ns.x", ""),
        repeated(60, "(1,)", "ns.x + ns.x", ""),
        repeated(60, "[1]", "ns.x * 2", ""),
        repeated(60, "[1]", "[ns.x, ns.x] | sum(start=[])", ""),
        "{{ ([([0] * 9999)] * 9999) | sum(start=[]) | length }}".to_owned(),
        "{{ [1] | batch(10 ** 9, 0) }}".to_owned(),
        "{{ [1] | slice(10 ** 9) }}".to_owned(),
        "{{ ('x' * 10 ** 6) | replace('x', 'x' * 10 ** 6) }}".to_owned(),
        "{{ ('x' * 10 ** 6).replace('x', 'x' * 10 ** 6) }}".to_owned(),
        "{{ '{:999999999}'.format(1) }}".to_owned(),
        "{{ ([('x' * 10 ** 6)] * 9999) | upper }}".to_owned(),
        "{{ '' in ([('x' * 10 ** 6)] * 9999) }}".to_owned(),
    ] {
        let error = render(&source).unwrap_err();
        assert!(error.to_string().len() < 500, "{error}");
    }
}

#[test]
fn values_do_not_outgrow_the_stack() {
    let steps = [
        ("1", "[ns.x]"),
        ("1", "(ns.x,)"),
        ("1", "{'a': ns.x}"),
        ("1", "dict(a=ns.x)"),
        ("[1]", "ns.x | batch(1)"),
        ("[1]", "ns.x | slice(1)"),
        ("1", "[[ns.x]] | first"),
        ("1", "namespace(a=ns.x)"),
        ("1", "cycler(ns.x)"),
        ("1", "joiner(ns.x)"),
        ("1", "ns"),
        ("1", "[ns]"),
    ];
    for (start, step) in steps {
        for then in ["", "{{ ns.x }}", "{{ ns.x == [1] }}", "{{ ns.x | tojson }}"] {
            let error = render_on_a_small_stack(repeated(90_000, start, step, then)).unwrap_err();
            assert!(matches!(error, TemplateError::Failed { line: 1, .. }), "{step}: {error}");
        }
    }
    let chain = "{% set ns = namespace(first=namespace()) %}{% set ns2 = ns.first %}{% set ns2.next = namespace() %}";
    assert!(matches!(render(chain).unwrap_err(), TemplateError::Failed { .. }));
    assert!(matches!(
        render("{% for x in [1] %}{{ loop.cycle() }}{% endfor %}").unwrap_err(),
        TemplateError::Failed { .. }
    ));
}

#[test]
fn lazy_lists_do_not_outgrow_the_stack() {
    let steps = ["ns.x[0:]", "ns.x * 1", "ns.x + []", "[] + ns.x", "ns.x | reverse", "[ns.x] | map('reverse') | first"];
    for step in steps {
        match render_on_a_small_stack(repeated(90_000, "[1, 2]", step, "{{ ns.x | sort }}")) {
            Ok(text) => assert_eq!(text, "[1, 2]", "{step}"),
            Err(error) => assert!(matches!(error, TemplateError::Exhausted { .. }), "{step}: {error}"),
        }
        assert_eq!(render_on_a_small_stack(repeated(5000, "[1, 2]", step, "{{ ns.x | sort }}")).unwrap(), "[1, 2]");
    }
}

#[test]
fn what_is_paid_for_gives_what_jinja2_gives() {
    // Each as Python evaluates it.
    for (expression, expected) in [
        ("[1, [2]] == [1, [2]]", "True"),
        ("[1] != [2]", "True"),
        ("[1, 2] < [1, 3]", "True"),
        ("'b' <= 'a'", "False"),
        ("[2] > [1]", "True"),
        ("2 >= 3", "False"),
        ("1 < 2 < 3", "True"),
        ("1 < 3 < 2", "False"),
        ("3 > 2 == 2", "True"),
        ("1 in [1] == false", "False"),
        ("1 < 2 in [2]", "True"),
        ("1 < 2 not in [3]", "True"),
        ("[1] in [[1]]", "True"),
        ("'a' in 'cab'", "True"),
        ("'k' not in {'k': 1}", "False"),
        ("1 ~ [2, 'x'] ~ none ~ ('1e20' | float)", "1[2, 'x']None1e+20"),
        ("[1] + [2, 3] + []", "[1, 2, 3]"),
        ("(1,) + (2,)", "(1, 2)"),
        ("[1, 2] * 2", "[1, 2, 1, 2]"),
        ("1.5 + 1", "2.5"),
        ("[1, 2, 3][1:]", "[2, 3]"),
        ("[1, 2, 3][::-1]", "[3, 2, 1]"),
        ("[1, 1e20] | join(', ')", "1, 1e+20"),
        ("[{'a': 1}, {'a': 2}] | join('-', attribute='a')", "1-2"),
        ("'aaa' | replace('a', 'b', 2)", "bba"),
        ("[3, 1] | sort", "[1, 3]"),
        ("[1, 2] | select('gt', 1) | list", "[2]"),
        ("[1, 2, 1].count(1)", "2"),
        ("[[1], [2]] | sum(start=[])", "[1, 2]"),
        ("{'a': 1, 'a': 2}", "{'a': 2}"),
        ("[1, 2][1 if true else 0]", "2"),
        ("{'a': [1]}['a' if true else 'b']", "[1]"),
        ("[1] if 1 == 1 and 2 == 2 else [2]", "[1]"),
    ] {
        assert_eq!(render(&format!("{{{{ {expression} }}}}")).unwrap(), expected, "{expression}");
    }
    let line = render("{% if 1 == 1 %}\n{{ ([1] + [2]) ~ 'x' }}\n{% endif %}\n{{ ([1] == [1]) + [] }}").unwrap_err();
    assert!(matches!(line, TemplateError::Failed { line: 4, .. }), "{line}");
}
