"""Renders every conversation in every template, and every snippet, with jinja2 set up as in Hugging Face's transformers
(`chat_template_utils.py`):

    python3 goldens/chat/make.py            # needs jinja2 3.1

    conversations.json     {name: {messages, tools, ...}}: the variables of a template
    snippets.json          small templates, each rendered with `variables`
    templates/*.jinja      templates; those of SmolLM2 and Qwen2.5-Coder as they stand in their files
    expected/*.json        {conversation: text, or {"raised": message}, or {"error": class}}

BOS is `<bos>`, EOS `<eos>`, and the time 2026-03-05 04:07:09.000123.
"""

import datetime
import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

HERE = pathlib.Path(__file__).parent
NOW = datetime.datetime(2026, 3, 5, 4, 7, 9, 123)


class Raised(Exception):
    """What `raise_exception` raises."""


class Generation(jinja2.ext.Extension):
    """{% generation %}: a body of its own scope."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise Raised(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


def render(source, variables):
    given = {"bos_token": "<bos>", "eos_token": "<eos>", "tools": None, "documents": None} | variables
    try:
        return environment().from_string(source).render(given)
    except Raised as error:
        return {"raised": str(error)}
    except Exception as error:
        return {"error": type(error).__name__}


def read(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def write(name, expected):
    text = json.dumps(expected, ensure_ascii=False, indent=0)
    (HERE / "expected" / name).write_text(text + "\n", encoding="utf-8")


def main():
    conversations = read("conversations.json")
    (HERE / "expected").mkdir(exist_ok=True)
    for path in sorted((HERE / "templates").glob("*.jinja")):
        source = path.read_bytes().decode("utf-8")
        write(path.stem + ".json", {name: render(source, given) for name, given in conversations.items()})
    snippets = read("snippets.json")
    write("snippets.json", [render(source, snippets["variables"]) for source in snippets["snippets"]])


if __name__ == "__main__":
    main()
