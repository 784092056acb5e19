#!/usr/bin/env python3
"""Makes the goldens of this folder: llama.cpp's answers to the tiny models of tests/tiny/model.rs.

    pip install llama-cpp-python==0.3.36 gguf==0.19.0 numpy==2.4.6
    python3 goldens/models/make.py                      all tiny models
    python3 goldens/models/make.py qwen3                those whose names start with it
    python3 goldens/models/make.py smollm2 FILE.gguf    greedy tokens of the real model

For each tiny model the example `tiny_models` makes the file. It is computed as it is, and with its weights decoded to
float32 by the `gguf` package: `decoded.npy` holds the logits [tokens, vocabulary] of the latter with f32 caches, and
`manifest.json` how far from them the former's are (NMSE), with f32 and with f16 caches: what quantized activations and
f16 caches cost llama.cpp.
"""
import ctypes
import hashlib
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import gguf
import llama_cpp as lc
import numpy as np

HERE = Path(__file__).resolve().parent
MADE_WITH = f"llama-cpp-python {version('llama-cpp-python')}, flash attention off"
PROMPTS = [
    "The capital of France is",
    "Die Geschichte der Stadt Berlin beginnt im",
    "La révolution française a commencé en 1789 lorsque",
    "El principal problema de la energía solar es",
    'def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n',
    "#include <stdio.h>\n\nint main(void) {\n",
    "SELECT name, COUNT(*) FROM users",
    "人工智能的发展历史可以追溯到",
    # Continuations with few near ties.
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,",
    "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Monday, Tuesday,",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c",
    "rouge, vert, bleu, rouge, vert, bleu, rouge, vert,",
    "int a0 = 0;\nint a1 = 1;\nint a2 = 2;\nint a3 = 3;\nint a4 =",
    "The cat sat on the mat. The cat sat on the mat. The cat sat on the",
]


class Llama:
    """A model in llama.cpp, computed on one thread by the plain path."""

    def __init__(self, path, cache):
        self.silent = lc.llama_log_callback(lambda level, text, data: None)
        lc.llama_log_set(self.silent, ctypes.c_void_p(0))
        lc.llama_backend_init()
        params = lc.llama_model_default_params()
        params.n_gpu_layers = 0
        self.model = lc.llama_model_load_from_file(str(path).encode(), params)
        assert self.model, f"llama.cpp cannot load {path}"
        params = lc.llama_context_default_params()
        params.n_ctx, params.n_threads, params.n_threads_batch = 512, 1, 1
        params.type_k = params.type_v = {"f32": 0, "f16": 1}[cache]
        params.flash_attn_type = 0
        self.context = lc.llama_init_from_model(self.model, params)
        self.vocab = lc.llama_model_get_vocab(self.model)
        self.clear()

    def clear(self):
        lc.llama_memory_clear(lc.llama_get_memory(self.context), True)
        self.position = 0

    def tokenize(self, text):
        raw = text.encode()
        ids = (lc.llama_token * (len(raw) + 8))()
        return list(ids[: lc.llama_tokenize(self.vocab, raw, len(raw), ids, len(ids), True, False)])

    def feed(self, tokens):
        """The logits after each token."""
        batch = lc.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, self.position + i, 1, 1
            batch.seq_id[i][0] = 0
        assert lc.llama_decode(self.context, batch) == 0
        self.position += len(tokens)
        size = lc.llama_vocab_n_tokens(self.vocab)
        row = lambda i: np.ctypeslib.as_array(lc.llama_get_logits_ith(self.context, i), (size,)).copy()
        logits = np.stack([row(i) for i in range(len(tokens))])
        lc.llama_batch_free(batch)
        return logits


def decode(source, target):
    """Copies a GGUF file with all tensors decoded to float32."""
    reader = gguf.GGUFReader(source)
    text = lambda name: reader.fields[name].contents()
    writer = gguf.GGUFWriter(target, text("general.architecture"))
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            inner = field.types[-1] if len(field.types) > 1 else None
            writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        shape = [int(n) for n in reversed(tensor.shape)]
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).reshape(shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def nmse(found, expected):
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    return float(((found - expected) ** 2).sum() / (expected**2).sum())


def tiny(path):
    """One tiny model's folder."""
    tokens = json.loads(path.with_suffix(".json").read_text())
    decoded_path = path.with_suffix(".decoded")
    decode(path, decoded_path)
    decoded = Llama(decoded_path, "f32").feed(tokens).astype(np.float32)
    costs = {cache: nmse(Llama(path, cache).feed(tokens), decoded) for cache in ("f32", "f16")}
    folder = HERE / path.stem
    folder.mkdir(exist_ok=True)
    np.save(folder / "decoded.npy", decoded)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = {"made_with": MADE_WITH, "caches": "f32", "sha256": sha256, "tokens": tokens, "nmse": costs}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(path.stem, costs)


def all_tiny(start=""):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cargo", "run", "--example", "tiny_models", "--", folder], cwd=HERE, check=True)
        for path in sorted(Path(folder).glob(f"{start}*.gguf")):
            tiny(path)


def greedy(llama, prompt, count=32):
    """The likeliest token after each, and how far its logit is above the next best one's."""
    llama.clear()
    logits = llama.feed(prompt)[-1]
    tokens, gaps = [], []
    for _ in range(count):
        second, first = np.argsort(logits)[-2:]
        tokens.append(int(first))
        gaps.append(round(float(logits[first] - logits[second]), 4))
        logits = llama.feed([int(first)])[-1]
    return {"prompt": prompt, "tokens": tokens, "gaps": gaps}


def real(name, path):
    llama = Llama(path, "f16")
    answers = [{"text": text, **greedy(llama, llama.tokenize(text))} for text in PROMPTS]
    sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    head = json.dumps({"made_with": MADE_WITH, "caches": "f16", "sha256": sha256})[:-1]
    lines = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
    (HERE / f"{name}.json").write_text(f'{head}, "answers": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    real(*sys.argv[1:]) if len(sys.argv) == 3 else all_tiny(*sys.argv[1:])
