"""out = 1 / (1 + exp(-x)), for a negative x as exp(x) / (1 + exp(x))"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x = inputs["x"]
    e = np.exp(-np.abs(x))
    return [np.where(x < 0, e, 1.0) / (1 + e)]
