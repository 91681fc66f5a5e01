#!/usr/bin/env python3
"""Random legal plans against the planner's: whether a plan changes a bit of a result.

    benchmarks/forced_plans.py --programs 1000 --plans 10
    benchmarks/forced_plans.py --programs 20 --plans 3 --targets v3 --large

Each random function is compiled to the fusion level and run with the planner's plans, then with
random legal plans for all of its kernels (systole-randomize-plans). Prints the programs in which a
bit differs or a plan is refused, and exits with 1 if there are any. --large takes functions on large arrays
(test/e2e/random_large.py), with random fractions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "test/e2e")]

from plans import fused, plans_of, run_bits, with_fractions, with_random_plans  # noqa: E402  (the line above)
from random_large import LargeProgram  # noqa: E402
from random_programs import Program  # noqa: E402


def check(text, args, plans, target):
    """Counts of one program's forced plans: kernels with another plan, and runs that differ or are refused."""
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        fusions = fused(text, target)
        expected = run_bits(fusions, args, directory, target)
        changed, wrong = 0, []
        for seed in range(plans):
            forced = with_random_plans(fusions, seed, target)
            changed += sum(a != b for a, b in zip(plans_of(fusions), plans_of(forced), strict=True))
            try:
                if run_bits(forced, args, directory, target) != expected:
                    wrong.append(f"plans of seed {seed}: different bits")
            except AssertionError as error:
                wrong.append(f"plans of seed {seed}: {error}")
    return changed, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--plans", type=int, default=10, help="of each program")
    parser.add_argument("--targets", default="v2,v3")
    parser.add_argument("--large", action="store_true", help="functions on large arrays")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")

    runs, changed, wrong = {}, 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed in range(options.first, options.first + options.programs):
            program = (LargeProgram if options.large else Program)(seed)
            args = program.args
            if options.large:
                rng = np.random.default_rng(seed)
                args = [with_fractions(rng, arg) for arg in args]
            text = program.lowered().as_text()
            for target in options.targets.split(","):
                runs[pool.submit(check, text, args, options.plans, target)] = (seed, target)
        for run in concurrent.futures.as_completed(runs):
            seed, target = runs[run]
            count, problems = run.result()
            changed += count
            wrong += len(problems)
            for problem in problems:
                print(f"program {seed} on {target}, {problem}", flush=True)
    total = len(runs) * options.plans
    print(f"{total} runs of {options.programs} programs, {changed} kernels with another plan: {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
