"""out = x sigmoid(alpha x) (y + 1) with x = min(gate, limit), y = max(-limit, min(up, limit))."""

import numpy as np


def reference(attrs, inputs, states, sizes):
    alpha, limit = attrs["alpha"], attrs["limit"]
    x = np.minimum(inputs["gate"], limit)
    y = np.clip(inputs["up"], -limit, limit)
    with np.errstate(over="ignore"):  # exp(-x) = inf gives the right 0
        return [x / (1 + np.exp(-alpha * x)) * (y + 1)]
