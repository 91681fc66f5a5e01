#!/usr/bin/env python3
"""Steps back in the debugger, and the last write of an element, over the small models: whether a bit differs.

    benchmarks/reverse_steps.py --positions 1000

At random cycles of each model's program the state is saved, some bundles are issued and taken back, and it is saved
again: both files must be the same. For random elements of results, the cycle that `last` finds must be that of the
last of all stops of a watchpoint on the way there. Prints what differs, and exits with 1 if anything does.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import filecmp
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks/models")]
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402  (found through the lines above)
import numpy as np  # noqa: E402
from models import MODELS, lowered  # noqa: E402

MOST_STEPS = 300
MOST_STOPS = 400  # of a watchpoint


class Debugger:
    """The debugger on a program, whose commands are answered one by one."""

    def __init__(self, systole, *words):
        command = [str(systole), "debug", *map(str, words)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def __call__(self, *commands):
        """The output of the commands."""
        # The answer to a command that changes nothing ends the others'.
        for command in (*commands, "info checkpoints"):
            self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if " snapshots, " in line:
                return "".join(lines)
            lines.append(line)
        raise RuntimeError("".join(lines))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def cycle_of(text):
    return int(re.findall(r"\bcycle (\d+)", text)[-1])


def last_write(debug, cycle, element):
    """The cycle behind the last write before a cycle, by all stops from the start on; nothing if there are too many."""
    debug("delete", "goto 0", f"watch {element}")
    found = "start"
    for _ in range(MOST_STOPS):
        text = debug("continue")
        if "has halted" in text or cycle_of(text) > cycle:
            return found
        found = cycle_of(text)
    return None


def attempt(name, positions, options):
    """(name, states compared, writes compared, longest step back in seconds, what is wrong)."""
    chance = random.Random(f"{options.seed} {name}")
    function, args = MODELS[name]("small")
    wrong, writes, longest = [], 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "p.mlir").write_text(lowered(function, args).as_text(debug_info=True))
        leaves = jax.tree.leaves(args)
        np.savez(folder / "args.npz", **{f"arg{number}": np.asarray(arg) for number, arg in enumerate(leaves)})
        debug = Debugger(options.systole, folder / "p.mlir", "--args", folder / "args.npz")
        end = cycle_of(debug("continue"))
        shapes = [
            list(map(int, shape.split("x")[:-1]))
            for shape in re.findall(r"out\d+ tensor<(.*?)>", debug("info tensors"))
        ]
        for position in range(positions):
            cycle, steps = chance.randrange(end), chance.randint(1, MOST_STEPS)
            before, after = folder / "before", folder / "after"
            # To where a bundle issues: the cycle may be one of a wait.
            cycle = cycle_of(debug(f"goto {cycle}", "stepi", "reverse-stepi"))
            debug(f"save {before}")
            # Behind the end there is nothing to issue.
            moved = debug(f"stepi {steps}")
            if "has halted" in moved:
                continue
            start = time.perf_counter()
            debug(f"reverse-stepi {steps}")
            longest = max(longest, time.perf_counter() - start)
            debug(f"save {after}")
            if not filecmp.cmp(before, after, shallow=False):
                wrong.append(f"cycle {cycle}, {steps} steps: the states differ")
            if position % 5 == 0:
                number = chance.randrange(len(shapes))
                indices = ", ".join(str(chance.randrange(size)) for size in shapes[number])
                element = f"out{number}[{indices}]" if indices else f"out{number}"
                expected = last_write(debug, cycle, element)
                debug("delete")
                text = debug(f"goto {cycle}", f"last {element}")
                found = "start" if "the start of the program" in text else cycle_of(text)
                writes += expected is not None
                if expected not in (None, found):
                    wrong.append(f"cycle {cycle}, {element}: last {found}, by all stops {expected}")
        debug.close()
    return name, positions, writes, longest, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=1000, help="of all models together")
    parser.add_argument("--only", nargs="+", default=list(MODELS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    each = -(-options.positions // len(options.only))
    context = multiprocessing.get_context("spawn")
    states, writes, failures = 0, 0, 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        attempts = [pool.submit(attempt, name, each, options) for name in options.only]
        for done in concurrent.futures.as_completed(attempts):
            name, count, some, longest, wrong = done.result()
            states, writes, failures = states + count, writes + some, failures + len(wrong)
            print(f"{name}: {count} positions, {some} last writes, steps back within {longest:.2f} s", flush=True)
            for line in wrong:
                print(f"  {line}")
    print(f"{states} positions, {writes} last writes, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
