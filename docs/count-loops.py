"""Counts the instructions of loops by kind, from `objdump -d -C --no-show-raw-insn` of aarch64 code.

    python3 count-loops.py LISTING [PART-OF-A-FUNCTION'S-NAME]

Of each loop, without the loops in it: its address, its vector instructions, all by kind, the bytes that it loads into vector
registers, and its vector loads and stores on the stack (spills, unless an array lies there). Loops without vector instructions are
left out.
"""

import collections
import re
import sys

MULTIPLY = re.compile(r"(sdot|smmla|smlal2?|smull2?|mla|fmla|mul|fmul)$")
BRANCH = re.compile(r"(b|bl|blr|br|b\..+|cbz|cbnz|tbz|tbnz)$")
BYTES = {"q": 16, "v": 16, "d": 8, "s": 4, "h": 2, "b": 1}


def functions(path):
    name, body = None, []
    for line in open(path):
        if start := re.match(r"[0-9a-f]{16} <(.*)>:$", line):
            if name:
                yield name, body
            name, body = start[1], []
        elif found := re.match(r"\s+([0-9a-f]+):\t(\S+)(?:\t(.*))?$", line):
            body.append((int(found[1], 16), found[2], (found[3] or "").split("//")[0].strip()))
    if name:
        yield name, body


def all_loops(body):
    at = {address: i for i, (address, _, _) in enumerate(body)}
    loops = set()
    for i, (_, op, operands) in enumerate(body):
        target = BRANCH.match(op) and re.search(r"([0-9a-f]+) <", operands)
        if target and at.get(int(target[1], 16), i + 1) <= i:
            loops.add((at[int(target[1], 16)], i))
    return sorted(loops)


def own(body, loop, loops):
    inner = [b for b in loops if b != loop and loop[0] <= b[0] and b[1] <= loop[1]]
    return [body[i] for i in range(loop[0], loop[1] + 1) if not any(b[0] <= i <= b[1] for b in inner)]


def kind(op, operands):
    if BRANCH.match(op) or op == "prfm":
        return "scalar"
    vector = re.match(r"\{?\s*[qvdshb]\d", operands)
    if re.match(r"ld", op):
        return "load" if vector else "scalar"
    if re.match(r"st", op):
        return "store" if vector else "scalar"
    if re.search(r"\b[qvdsh]\d+\b", operands):
        return op if MULTIPLY.match(op) else "other"
    return "scalar"


def main(listing, part=""):
    for name, body in functions(listing):
        loops = all_loops(body) if part in name else []
        for loop in loops:
            kinds, loaded, stack = collections.Counter(), 0, 0
            for _, op, operands in own(body, loop, loops):
                kinds[kind(op, operands)] += 1
                if kind(op, operands) in ("load", "store"):
                    stack += "[sp" in operands or "[x29" in operands
                if kind(op, operands) == "load":
                    register = re.match(r"\{?\s*([qvdshb])", operands)[1]
                    size = (8 if ".2d" in operands else 4) if op == "ld1r" else BYTES[register]
                    loaded += size * (2 if op == "ldp" else 1)
            vector = kinds.total() - kinds["scalar"] - kinds["load"] - kinds["store"]
            if vector:
                print(f"{name[-160:]}\n  {body[loop[0]][0]:#x}: {vector} {dict(kinds)}, {loaded} bytes, stack {stack}")


main(*sys.argv[1:])
