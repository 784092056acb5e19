"""Causal attention of grouped queries over the keys at positions max(0, p + 1 - window) ..= p.

Scores are scaled, for later queries more so with a temperature, then bounded by a cap. A sink is one more score, of a
value of zeros."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    rows = zip(inputs["q"], inputs["sequences"], inputs["positions"])
    sinks = inputs.get("sinks")
    out = [row(attrs, q, states["cache"][sequence], position, sinks) for q, sequence, position in rows]
    width = attrs["heads"] * value_dim(states["cache"])
    return [np.array(out).reshape(len(out), width)]


def value_dim(caches):
    """The elements of a value."""
    return caches[0]["values"].shape[2]


def row(attrs, q, cache, position, sinks):
    """The output of one row: [heads * value_dim]."""
    window = attrs["window"]
    first = max(0, position + 1 - window) if window else 0
    group = attrs["heads"] // len(cache["keys"])
    keys = np.repeat(cache["keys"][:, first : position + 1], group, axis=0)
    values = np.repeat(cache["values"][:, first : position + 1], group, axis=0)
    scores = scale(attrs, position) * np.einsum("hd,hjd->hj", q.reshape(attrs["heads"], -1), keys)
    if attrs["cap"]:
        scores = attrs["cap"] * np.tanh(scores / attrs["cap"])
    if sinks is not None:
        scores = np.concatenate([scores, sinks[:, None]], axis=-1)
        values = np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.einsum("hj,hjd->hd", weights, values).reshape(-1)


def scale(attrs, position):
    """The factor of the scores of a query."""
    length = attrs["temperature_length"]
    return attrs["scale"] * (1 + attrs["temperature"] * np.log(1 + position // length)) if length else attrs["scale"]
