"""The results of the sweep, as text.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import collections
import re
import textwrap

from sweep.arguments import DTYPES
from sweep.table import MODULES

STATUSES = ("pass", "refused", "WRONG", "DIED")
WIDTH = 120
BEGIN, END = "<!-- benchmarks/jax_sweep.py begin -->", "<!-- benchmarks/jax_sweep.py end -->"


def cause(reason):
    """The missing feature, without the locations and shapes of one case."""
    if found := re.search(r"operation '(\S+)' of '(\S+)' is not supported", reason):
        return f"`{found[1]}` of `{found[2]}`"
    if found := re.search(r"operation '(\S+)' is not supported", reason):
        return f"`{found[1]}`"
    if found := re.search(r"element type '(\S+)' is not supported", reason):
        return f"elements of `{found[1]}`"
    if found := re.search(r"rule for primitive '(\S+)' not found for platform tpu", reason):
        return f"JAX has no `{found[1]}` for TPUs"
    message = re.sub(r"^\[.*?\]: |.*error: |, but .*", "", reason.splitlines()[0])
    return message.replace("|", "\\|")


def module_of(name):
    return name.rpartition(".")[0]


def summary(results):
    """A table of modules."""
    lines = ["| module | functions | with types | " + " | ".join(STATUSES) + " |",
             "|---|---|---|" + "---|" * len(STATUSES)]  # fmt: skip
    for module in [*MODULES, None]:
        of = {task: status for task, (status, _) in results.items() if module in (None, module_of(task[0]))}
        if of:
            number = collections.Counter(of.values())
            cells = [f"`{module}`" if module else "all", len({name for name, _ in of}), number.total()]
            cells += [number[status] for status in STATUSES]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def types(of):
    return ", ".join(dtype for dtype in DTYPES if dtype in of)


def by_cause(results):
    """A table of missing features, with the functions that need them."""
    found = collections.defaultdict(set)
    for (name, _), (status, reason) in results.items():
        if status != "pass":
            found[status if status != "refused" else cause(reason)].add(name)
    lines = ["| missing | functions | |", "|---|---|---|"]
    for missing, names in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {missing} | {len(names)} | {', '.join(sorted(names))} |")
    return "\n".join(lines)


def by_function(results):
    """A line for each module's functions that pass with every type, a table of the others."""
    lines = []
    of = collections.defaultdict(dict)
    for (name, dtype), outcome in results.items():
        of[name][dtype] = outcome
    for module in MODULES:
        names = sorted(name for name in of if module_of(name) == module)
        if not names:
            continue
        passing = [n for n in names if all(status == "pass" for status, _ in of[n].values())]
        short = ", ".join(name.rpartition(".")[2] for name in passing)
        lines += [f"### {module}", "", textwrap.fill(f"With every type: {short}.", WIDTH), ""]
        others = [name for name in names if name not in passing]
        if others:
            lines += ["| function | pass | refused |", "|---|---|---|"]
        for name in others:
            reasons = collections.defaultdict(list)
            for dtype, (status, reason) in of[name].items():
                if status != "pass":
                    reasons[cause(reason) if status == "refused" else status].append(dtype)
            refused = "; ".join(f"{types(which)}: {why}" for why, which in reasons.items())
            passes = types([t for t, (status, _) in of[name].items() if status == "pass"])
            lines.append(f"| {name} | {passes} | {refused} |")
        lines.append("")
    return "\n".join(lines)


def page(results, text):
    """`text` with the part between the marks regenerated."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    swept = "Types: " + types({dtype for _, dtype in results}) + "."
    made = "\n\n".join([swept, summary(results), "## What is missing", by_cause(results),
                        "## Function by function", by_function(results)])  # fmt: skip
    return before + BEGIN + "\n" + made.rstrip() + "\n" + END + after
