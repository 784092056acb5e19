"""out[t] = sum over k of weights[t, k] * x[t, k]"""

import numpy as np


def reference(attrs, inputs, states, sizes):
    with np.errstate(invalid="ignore"):
        return [(inputs["weights"][:, :, None] * inputs["x"]).sum(axis=1)]
