"""Expressions with one small mistake."""
import re

ATOM = r"\\p\{\w+\}|\\.|[^\\]-[^\\\]]|[^\\\]]"

SURROGATES = {0xD800, 0xDFFF}


def replaced(text, start, end, new):
    return text[:start] + new + text[end:]


def of_quantifiers(text):
    other = {"+": ["{1,2}", ""], "*": ["+", "", "{0,2}"], "?": ["", "*"], "{1,3}": ["{1,2}", "{1,4}", "+"], "{1}": ["+"]}
    for match in re.finditer(r"(?<=[\]\w)+* }'])(?<![\\(])(\{1,3\}|\{1\}|[+*?])", text):
        for new in other[match[1]]:
            yield replaced(text, *match.span(1), new)


def of_classes(text):
    for group in re.finditer(r"(?<!\\)\[(\^?)((?:%s)+)\]" % ATOM, text):
        for atom in re.finditer(ATOM, group[2]):
            start, end = (group.start(2) + at for at in atom.span())
            if atom.group() != group[2]:
                yield replaced(text, start, end, "")
            if re.fullmatch("[^\\\\]-.", atom.group(), re.S):
                first, last = ord(atom.group()[0]), ord(atom.group()[2])
                for a, b in [(first + 1, last), (first, last - 1), (first - 1, last), (first, last + 1)]:
                    if a <= b and (a > 127 or b < 128) and not {a, b} & SURROGATES:
                        yield replaced(text, start, end, f"{chr(a)}-{chr(b)}")
            elif atom.group().isprintable() and ord(atom.group()[0]) > 127:
                yield replaced(text, start, end, f"{chr(ord(atom.group()) - 1)}-{atom.group()}")
                yield replaced(text, start, end, f"{atom.group()}-{chr(ord(atom.group()) + 1)}")
        if group[2].isalpha():
            continue  # one letter of a contraction in both cases
        for more in ["\\p{L}", "\\p{N}", "\\p{M}", "\\p{P}", "\\p{S}", "\\s", "\\n", "\\r", "/", "`"]:
            if more not in group[2] and not (more.startswith("\\p") and any(ord(c) > 127 for c in text)):
                yield replaced(text, group.end(2), group.end(2), more)


def of_categories(text):
    if all(ord(c) < 128 for c in text):
        for match in re.finditer(r"\\p\{\w\}(?![^\[]*\])", text):
            for new in ["[0-9]", "[A-Za-z]", f"[{match.group()}\\p{{M}}]", f"[{match.group()}\\p{{S}}]"]:
                yield replaced(text, *match.span(), new)


def of_alternatives(text):
    parts = re.findall(r"(?:\[(?:\\.|[^\]\\])*\]|\((?:\[(?:\\.|[^\]\\])*\]|[^)])*\)|\\.|[^|\[(\\])+", text)
    if "|".join(parts) == text and len(parts) > 1:
        for at in range(len(parts)):
            yield "|".join(parts[:at] + parts[at + 1:])
            if at > 0:
                yield "|".join(parts[: at - 1] + [parts[at], parts[at - 1]] + parts[at + 1:])
    for match in re.finditer(r"'(\[\w+\]|\w)+\|?", text):
        yield replaced(text, *match.span(), "")
    yield text.replace(r"(?!\S)", "")
    yield text.replace(" ?", r"\s?")
    yield text.replace(r"\s?", " ?")


def mutants(expressions):
    """Lists of expressions that differ from the given ones in one place."""
    for at, text in enumerate(expressions):
        before, after = expressions[:at], expressions[at + 1:]
        if len(expressions) > 1:
            yield before + after
            yield after + [text] + before
        for kind in (of_quantifiers, of_classes, of_categories, of_alternatives):
            for other in kind(text):
                if other != text:
                    yield before + [other] + after
