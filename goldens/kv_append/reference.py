"""The keys and values of row t go to position positions[t] of sequence sequences[t].

New rows are not rounded to the cache's type: the tolerance leaves room for that.
"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    where = list(zip(inputs["sequences"], inputs["positions"]))
    return [[grown(state, sequence, where, inputs) for sequence, state in enumerate(states["cache"])]]


def grown(state, sequence, where, inputs):
    """The state of a sequence with its new rows."""
    out = {}
    for part in ("keys", "values"):
        heads, filled, dim = state[part].shape
        length = max([filled] + [position + 1 for s, position in where if s == sequence])
        out[part] = np.zeros((heads, length, dim))
        out[part][:, :filled] = state[part]
        for row, (s, position) in enumerate(where):
            if s == sequence:
                out[part][:, position] = inputs[part][row].reshape(heads, dim)
    return out
