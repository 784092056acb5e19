//! The chat template.

use crate::forge::{File, VOCAB, array, array_of, i32, string, strings, tokens, u32};
use crate::kind::{Kind, template};

const KEY: &str = "tokenizer.chat_template";

fn set(file: &mut File, source: impl AsRef<[u8]>) {
    file.set(KEY, string(source));
}

/// Tokens of bytes that are not ASCII become special ones, of once, twice, three times ... so many letters.
fn special_runs(file: &mut File, letters: usize) {
    let mut tokens = tokens();
    let mut types = vec![i32(1); VOCAB as usize];
    for i in 0..128 {
        tokens[128 + i] = "h".repeat(letters * (i + 1));
        types[128 + i] = i32(4);
    }
    file.set("tokenizer.ggml.tokens", strings(&tokens));
    file.set("tokenizer.ggml.token_type", array_of(&types));
}

const SAYS: &str = "chat template";

pub const KINDS: &[Kind] = &[
    template("template-a-number", "The template is a number.", KEY, |f| f.set(KEY, u32(1))),
    template("template-an-array", "The template is an array of bytes.", KEY, |f| f.set(KEY, array(0, 2, b"{}"))),
    template("template-not-utf8", "The template is not UTF-8.", KEY, |f| set(f, b"{{ 'a\xff' }}")),
    template("template-too-long", "The template is a byte longer than any that is read.", SAYS, |f| {
        set(f, vec![b' '; (1 << 20) + 1]);
    }),
    template("tag-open", "A tag is not closed.", SAYS, |f| set(f, "{% for m in messages")),
    template("loop-open", "A loop has no end.", SAYS, |f| set(f, "{% for m in messages %}{{ m.content }}")),
    template("loop-only-ends", "A loop ends that did not begin.", SAYS, |f| set(f, "{% endfor %}")),
    template("tag-unknown", "There is no such tag.", SAYS, |f| set(f, "{% frobnicate %}")),
    template("expression-broken", "An expression ends in its middle.", SAYS, |f| set(f, "{{ messages[ }}")),
    template("text-open", "A text in an expression does not end.", SAYS, |f| set(f, "{{ 'abc }}")),
    template(
        "parentheses-deep",
        "20,000 parentheses in one another: parsing them by recursion overflows the stack.",
        SAYS,
        |f| {
            set(f, format!("{{{{ {}1{} }}}}", "(".repeat(20_000), ")".repeat(20_000)));
        },
    ),
    template("signs-deep", "100,000 signs in front of a number.", SAYS, |f| {
        set(f, format!("{{{{ {}1 }}}}", "-".repeat(100_000)));
    }),
    template("sum-long", "A sum has 100,000 terms: its tree is as deep.", SAYS, |f| {
        set(f, format!("{{{{ 1{} }}}}", "+1".repeat(100_000)));
    }),
    template("elif-long", "A condition has 50,000 others.", SAYS, |f| {
        set(f, format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(50_000)));
    }),
    template("blocks-deep", "20,000 blocks in one another.", SAYS, |f| {
        set(f, "{% if true %}".repeat(20_000) + &"{% endif %}".repeat(20_000));
    }),
    template("lists-deep", "20,000 lists in one another.", SAYS, |f| {
        set(f, format!("{{{{ {}{} }}}}", "[".repeat(20_000), "]".repeat(20_000)));
    }),
    template("filter-unknown", "There is no such filter.", SAYS, |f| set(f, "{{ messages | frobnicate }}"))
        .may_be_right(),
    template("function-unknown", "There is no such function.", SAYS, |f| set(f, "{{ frobnicate(messages) }}"))
        .may_be_right(),
    template("method-unknown", "There is no such method.", SAYS, |f| set(f, "{{ 'a'.frobnicate() }}")).may_be_right(),
    template("attribute-of-nothing", "An attribute of what is not there.", SAYS, |f| set(f, "{{ nothing.at.all }}"))
        .may_be_right(),
    template("exception", "The template refuses every conversation.", SAYS, |f| set(f, "{{ raise_exception('no') }}"))
        .may_be_right(),
    template("exception-lines", "The template's refusal would break the message into lines.", SAYS, |f| {
        set(f, r"{{ raise_exception('a\nerror: b\x1b[2J') }}");
    })
    .may_be_right(),
    template("exception-megabytes", "The template's refusal is of megabytes.", SAYS, |f| {
        set(f, "{{ raise_exception('abcdefgh' * 100000) }}");
    })
    .may_be_right(),
    template("macro-endless", "A macro calls itself.", SAYS, |f| {
        set(f, "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")
    })
    .may_be_right(),
    template("macros-in-a-circle", "Two macros call each other.", SAYS, |f| {
        set(f, "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}");
    })
    .may_be_right(),
    template("includes-itself", "The template includes itself.", SAYS, |f| set(f, "{% include 'chat' %}"))
        .may_be_right(),
    template("range-billions", "A loop runs four billion times.", SAYS, |f| {
        set(f, "{% for i in range(4000000000) %}{% endfor %}");
    })
    .may_be_right(),
    template("loops-in-loops", "Ten loops in one another, of a thousand steps each.", SAYS, |f| {
        set(f, "{% for i in range(1000) %}".repeat(10) + &"{% endfor %}".repeat(10));
    }),
    template("text-doubled", "A text is doubled sixty times.", SAYS, |f| {
        set(f, "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}");
    }),
    template("text-times-billions", "A text is repeated ten billion times.", SAYS, |f| {
        set(f, "{{ 'x' * 10000000000 }}")
    }),
    template("text-megabytes", "The text is of 30 megabytes, of one letter.", SAYS, |f| set(f, "{{ 'h' * 30000000 }}")),
    template("text-of-special-tokens", "Special tokens begin alike, and so does each place of the text.", SAYS, |f| {
        special_runs(f, 1);
        set(f, "{{ 'h' * 2000000 }}");
    }),
    template("special-tokens-long", "Special tokens are of up to 128 kilobytes, all of one letter.", SAYS, |f| {
        special_runs(f, 1024);
        set(f, "{{ 'h' * 2000000 }}");
    }),
    template("list-times-billions", "A list is repeated ten billion times.", SAYS, |f| {
        set(f, "{{ [1] * 10000000000 }}")
    })
    .may_be_right(),
    template(
        "list-in-itself",
        "A list holds a list twice that holds a list twice, and so on: short to say, long to write.",
        SAYS,
        |f| {
            set(
                f,
                "{% set n = namespace(s=['x']) %}{% for i in range(60) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
            );
        },
    ),
    template("replaced-by-more", "Each letter is replaced by a text, again and again.", SAYS, |f| {
        set(
            f,
            "{% set n = namespace(s='xx') %}{% for i in range(60) %}{% set n.s = n.s.replace('x', 'xxxx') %}{% endfor %}{{ n.s }}",
        );
    }),
    template("division-by-zero", "A number is divided by zero.", SAYS, |f| set(f, "{{ 1 // 0 }}")).may_be_right(),
    template("remainder-by-zero", "A number's remainder by zero.", SAYS, |f| set(f, "{{ 1 % 0 }}")).may_be_right(),
    template("power-overflows", "A power is larger than any number.", SAYS, |f| set(f, "{{ 10 ** 1000 }}"))
        .may_be_right(),
];
