"""The experts of the highest scores, and their weights.

Exponentials are taken of differences to the highest number, so that none overflows; the sigmoid is taken of the negative
magnitude, from which neither side cancels."""

import numpy as np


def softmax(x):
    if np.isnan(x).any() or np.isposinf(x).any():
        return np.full_like(x, np.nan)  # inf - inf is none either
    e = np.exp(x - x.max())
    return e / e.sum()


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


def best(scores, count):
    """The places of the highest, the lowest of equals first."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]


def choose(scores, attrs):
    scores = np.where(np.isnan(scores), -np.inf, scores)
    groups = scores.reshape(attrs["groups"], -1)
    allowed = range(attrs["groups"])
    if attrs["used_groups"] < attrs["groups"]:
        allowed = sorted(best([np.sort(group)[-2:].sum() for group in groups], attrs["used_groups"]))
    places = [group * groups.shape[1] + i for group in allowed for i in range(groups.shape[1])]
    return [places[i] for i in best(scores[places], attrs["used"])]


def row(logits, bias, attrs):
    made = {"softmax": softmax, "sigmoid": sigmoid, "softmax of chosen": np.array}[attrs["scoring"]](logits)
    experts = choose(made + bias, attrs)
    weights = made[experts]
    if attrs["scoring"] == "softmax of chosen":
        weights = softmax(weights)
    if attrs["normalize"]:
        weights = weights / max(weights.sum(), 2.0**-14)  # a NaN stays one
    return experts, weights * attrs["scale"]


def reference(attrs, inputs, states, sizes):
    rows = [row(logits, inputs["bias"], attrs) for logits in inputs["logits"]]
    shape = (len(rows), attrs["used"])
    experts = np.array([experts for experts, _ in rows], dtype=np.float64).reshape(shape)
    return [experts, np.array([weights for _, weights in rows]).reshape(shape)]
