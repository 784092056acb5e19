"""S <- decay S, then S <- S + beta (v - S k) k^T, then out = scale S q: of each row and value head, in the order of a
sequence's rows."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    heads, key_heads = attrs["heads"], attrs["key_heads"]
    q, k, v = (inputs[name] for name in "qkv")
    q, k = (x.reshape(len(x), key_heads, x.shape[1] // key_heads) for x in (q, k))
    v = v.reshape(len(v), heads, v.shape[1] // heads)
    out = np.zeros(v.shape)
    after = [state.reshape(heads, v.shape[2], state.shape[1]).copy() for state in states["state"]]
    for t, sequence in enumerate(inputs["sequences"]):
        for h in range(heads):
            g = h % key_heads if attrs["pairing"] == "tiled" else h // (heads // key_heads)
            s = after[sequence][h] * inputs["decay"][t, h]
            s += np.outer(inputs["beta"][t, h] * (v[t, h] - s @ k[t, g]), k[t, g])
            out[t, h] = attrs["scale"] * (s @ q[t, g])
            after[sequence][h] = s
    return [out.reshape(len(out), heads * v.shape[2]), [s.reshape(heads * v.shape[2], s.shape[2]) for s in after]]
