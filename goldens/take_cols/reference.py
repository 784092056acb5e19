"""The columns from .. from + count of each group of columns."""


def reference(attrs, inputs, states, sizes):
    x = inputs["x"]
    rows, groups = len(x), x.shape[1] // attrs["group"]
    part = x.reshape(rows, groups, attrs["group"])[:, :, attrs["from"] : attrs["from"] + attrs["count"]]
    return [part.reshape(rows, groups * attrs["count"])]
