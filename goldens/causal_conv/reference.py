"""out[t] = silu(sum over j of weight[:, j] * window[:, j]): the window is the sequence's last K rows of x, t's own last."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x, weight = inputs["x"], inputs["weight"]
    out = np.zeros(x.shape)
    after = []
    for sequence, state in enumerate(states["state"]):
        rows = np.flatnonzero(inputs["sequences"] == sequence)
        seen = np.concatenate([state.T, x[rows]])
        taps = weight.shape[1]
        for i, row in enumerate(rows):
            total = (weight * seen[i : i + taps].T).sum(axis=1)
            out[row] = total / (1 + np.exp(-total))
        after.append(seen[len(rows) :].T)
    return [out, after]
