"""Each group of D elements divided by the root of its mean square (and eps), times weight."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x, weight = inputs["x"], inputs["weight"]
    groups = x.reshape(x.shape[0], x.shape[1] // len(weight), len(weight))
    mean = np.mean(groups**2, axis=-1, keepdims=True)
    return [(groups / np.sqrt(mean + attrs["eps"]) * weight).reshape(x.shape)]
