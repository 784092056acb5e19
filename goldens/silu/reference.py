"""out = x / (1 + exp(-x))"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x = inputs["x"]
    with np.errstate(over="ignore"):  # exp(-x) = inf gives the right 0
        return [x / (1 + np.exp(-x))]
