#!/usr/bin/env python3
"""How far logits that vt wrote are from llama.cpp's, with f32 caches on both sides.

    vt eval FILE.gguf --tokens 1,2,3 -ctk f32 -ctv f32 --out ours.npy
    python3 goldens/models/compare.py FILE.gguf 1,2,3 ours.npy

It prints the normalized mean squared error of all logits, the worst of a token's, and at how many tokens both have the
same best one. On a file of floats the error is rounding: below 1e-10. On quantized files it is that of the quantized
activations of both, some 1e-4; compare each with the weights decoded (VT_CPU_REF=1) to see whose is larger.
"""
import sys

import numpy as np
from make import Llama, nmse

path, tokens, ours = sys.argv[1:]
ours = np.load(ours)
theirs = Llama(path, "f32").feed([int(token) for token in tokens.split(",")])
assert ours.shape == theirs.shape, f"{ours.shape} logits, llama.cpp has {theirs.shape}"
worst = max(nmse(a, b) for a, b in zip(ours, theirs))
same = int((ours.argmax(1) == theirs.argmax(1)).sum())
print(f"nmse {nmse(ours, theirs):.2e}, worst token {worst:.2e}, best token the same at {same} of {len(ours)}")
