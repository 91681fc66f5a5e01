#!/usr/bin/env python3
"""Random programs like those that people write, compiled and run for each target: traps, refusals, wrong values.

    benchmarks/whole_programs.py --programs 200                small ones, compared with JAX on the CPU
    benchmarks/whole_programs.py --programs 200 --real-size    of real size, for timing: the machine checks hazards
    benchmarks/whole_programs.py --only SEED --write DIR       one of them again; writes program.mlir and args.npz

benchmarks/generator composes each program from its seed, which is the tested commit's hash with a number. Prints a
line for each failure, and tables at the end. Exits with 1 if there are failures.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models")]
# Before JAX is imported. bf16 is rounded after each operation, as the program is written; and XLA compiles quickly.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    "--xla_allow_excess_precision=false --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
)

from generator.check import outcomes  # noqa: E402
from generator.draw import some_targets  # noqa: E402
from generator.program import WholeProgram  # noqa: E402
from generator.tables import Tables  # noqa: E402

TARGETS = ("v2", "v3", "v4", "v5e", "v6e")


def head():
    """The hash of the tested commit."""
    return subprocess.check_output(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], text=True).strip()


def attempt(seed, options):
    """(seed, description, forms, types, precision, outcomes, seconds) of a program."""
    start = time.perf_counter()
    program = WholeProgram(seed, options.real_size)
    folder = options.write and options.write / seed
    targets = some_targets(seed, options.targets, options.targets_each)
    found = outcomes(program, options.systole, targets, not options.without_passes, folder)
    seconds = time.perf_counter() - start
    return seed, str(program), program.forms, program.types, program.precision, found, seconds


def results(seeds, options):
    if options.jobs == 1:
        yield from (attempt(seed, options) for seed in seeds)
        return
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for done in concurrent.futures.as_completed([pool.submit(attempt, seed, options) for seed in seeds]):
            yield done.result()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", help="the hash of the tested commit without")
    parser.add_argument("--only", metavar="SEED", help="the program of a line of failure")
    parser.add_argument("--real-size", action="store_true", help="sizes of real networks, for timing")
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--targets-each", type=int, default=2, help="of these for each program, by its seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=pathlib.Path, metavar="DIR", help="keep the files of each program there")
    parser.add_argument("--without-passes", action="store_true", help="do not ask which passes changed the programs")
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    return parser.parse_args()


def main():
    options = parse()
    first = options.seed or head()
    seeds = [options.only] if options.only else [f"{first}-{i}" for i in range(options.programs)]
    tables, failures, start = Tables(), 0, time.perf_counter()
    for seed, text, forms, types, precision, found, seconds in results(seeds, options):
        tables.add(forms, types, precision, found)
        for outcome in found:
            if outcome.kind:
                failures += 1
                print(f"{seed} {outcome.target} {outcome.kind}: {outcome.message}\n    {text}", flush=True)
        if options.only:
            times = (f"{o.target} {o.compile_seconds:.1f} + {o.run_seconds:.1f}" for o in found)
            print(f"{text}\n{seconds:.1f} s; compile + run: {', '.join(times)}")
    minutes = (time.perf_counter() - start) / 60
    print("\n".join(tables.lines()))
    rate = tables.programs / minutes
    print(f"\n{tables.programs} programs of seed {first}, {failures} failures, {rate:.1f} programs a minute")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
