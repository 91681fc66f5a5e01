#!/usr/bin/env python3
"""Runs that are stopped at random cycles and continued in another process: whether a bit or a count differs.

    benchmarks/snapshots.py --programs 20 --cycles 50
    benchmarks/snapshots.py --models --cycles 10

Each program is compiled and run as a whole. Then `systole run --snapshot` writes the state of the machine at a random
cycle, and `systole run --resume` continues it in a process of its own. Results, cycles, the statistics of each kernel
and traps have to be equal. Prints what differs, and exits with 1 if anything does.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks/models"), str(ROOT / "test/e2e")]

from models import MODELS, lowered  # noqa: E402  (found through the line above)
from random_programs import Program  # noqa: E402

TARGETS = ("v2", "v3", "v4", "v5e", "v6e")
# Of a report: what depends on this host, and not on the program.
OF_THE_HOST = ("compile_seconds", "emulate_seconds", "hbm_touched_bytes")


def sources(options):
    """(name, StableHLO text, arguments)."""
    if options.models:
        for name, model in MODELS.items():
            function, args = model("small")
            yield name, lowered(function, args).as_text(), jax.tree.leaves(args)
    for seed in range(options.first, options.first + options.programs):
        program = Program(seed)
        yield f"random-{seed}", program.lowered().as_text(), program.args


def outcome(systole, program, target, directory, *how):
    """Results as bytes with the report, or the text of the error."""
    out, report = directory / "out.npz", directory / "report.json"
    command = [systole, "run", program, "--target", target, "--out", out, "--report-file", report, *how]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    values = json.loads(report.read_text())
    for name in OF_THE_HOST:
        values.pop(name, None)
    with np.load(out) as archive:
        return {name: archive[name].tobytes() for name in archive.files}, values


def check(options, name, text, args, target):
    """The number of cycles at which a program was stopped, and what differed."""
    rng = random.Random(f"{name} {target}")
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        source, program, inputs, state = (
            directory / file for file in ("program.mlir", "program.sysx", "args.npz", "state")
        )
        source.write_text(text)
        np.savez(inputs, **{f"arg{i}": np.asarray(arg) for i, arg in enumerate(args)})
        compile = [options.systole, "compile", source, "-o", program, "--target", target]
        done = subprocess.run([str(part) for part in compile], capture_output=True, text=True)
        if done.returncode:
            return 0, [f"{name} for {target}: {done.stderr.strip()}"]
        expected = outcome(options.systole, program, target, directory, "--args", inputs)
        cycles = expected[1]["cycles"] if isinstance(expected, tuple) else 1000
        wrong = []
        for _ in range(options.cycles):
            cycle = rng.randrange(cycles)
            stop = [options.systole, "run", program, "--target", target, "--args", inputs, "--snapshot", state]
            stop += ["--snapshot-cycle", cycle]
            done = subprocess.run([str(part) for part in stop], capture_output=True, text=True)
            # A program may trap before that cycle.
            if done.returncode and done.stderr == expected:
                continue
            if done.returncode:
                wrong.append(f"{name} for {target}, cycle {cycle}: {done.stderr.strip()}")
            elif outcome(options.systole, program, target, directory, "--resume", state) != expected:
                wrong.append(f"{name} for {target}, cycle {cycle}: another result, count or trap")
        return options.cycles, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--programs", type=int, default=20, help="number of random functions")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--models", action="store_true", help="the small models, too")
    parser.add_argument("--cycles", type=int, default=50, help="at which each program is stopped")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")

    stops, wrong = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = [
            pool.submit(check, options, *source, TARGETS[number % len(TARGETS)])
            for number, source in enumerate(sources(options))
        ]
        for done in checks:
            count, different = done.result()
            stops += count
            wrong += different
    print("\n".join(wrong))
    print(f"{len(checks)} programs stopped at {stops} cycles and continued: {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
