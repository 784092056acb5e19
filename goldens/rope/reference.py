"""Pair i of a head is turned by position * scale * base^(-2i / rot) / factors[i] and grows by a magnitude."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x, positions, factors = inputs["x"], inputs["positions"], inputs["factors"]
    dim, rot = attrs["head_dim"], attrs["rot"]
    pairs = np.arange(rot // 2)
    first, second = (2 * pairs, 2 * pairs + 1) if attrs["style"] == "norm" else (pairs, pairs + rot // 2)

    frequencies = attrs["scale"] * attrs["base"] ** (-2 * pairs / max(rot, 1)) / factors
    angles = positions[:, None, None] * frequencies
    cos, sin = attrs["magnitude"] * np.cos(angles), attrs["magnitude"] * np.sin(angles)

    heads = x.reshape(x.shape[0], x.shape[1] // dim, dim)
    out = heads.copy()
    out[..., first] = heads[..., first] * cos - heads[..., second] * sin
    out[..., second] = heads[..., second] * cos + heads[..., first] * sin
    return [out.reshape(x.shape)]
