"""out = x * factor"""


def reference(attrs, inputs, states, sizes):
    return [inputs["x"] * attrs["factor"]]
