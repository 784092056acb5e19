"""out = 0.5 x (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x^3), where 0.5 (1 + tanh(y)) = 1 / (1 + exp(-2 y))"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    x = inputs["x"]
    y = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    with np.errstate(over="ignore"):  # exp(-2 y) = inf gives the right 0
        return [x / (1 + np.exp(-2 * y))]  # 1 + tanh(y) would cancel
