//! The tag `{% generation %}` of transformers, which marks what the assistant said and writes nothing itself.

use std::borrow::Cow;

/// The template with `with` in place of `generation`: both write their body, and keep to themselves what is set there.
pub(super) fn without_generation(source: &str) -> Cow<'_, str> {
    if !source.contains("generation") {
        return source.into();
    }
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((start, end)) = next_tag(rest) {
        out.push_str(&rest[..start]);
        out.push_str(&renamed(&rest[start..end]));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.into()
}

/// Where the next tag, comment or expression starts and ends.
fn next_tag(text: &str) -> Option<(usize, usize)> {
    let (start, close) = text.match_indices('{').find_map(|(at, _)| match text.as_bytes().get(at + 1)? {
        b'%' => Some((at, "%}")),
        b'{' => Some((at, "}}")),
        b'#' => Some((at, "#}")),
        _ => None,
    })?;
    let inside = &text[start + 2..];
    let length = if close == "#}" { inside.find(close) } else { unquoted(inside, close) };
    Some((start, length.map_or(text.len(), |length| start + 2 + length + 2)))
}

/// Where `close` is outside of string literals.
fn unquoted(text: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if text[at..].starts_with(close) => return Some(at),
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => {}
        }
    }
    None
}

/// A tag, with another name if it is one of the two.
fn renamed(tag: &str) -> Cow<'_, str> {
    let inside = tag.strip_prefix("{%").and_then(|tag| tag.strip_suffix("%}")).unwrap_or_default();
    match inside.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+')) {
        "generation" => tag.replace("generation", "with").into(),
        "endgeneration" => tag.replace("endgeneration", "endwith").into(),
        _ => tag.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_are_renamed() {
        let cases = [
            ("a{%- generation -%}b{% endgeneration %}", "a{%- with -%}b{% endwith %}"),
            ("{{ '{% generation %}' }}", "{{ '{% generation %}' }}"),
            ("{# {% generation %} #}{%generation%}", "{# {% generation %} #}{%with%}"),
            ("{% if add_generation_prompt %}x{% endif %}", "{% if add_generation_prompt %}x{% endif %}"),
            ("{{ \"\\\"%}\" }}{% generation", "{{ \"\\\"%}\" }}{% generation"),
            ("{ generation }", "{ generation }"),
        ];
        for (source, expected) in cases {
            assert_eq!(without_generation(source), expected);
        }
    }
}
