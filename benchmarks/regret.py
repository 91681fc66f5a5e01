#!/usr/bin/env python3
"""How much faster the kernels of kernels.py would be with other plans: random legal ones, forced and emulated.

    benchmarks/regret.py                          30 plans of each kernel, on v3
    benchmarks/regret.py --plans 5 --match dot    of kernels whose name contains "dot"

Each program is compiled to the fusion level; its cycles with the planner's plans are compared with those of
random legal plans (systole-randomize-plans), without data where that is possible. The regret of a program is by how
much of the planner's cycles the best plan is faster, 0 if none is. Prints the worst programs, the mean and the largest
regret, and the best plans on request.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import typing

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models"), str(ROOT / "test/e2e")]

from cycle_tables import Program, cycles, of_kernel  # noqa: E402  (found through the line above)
from kernels import KERNELS  # noqa: E402
from plans import fused, plans_of, with_random_plans  # noqa: E402


class Regret(typing.NamedTuple):
    name: str
    ours: int
    best: int
    plans: list  # of the best
    tried: int  # plans other than the planner's
    refused: int

    @property
    def share(self):
        return 1 - self.best / self.ours


def regret(program, text, count, target):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savez(folder / "args.npz", **{f"arg{i}": np.asarray(arg) for i, arg in enumerate(program.args)})
        planned = fused(text, target)

        def measure(fusions):
            (folder / "program.mlir").write_text(fusions)
            return cycles(program, target, folder, options=("--from", "fusion"))

        best = ours = measure(planned)
        if isinstance(ours, str):
            raise RuntimeError(f"{program.name}: {ours}")
        plans, tried, refused = plans_of(planned), 0, 0
        for seed in range(count):
            forced = with_random_plans(planned, seed, target)
            if plans_of(forced) == plans_of(planned):
                continue
            tried += 1
            found = measure(forced)
            if isinstance(found, str):
                refused += 1
                print(f"{program.name}, plans of seed {seed}: {found}", file=sys.stderr)
            elif found < best:
                best, plans = found, plans_of(forced)
        return Regret(program.name, ours, best, plans, tried, refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", type=int, default=30, help="random plans of each kernel")
    parser.add_argument("--match", default="", help="only kernels whose name contains this")
    parser.add_argument("--target", default="v3")
    parser.add_argument("--worst", type=int, default=20, help="how many programs to print")
    parser.add_argument("--show-plans", action="store_true", help="print the best plans of these")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = []
        for kernel in KERNELS:
            if options.match not in kernel.name:
                continue
            program: Program = of_kernel(kernel)
            runs.append(pool.submit(regret, program, program.lowered.as_text(), options.plans, options.target))
        found = sorted((run.result() for run in runs), key=lambda each: -each.share)
    for each in found[: options.worst]:
        print(f"{each.share:6.1%}  {each.ours:>12,} -> {each.best:>12,}  {each.name} ({each.tried} plans)")
        if options.show_plans and each.share > 0:
            print(*(f"          {plan}" for plan in each.plans), sep="\n")
    shares = [each.share for each in found if each.tried]
    refused, tried = sum(each.refused for each in found), sum(each.tried for each in found)
    print(
        f"{len(found)} programs, {len(shares)} of which have other plans: mean regret {np.mean(shares):.1%}, "
        f"largest {max(shares):.1%}; {tried} plans, {refused} refused by code generation"
    )


if __name__ == "__main__":
    main()
