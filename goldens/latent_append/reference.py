"""Row t goes to position positions[t] of sequence sequences[t].

New rows are not rounded to the cache's type: the tolerance leaves room for that.
"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    where = list(zip(inputs["sequences"], inputs["positions"]))
    return [[grown(state["keys"], sequence, where, inputs["rows"]) for sequence, state in enumerate(states["cache"])]]


def grown(keys, sequence, where, rows):
    """The rows of a sequence with its new ones, [1, positions, elements]."""
    length = max([keys.shape[1]] + [position + 1 for s, position in where if s == sequence])
    out = np.zeros((1, length, keys.shape[2]))
    out[:, : keys.shape[1]] = keys
    for row, (s, position) in zip(rows, where):
        if s == sequence:
            out[0, position] = row
    return {"keys": out}
