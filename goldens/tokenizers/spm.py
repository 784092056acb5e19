"""Small SentencePiece vocabularies, and what llama.cpp makes of texts with them.

    pip install llama-cpp-python==0.3.36 gguf==0.19.0
    python goldens/tokenizers/spm.py

writes `spm/<vocabulary>.gguf`, without tensors, and `spm/cases.jsonl`. Each line of it is a text with one vocabulary:
`tokens` are the ids [plain, with BOS and EOS, with special tokens, with both], and `shown` are the texts of the last two
lists, each with special tokens hidden and shown. Bytes are a string if they are UTF-8, and else a list of numbers.
"""

import ctypes
import json
import os

import gguf
import llama_cpp

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spm")

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

# Merges lead to a token only if its parts are tokens too, so words stand here with their parts. Equal scores are wanted.
PIECES = r"""▁ e t a o h l d r s n i 1 2 0 < > x ▁▁ ▁▁▁▁ th the ▁the ▁t he ll el hell hello ▁hello lo llo or ld orld ▁w ▁world
in an er aa aaaa é 字 ▁字 字字 ▁字字 😀 ю <0 x4 <0x4 s> \n \n\n \t 12 10 00 000 e▁ ▁e▁ ▁é ▁a ▁1"""
SCORES = {"▁▁": -1, "▁▁▁▁": -2, "aa": -3, "aaaa": -3, "ll": -3, "he": -3, "el": -3, "th": -4, "lo": -5, "hell": -6}


def tokens():
    """The (text, score, type) of each token."""
    found = [("<unk>", 0, UNKNOWN), ("<s>", 0, CONTROL), ("</s>", 0, CONTROL)]
    found += [(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
    special = [("<mask>", CONTROL), ("<|end|>", CONTROL), ("<tool>", USER_DEFINED), ("  >", USER_DEFINED)]
    special += [("▁▁<", USER_DEFINED), ("[unused1]", UNUSED), ("<|endoftext|>", NORMAL)]
    found += [(text, -1000, kind) for text, kind in special]
    pieces = [piece.replace("\\n", "\n").replace("\\t", "\t") for piece in PIECES.replace("\n", " ").split(" ")]
    return found + [(piece, SCORES.get(piece, -10 - len(piece)), NORMAL) for piece in pieces]


VOCABULARIES = {
    "plain": {},
    "bare": {"add_space_prefix": False, "add_eos_token": True, "add_bos_token": False, "remove_extra_whitespaces": True},
    "after": {"name": "A Phi-3 of our own"},
    "before": {"pre": "jina-v2-de", "add_space_prefix": True, "add_eos_token": True},
}

# No broken character runs into a space: there vt keeps the space, and llama.cpp does not.
TEXTS = [
    "", " ", "  ", "   ", "     ", "a", " a", "a ", "  a  ", "hello", "hello world", "Hello  world", "the hello the",
    "aaaaaaa", "aaaa aaaa", "helllo", "e e e", "字字字", "a字字", "é", "e\u0301", "😀😀", "ж", "ю", "\n", "\n\n\n", "\t a",
    "▁", "▁▁a", "a▁ ▁b", "<0x41>", "<0x4", "x<0x0A>", "100010", "\0\x01", "[unused1]", "   >", "a   > b", "▁▁<", "  <",
    "<s>", "<s>a", "<s> a", "a<s>", " <s> ", "<s><s>", "</s>hello", "a <mask> \n b", "<mask> ", "a<|end|>\n\n hello",
    "<|end|>  <|end|>\v", "<tool>a", "a<tool> a", "  <tool>  ", "<unk>", "<|endoftext|> a", "<s", "<<s>>", "s><s>",
    b"\xff", b"\xffabc a", b"a\xc3", b"\xe5ae e", b"\xe5aaaa", b"\xf0\x9f\x98hello", b"\x80\xbf the", b"\xed\xa0\x80<s>\xe2",
]


def write(name, keys):
    keys = dict(keys)
    writer = gguf.GGUFWriter(os.path.join(HERE, f"{name}.gguf"), "llama")
    writer.add_name(keys.pop("name", name))
    texts, scores, types = zip(*tokens())
    writer.add_tokenizer_model("llama")
    if "pre" in keys:
        writer.add_tokenizer_pre(keys.pop("pre"))
    writer.add_token_list(texts)
    writer.add_token_scores([float(score) for score in scores])
    writer.add_token_types(types)
    for key, value in keys.items():
        writer.add_bool(f"tokenizer.ggml.{key}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


class Vocabulary:
    """A vocabulary in llama.cpp."""

    def __init__(self, name):
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(os.path.join(HERE, f"{name}.gguf").encode(), params)
        assert self.model, f"llama.cpp cannot load {name}"
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    def tokenize(self, text, add_special, parse_special):
        ids = (ctypes.c_int32 * 1000)()
        count = llama_cpp.llama_tokenize(self.vocab, text, len(text), ids, 1000, add_special, parse_special)
        assert count >= 0
        return ids[:count]

    def detokenize(self, tokens, special):
        ids, text = (ctypes.c_int32 * len(tokens))(*tokens), ctypes.create_string_buffer(10000)
        count = llama_cpp.llama_detokenize(self.vocab, ids, len(tokens), text, 10000, False, special)
        assert count >= 0
        return text.raw[:count]


def shown(text):
    try:
        return text.decode()
    except UnicodeDecodeError:
        return list(text)


def cases(name):
    vocabulary = Vocabulary(name)
    for text in TEXTS:
        text = text if isinstance(text, bytes) else text.encode()
        ids = [vocabulary.tokenize(text, bool(both & 1), bool(both & 2)) for both in range(4)]
        pieces = [shown(vocabulary.detokenize(list_, special)) for list_ in ids[2:] for special in (False, True)]
        yield {"vocabulary": name, "text": shown(text), "tokens": ids, "shown": pieces}


def main():
    os.makedirs(HERE, exist_ok=True)
    with open(os.path.join(HERE, "cases.jsonl"), "w") as file:
        for name, keys in VOCABULARIES.items():
            write(name, keys)
            for case in cases(name):
                file.write(json.dumps(case, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
