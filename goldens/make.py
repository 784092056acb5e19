#!/usr/bin/env python3
"""Writes the expected outputs of goldens: make.py [OP...]

For every case of an op, the reference in <op>/reference.py is applied to the inputs that `vt test-ops --write-goldens`
wrote. Needs numpy.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from common.golden import Golden  # noqa: E402


def reference(op):
    """The function `reference` of an op."""
    spec = importlib.util.spec_from_file_location(f"reference_{op}", HERE / op / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference


def make(op):
    """Writes the outputs of all cases of an op, and returns how many there are."""
    compute = reference(op)
    folders = sorted(path.parent for path in (HERE / op).glob("*/manifest.json"))
    for folder in folders:
        golden = Golden(folder)
        try:
            golden.save(compute(golden.attributes, golden.inputs(), golden.states(), golden.sizes))
        except Exception as error:
            error.add_note(f"in {folder}")
            raise
    return len(folders)


if __name__ == "__main__":
    ops = sys.argv[1:] or sorted(path.parent.name for path in HERE.glob("*/reference.py"))
    for name in ops:
        print(f"{name}: {make(name)} cases")
