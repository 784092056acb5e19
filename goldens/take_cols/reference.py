"""The columns from .. from + count of each group."""


def reference(attrs, inputs, states, sizes):
    x = inputs["x"]
    groups = x.reshape(x.shape[0], x.shape[1] // attrs["group"], attrs["group"])
    taken = groups[:, :, attrs["from"] : attrs["from"] + attrs["count"]]
    return [taken.reshape(x.shape[0], groups.shape[1] * attrs["count"])]
