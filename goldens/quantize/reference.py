"""The rows of x in activation blocks, byte for byte."""

from common import blocks


def reference(attrs, inputs, states, sizes):
    return [blocks.encode(attrs["to"], inputs["x"])]
