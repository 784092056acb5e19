//! How deep a template's expressions and conditions may be.
//!
//! The parser, and what compiles and drops the tree that it makes, call themselves for each sign in front of a number,
//! each operator in a row of them and each `elif`; only brackets and blocks are counted by minijinja itself. A template
//! of a megabyte would overflow the stack.

use minijinja::machinery::{Token, tokenize};

use super::TemplateError;
use super::environment::syntax;

/// The most tokens of a tag or expression. Published templates have tags of a hundred.
const TOKENS: usize = 1000;

/// The most `elif`s of a template. Published ones have ten.
const ELIFS: usize = 200;

/// Refuses a template that may be too deep.
pub(super) fn check(source: &str) -> Result<(), TemplateError> {
    let syntax = syntax().map_err(|error| TemplateError::new(&error, 0))?;
    let (mut tokens, mut elifs) = (0, 0);
    // A template with bad tokens is refused by the parser, which stops at the first one.
    for (token, span) in tokenize(source, false, syntax).map_while(Result::ok) {
        match token {
            Token::VariableStart | Token::BlockStart => tokens = 0,
            Token::Ident("elif") => elifs += 1,
            _ => {}
        }
        tokens += 1;
        let what = match () {
            () if tokens > TOKENS => format!("a tag of more than {TOKENS} parts"),
            () if elifs > ELIFS => format!("more than {ELIFS} `elif`s"),
            () => continue,
        };
        return Err(TemplateError::Syntax { line: span.start_line.into(), what });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Template;

    fn made(source: &str) -> Result<Template, TemplateError> {
        Template::new(source, &[])
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        for deep in [
            format!("{{{{ {}1 }}}}", "-".repeat(100_000)),
            format!("{{{{ {}true }}}}", "not ".repeat(100_000)),
            format!("{{{{ 1{} }}}}", "+1".repeat(100_000)),
            format!("{{{{ x{} }}}}", ".x".repeat(100_000)),
            format!("{{{{ x{} }}}}", "|trim".repeat(100_000)),
            format!("{{{{ 1{} }}}}", " if 1 else 1".repeat(50_000)),
            format!("{{% set x = 1{} %}}", "~1".repeat(100_000)),
            format!("{{% raw %}}{{{{ ' {{% endraw %}}{{{{ {}1 }}}}{{{{ ' }}}}", "-".repeat(100_000)),
            format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(50_000)),
        ] {
            let error = made(&deep).unwrap_err();
            assert!(matches!(error, TemplateError::Syntax { line: 1, .. }), "{error}");
        }
    }

    #[test]
    fn what_is_as_deep_as_allowed_is_a_template() {
        let signs = "-".repeat(TOKENS - 3);
        assert!(made(&format!("{{{{ {signs}1 }}}}")).is_ok());
        assert!(made(&format!("{{{{ {signs}-1 }}}}")).is_err());
        assert!(made(&format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}".repeat(ELIFS))).is_ok());
        assert!(made(&"{{ a.b + 1 }}".repeat(TOKENS)).is_ok());
    }
}
