"""gelu(gate) * up in activation blocks, gelu(x) = 0.5 x (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x^3)"""

import numpy as np
from common import blocks


def reference(attrs, inputs, states, sizes):
    gate = np.maximum(inputs["gate"], np.finfo(np.float64).min)  # gelu(-inf) is its limit, 0
    with np.errstate(over="ignore", invalid="ignore"):  # exp(-2 y) = inf gives the right 0; 1 + tanh(y) would cancel
        y = np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)
        return [blocks.encode(attrs["to"], gate / (1 + np.exp(-2 * y)) * inputs["up"])]
