"""silu(gate) * up in activation blocks"""

import numpy as np
from common import blocks


def reference(attrs, inputs, states, sizes):
    gate = np.maximum(inputs["gate"], np.finfo(np.float64).min)  # silu(-inf) is its limit, 0
    with np.errstate(over="ignore", invalid="ignore"):  # exp(-x) = inf gives the right 0
        return [blocks.encode(attrs["to"], gate / (1 + np.exp(-gate)) * inputs["up"])]
