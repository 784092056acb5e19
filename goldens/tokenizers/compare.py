#!/usr/bin/env python3
"""Compares vt's tokens with llama.cpp's on thousands of texts.

    pip install llama-cpp-python==0.3.36
    cargo build --release --example tokenize_lines
    python3 goldens/tokenizers/compare.py FILE.gguf ..            with the file's own pre-tokenizer
    python3 goldens/tokenizers/compare.py --pre NAME,.. FILE.gguf a file without tensors, as if it named this one

`-n COUNT` texts (6000) are made by lines.py, the same ones every time for a file. Compared are the ids of the text
alone, and those with special tokens recognised and BOS added; a file's own vectors (FILE.gguf.inp and .out), if they
are beside it; and whether the text comes back byte for byte, also where it is not UTF-8. A line a file is printed; with
`-v` every difference. Vocabularies are in vendor/llama.cpp/models of the source package of llama-cpp-python.
"""
import argparse
import ctypes
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import llama_cpp as lc

from lines import lines

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parents[2] / "target"))
SPECIAL = lc.LLAMA_TOKEN_ATTR_CONTROL | lc.LLAMA_TOKEN_ATTR_USER_DEFINED | lc.LLAMA_TOKEN_ATTR_UNKNOWN
KEY = b"tokenizer.ggml.pre"


def byte_alphabet():
    """How GPT-2 writes the 256 bytes."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte if byte in printable else 0x100 + others.index(byte)) for byte in range(256)]


class Reference:
    """llama.cpp's tokenizer of a file."""

    def __init__(self, path):
        self.silent = lc.llama_log_callback(lambda level, text, data: None)
        lc.llama_log_set(self.silent, ctypes.c_void_p(0))
        params = lc.llama_model_default_params()
        params.vocab_only = True
        self.model = lc.llama_model_load_from_file(str(path).encode(), params)
        assert self.model, f"llama.cpp cannot load {path}"
        self.vocab = lc.llama_model_get_vocab(self.model)
        ids = range(lc.llama_vocab_n_tokens(self.vocab))
        is_special = [bool(lc.llama_vocab_get_attr(self.vocab, i) & SPECIAL) for i in ids]
        self.special = [self.text(i) for i in ids if is_special[i]]
        self.tokens = [piece for i in ids if not is_special[i] and (piece := self.piece(i))]
        texts = {self.text(i) for i in ids if not is_special[i]}
        self.lacking = bytes(byte for byte, char in enumerate(byte_alphabet()) if char not in texts)

    def text(self, token):
        return lc.llama_vocab_get_text(self.vocab, token).decode()

    def piece(self, token):
        buffer = ctypes.create_string_buffer(1024)
        length = lc.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, True)
        return buffer.raw[: max(length, 0)].decode(errors="ignore")

    def encode(self, text, special):
        room = len(text) + 8
        ids = (lc.llama_token * room)()
        count = lc.llama_tokenize(self.vocab, text, len(text), ids, room, special, special)
        return list(ids[:count])


def vt(path, texts):
    """vt's answers: (ids, ids with special tokens, bytes of the ids)."""
    program = TARGET / "release/examples/tokenize_lines"
    text = "".join(text.hex() + "\n" for text in texts)
    result = subprocess.run([program, path], input=text, stdout=subprocess.PIPE, text=True, check=True)
    for line in result.stdout.splitlines():
        plain, special, back = line.split("\t")
        yield [int(i) for i in plain.split()], [int(i) for i in special.split()], bytes.fromhex(back)


def renamed(path, name, out):
    """A copy of a file without tensors that names another pre-tokenizer."""
    data = path.read_bytes()
    assert struct.unpack_from("<Q", data, 8)[0] == 0, f"{path} has tensors"
    start = data.index(struct.pack("<Q", len(KEY)) + KEY) + 8 + len(KEY) + 4
    end = start + 8 + struct.unpack_from("<Q", data, start)[0]
    out.write_bytes(data[:start] + struct.pack("<Q", len(name)) + name.encode() + data[end:])


def garbage(count):
    """Bytes that are mostly not UTF-8."""
    source = random.Random(9)
    parts = [b"\xff", b"\xc3", b"\xe5\xad", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\x80", b"a", b" ", b"'s", b"1", "é字".encode(), b"\n", b"."]
    return [b"".join(parts[int(source.random() * len(parts))] for _ in range(1 + int(source.random() * 12))) for _ in range(count)]


def vectors(path):
    """The texts and ids that llama.cpp keeps beside its vocabularies."""
    inp, out = Path(f"{path}.inp"), Path(f"{path}.out")
    if not inp.exists() or not out.exists():
        return []
    texts = inp.read_bytes().decode().split("\n__ggml_vocab_test__\n")
    answers = out.read_text().splitlines()
    assert len(texts) == len(answers) or len(texts) == len(answers) + 1, path
    return [(text.encode(), [int(i) for i in ids.split()]) for text, ids in zip(texts, answers)]


def compare(path, count, label, verbose, own=()):
    reference = Reference(path)
    texts = [text.encode() for text in lines(count, reference.tokens, reference.special or ["<s>"])]
    checks = [(text, reference.encode(text, False), reference.encode(text, True)) for text in texts]
    checks += [(text, ids, None) for text, ids in own] + [(text, None, None) for text in garbage(1000)]
    unlike = {"plain": 0, "special": 0, "bytes": 0}
    lossless = [not set(text) & set(reference.lacking) for text, _, _ in checks]
    answers = vt(path, [text for text, _, _ in checks])
    for (text, plain, special), (found, found_special, back), comes_back in zip(checks, answers, lossless):
        pairs = {"plain": (plain, found), "special": (special, found_special), "bytes": (text if comes_back else None, back)}
        for kind, (expected, got) in pairs.items():
            if expected is not None and expected != got:
                unlike[kind] += 1
                if verbose:
                    print(f"{kind} {text!r}\n  llama.cpp {expected}\n  vt        {got}")
    lacking = f", {lossless.count(False)} texts have bytes that the vocabulary lacks" if reference.lacking else ""
    print(f"{label}: {len(texts)} texts, {len(own)} vectors; differences: {unlike['plain']} plain, {unlike['special']} "
          f"special, {unlike['bytes']} of {lossless.count(True)} do not come back{lacking}", flush=True)
    return sum(unlike.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pre", default="")
    parser.add_argument("-n", type=int, default=6000)
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    lc.llama_backend_init()
    total = 0
    for path in args.files:
        if not args.pre:
            total += compare(path, args.n, path.name, args.v, vectors(path))
        for name in filter(None, args.pre.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / path.name
                renamed(path, name, copy)
                total += compare(copy, args.n, f"{path.name} as {name}", args.v)
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
