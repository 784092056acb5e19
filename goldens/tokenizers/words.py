#!/usr/bin/env python3
"""Makes vt-models/tests/data/pre: where llama.cpp cuts texts, from its source package.

    pip download --no-deps --no-binary llama-cpp-python llama-cpp-python==0.3.36
    python3 goldens/tokenizers/words.py llama_cpp_python-0.3.36.tar.gz

Needs a C++ compiler. llama.cpp's own function is compiled and asked; its expressions, names and flags are read from
llama-vocab.cpp. Texts are those of texts.json, and of lines.py as many as it takes to tell each expression from
mutants.py's mutants of it: every mutant that can be told is told by two texts.

    names.tsv     a name, the name whose words it has, whether merges are ignored, whether BOS is added
    texts.json    the texts
    words.json    for each name with words of its own, for each text the lengths of its words in code points: 1 to 9,
                  a to z for 10 to 35
    classes.tsv   runs of code points of the same class: a length and a letter
"""
import json
import sys
import tempfile
from pathlib import Path

from lines import Texts, lines
from llama_cpp_source import Splitter, pre_tokenizers, unpack
from mutants import mutants

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "vt-models/tests/data/pre"
TABLE = HERE.parents[1] / "vt-models/src/tokenizer/pre/table.rs"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TOLD_BY = 2
GROUP = 20


def boundaries(expressions):
    """Texts with the code points at the ends of the expressions' ranges and beside them."""
    written = {ord(c) for expression in expressions for c in expression if ord(c) > 127}
    chars = [chr(code + step) for code in sorted(written) for step in (-1, 0, 1)]
    parts = [f"\0{c}\0 {c}{c}a" for c in dict.fromkeys(chars) if not 0xD800 <= ord(c) < 0xE000]
    return ["".join(parts[at:at + 5]) for at in range(0, len(parts), 5)]


def candidates(expressions):
    texts = Texts(2)
    endings = ["".join(texts.kinds()[:2] + texts.contraction() for _ in range(4)) for _ in range(500)]
    short = [text for text in lines(300, seed=3) if len(text) < 60]
    digits = ["".join(texts.one("0123456789 é.'") for _ in range(12)) for _ in range(100)]
    kinds = [texts.kinds() for _ in range(800)]
    return boundaries(expressions) + endings + digits + kinds + [texts.mixture()[:60] for _ in range(200)] + short


def unlike_fast_path(expressions):
    """The same expressions, but taken to the regular-expression engine rather than to code written for them."""
    return [f"(?:{expression})" for expression in expressions]


def telling(splitter, expressions, texts, chosen):
    """Adds texts to those chosen that tell the expressions from their mutants; how many mutants no text tells."""
    expressions = list(expressions)
    groups = ["".join(texts[at:at + GROUP]) for at in range(0, len(texts), GROUP)]
    expected = {}

    def unlike(mutant, asked):
        """Those of the texts whose words the mutant changes."""
        new = [text for text in asked if text not in expected]
        expected.update(zip(new, splitter.words(unlike_fast_path(expressions), new)))
        answers = splitter.words(unlike_fast_path(mutant), asked) or []
        return [text for text, answer in zip(asked, answers) if answer != expected[text]]

    def told(mutant):
        """The first texts that tell the mutant, those already chosen before others."""
        found = unlike(mutant, chosen)
        for at, group in enumerate(groups):
            if len(found) >= TOLD_BY:
                break
            if unlike(mutant, [group]):
                found += [text for text in unlike(mutant, texts[at * GROUP:(at + 1) * GROUP]) if text not in chosen]
        return found[:TOLD_BY]

    untold = 0
    for mutant in mutants(expressions):
        found = told(mutant)
        chosen += [text for text in found if text not in chosen]
        untold += not found
        if not found and "-v" in sys.argv:
            print("   untold:", mutant, flush=True)
    return untold


def write(name, text):
    DATA.mkdir(parents=True, exist_ok=True)
    (DATA / name).write_text(text, encoding="utf-8")


def json_lines(values):
    return ",\n".join(json.dumps(value, ensure_ascii=False) for value in values)


def main(package):
    with tempfile.TemporaryDirectory() as folder:
        unpack(package, folder)
        splitter = Splitter(folder)
        known = [pre for pre in pre_tokenizers(folder) if f'"{pre.name}"' in TABLE.read_text() or pre.name == "default"]
        rules = {}
        for pre in known:
            rules.setdefault(pre.expressions, pre.name)
        write("names.tsv", "".join(
            f"{pre.name}\t{rules[pre.expressions]}\t{int(pre.ignore_merges)}\t{int(pre.add_bos)}\n" for pre in known))
        write("classes.tsv", "\t".join(f"{length} {kind}" for length, kind in splitter.classes()) + "\n")
        texts = json.loads((HERE / "texts.json").read_text(encoding="utf-8"))
        by_hand = len(texts)
        for expressions, name in rules.items():
            untold = telling(splitter, expressions, list(dict.fromkeys(texts + candidates(expressions))), texts)
            print(f"{name}: {untold} mutants not told, {len(texts) - by_hand} texts", flush=True)
        words = {name: splitter.words(expressions, texts) for expressions, name in rules.items()}
        texts_kept = [at for at in range(len(texts)) if all(max(w[at], default=0) < 36 for w in words.values())]
        write("texts.json", f"[\n{json_lines(texts[at] for at in texts_kept)}\n]\n")
        encoded = {name: ["".join(DIGITS[n] for n in w[at]) for at in texts_kept] for name, w in words.items()}
        write("words.json", "{\n" + ",\n".join(
            f"{json.dumps(name)}: [\n{json_lines(w)}\n]" for name, w in encoded.items()) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1])
