"""out = cap * tanh(x / cap)"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    return [attrs["cap"] * np.tanh(inputs["x"] / attrs["cap"])]
