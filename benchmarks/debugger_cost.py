#!/usr/bin/env python3
"""What the debugger costs on large models: a run without stops, its snapshots, and steps back.

    benchmarks/debugger_cost.py                     training steps of BERT-base and ResNet-50, batch 8

For each model: processor time of `systole run` with one thread and of the same program in the debugger without stops,
the snapshots at its end, and the longest of some steps back (by a bundle, by a line, by 5 M cycles) from random cycles.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from reverse_steps import ROOT, Debugger, cycle_of

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402  (found through the lines above)
import numpy as np  # noqa: E402
from models import MODELS, lowered  # noqa: E402

FAR = 5_000_000  # cycles


def processor_time(*words):
    """Seconds of user and system time of a command, and its output."""
    before = os.times()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system,
        done.stdout,
    )


def longest(debug, cycles, *command):
    times = []
    for cycle in cycles:
        debug(f"goto {cycle}")
        start = time.perf_counter()
        debug(*(word.format(far=max(0, cycle - FAR)) for word in command))
        times.append(time.perf_counter() - start)
    return max(times)


def measure(name, options, folder):
    function, args = MODELS[name]("full")
    source, program, arguments = folder / "p.mlir", folder / "p.sysx", folder / "args.npz"
    source.write_text(lowered(function, args).as_text(debug_info=True))
    leaves = jax.tree.leaves(args)
    np.savez(arguments, **{f"arg{number}": np.asarray(arg) for number, arg in enumerate(leaves)})
    del args, leaves
    systole = options.systole
    processor_time(systole, "compile", source, "-o", program)
    ordinary = ("run", program, "--args", arguments, "--threads", "1")
    debugging = ("debug", program, "--args", arguments, "--batch", "-e", "continue", "-e", "info checkpoints")
    # In turn, since the time of the system depends on the memory that others have left.
    pairs = [[processor_time(systole, *words) for words in (ordinary, debugging)] for _ in range(options.runs)]
    run, debugged = (statistics.median(times[kind][0] for times in pairs) for kind in (0, 1))
    snapshots = int(re.search(r"snapshots, (\d+) bytes", pairs[-1][1][1])[1])
    print(f"{name}: run {run:.1f} s, in the debugger {debugged:.1f} s ({debugged / run:.2f} times)", flush=True)
    print(f"  snapshots {snapshots / 1e9:.2f} GB at the end", flush=True)
    if options.positions == 0:
        return
    debug = Debugger(systole, program, "--args", arguments)
    end = cycle_of(debug("continue"))
    chance = random.Random(name)
    cycles = [chance.randrange(end) for _ in range(options.positions)]
    for what, command in (("a bundle", "reverse-stepi"), ("a line", "reverse-step"), (f"{FAR:,} cycles", "goto {far}")):
        print(f"  back by {what}: at most {longest(debug, cycles, command):.2f} s", flush=True)
    debug.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["bert", "resnet50"], choices=list(MODELS))
    parser.add_argument("--positions", type=int, default=10, help="from which it steps back; 0: none")
    parser.add_argument("--runs", type=int, default=5, help="of each kind, in turn: the median counts")
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
