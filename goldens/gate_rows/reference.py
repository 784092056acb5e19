"""out[t] = x[t] / (1 + exp(-h[t] . weight))"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    return [inputs["x"] / (1 + np.exp(-inputs["h"] @ inputs["weight"]))[:, None]]
