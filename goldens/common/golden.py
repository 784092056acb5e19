"""The files of a golden: what Rust wrote of a case, and where its expected outputs go."""

import json
from pathlib import Path

import numpy as np

from . import blocks

INTEGERS = ("i8", "i16", "i32", "i64")


def values(dtype, array):
    """The numbers of a stored array: int64 of whole numbers, otherwise float64, decoded where they lie in blocks."""
    if dtype in blocks.TYPES:
        return blocks.decode(dtype, array)
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.int64 if dtype in INTEGERS else np.float64)


class Golden:
    """A folder goldens/<op>/<case>."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.manifest = json.loads((self.folder / "manifest.json").read_text())
        self.attributes = self.manifest["attributes"]
        self.sizes = self.manifest["sizes"]

    def load(self, name, dtype):
        return values(dtype, np.load(self.folder / f"{name}.npy"))

    def inputs(self):
        """Tensor inputs by name."""
        return {i["name"]: self.load(i["name"], i["dtype"]) for i in self.manifest["inputs"] if "dtype" in i}

    def states(self):
        """State inputs by name: a list with an entry per sequence."""
        states = [i for i in self.manifest["inputs"] if "state" in i]
        return {s["name"]: [self.state(s, q) for q in range(len(s["filled"]))] for s in states}

    def state(self, spec, sequence):
        """Keys and values, [heads, positions, elements]; or the rows of a state of fixed size."""
        name = f"{spec['name']}-s{sequence}"
        if spec["state"] == "fixed":
            return self.load(name, "f32")
        if spec["state"] == "latent_rows":
            keys = self.load(f"{name}-keys", spec["dtype"])
            return {"keys": keys, "values": keys[..., : spec["value_dim"]]}
        return {"keys": self.load(f"{name}-keys", spec["key"]), "values": self.load(f"{name}-values", spec["value"])}

    def save(self, outputs):
        """Writes the expected outputs: float64, or the bytes of blocks; a state as its input is written."""
        declared = self.manifest["outputs"]
        assert len(outputs) == len(declared), f"{len(outputs)} outputs, not {len(declared)}"
        for spec, output in zip(declared, outputs):
            if "dtype" in spec:
                self.save_tensor(spec, output)
                continue
            for sequence, state in enumerate(output):
                name = f"{spec['name']}-s{sequence}"
                parts = state.items() if isinstance(state, dict) else [(None, state)]
                for part, array in parts:
                    self.write(f"{name}-{part}" if part else name, array)

    def save_tensor(self, spec, output):
        shape = [self.sizes[n] if isinstance(n, str) else n for n in spec["shape"]]
        if spec["dtype"] in blocks.TYPES:
            elems, size, _ = blocks.TYPES[spec["dtype"]]
            shape[-1] = shape[-1] // elems * size
            assert output.dtype == np.uint8, "an output in blocks is given as bytes"
        assert list(output.shape) == shape, f"an output of shape {output.shape}, not {shape}"
        self.write(spec["name"], output)

    def write(self, name, array):
        dtype = np.uint8 if array.dtype == np.uint8 else "<f8"
        np.save(self.folder / f"{name}.npy", np.ascontiguousarray(array, dtype=dtype))
