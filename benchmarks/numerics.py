#!/usr/bin/env python3
"""Whether taps change a bit of the results of many programs, and the time that `systole numerics` takes.

    benchmarks/numerics.py --programs 200            random programs of small arrays
    benchmarks/numerics.py --whole 100               programs like those that people write (generator/)
    benchmarks/numerics.py --models                  the models, small
    benchmarks/numerics.py --models --size full --only bert --jobs 1

Each program runs as it is, with taps, and in wide types. Prints a line for each one whose results differ in a bit
between the first two, or that fails, and the time that all took beside that of a run. Exits with 1 if there was one.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models"), str(ROOT / "test/e2e")]
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402  (found through the lines above)
import numpy as np  # noqa: E402
from generator.program import WholeProgram  # noqa: E402
from models import MODELS, lowered  # noqa: E402
from random_programs import Program  # noqa: E402

TARGETS = ("v2", "v3", "v4", "v5e", "v6e")


def source(kind, name, size):
    """(StableHLO text, arguments)."""
    if kind == "model":
        function, args = MODELS[name](size)
        return lowered(function, args).as_text(debug_info=True), jax.tree.leaves(args)
    if kind == "whole":
        program = WholeProgram(name)
        return program.text(), jax.tree.leaves(program.arguments())
    program = Program(name)
    return program.lowered().as_text(), program.args


def attempt(kind, name, target, options):
    """(name, seconds of a run, seconds of numerics, what is wrong or "")."""
    text, args = source(kind, name, options.size)
    with tempfile.TemporaryDirectory() as folder:
        module, arguments, found = (pathlib.Path(folder) / file for file in ("p.mlir", "args.npz", "found.json"))
        module.write_text(text)
        np.savez(arguments, **{f"arg{number}": np.asarray(arg) for number, arg in enumerate(args)})
        common = [module, "--args", arguments, "--target", target]

        def systole(*words):
            start = time.perf_counter()
            done = subprocess.run([options.systole, *words], capture_output=True, text=True)
            return time.perf_counter() - start, done

        run, done = systole("run", *common, "--out", pathlib.Path(folder) / "out.npz")
        if done.returncode:
            return name, run, 0, ""  # not a program for this machine
        took, done = systole("numerics", *common, "--wide", options.wide, "--json", found)
        wrong = done.stderr.strip()[:500] if done.returncode else ""
        if not wrong and not json.loads(found.read_text())["results_equal"]:
            wrong = "results differ"
        return name, run, took, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=0)
    parser.add_argument("--whole", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--size", default="small", choices=("small", "full"))
    parser.add_argument("--only", nargs="+", default=list(MODELS))
    parser.add_argument("--wide", default="f32")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    numbers = range(options.first, options.first + max(options.programs, options.whole))
    tasks = [("random", number) for number in numbers[: options.programs]]
    tasks += [("whole", f"numerics-{number}") for number in numbers[: options.whole]]
    tasks += [("model", name) for name in options.only if options.models]
    context = multiprocessing.get_context("spawn")
    failures, ratios = 0, []
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        attempts = [
            pool.submit(attempt, kind, name, TARGETS[number % len(TARGETS)] if kind != "model" else "v3", options)
            for number, (kind, name) in enumerate(tasks)
        ]
        for done in concurrent.futures.as_completed(attempts):
            name, run, took, wrong = done.result()
            if took:
                ratios.append(took / run)
            if wrong or options.models:
                print(f"{name}: run {run:.1f} s, numerics {took:.1f} s {wrong}", flush=True)
            failures += bool(wrong)
    ratios.sort()
    print(f"{len(ratios)} programs, {failures} failures", end="")
    if ratios:
        print(f"; numerics takes {ratios[len(ratios) // 2]:.1f} times a run in the median, {ratios[-1]:.1f} at most")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
