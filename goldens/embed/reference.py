"""out[t] = table[ids[t]]"""


def reference(attrs, inputs, states, sizes):
    return [inputs["table"][inputs["ids"]]]
