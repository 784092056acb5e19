"""Each head of a, then that of b, or the one of b that all share."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    a, b = inputs["a"], inputs["b"]
    rows, heads = a.shape[0], a.shape[1] // attrs["a_dim"]
    a = a.reshape(rows, heads, attrs["a_dim"])
    b = b.reshape(rows, 1 if attrs["shared"] else heads, attrs["b_dim"])
    both = np.concatenate([a, np.broadcast_to(b, (rows, heads, attrs["b_dim"]))], axis=-1)
    return [both.reshape(rows, heads * both.shape[-1])]
