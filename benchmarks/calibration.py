#!/usr/bin/env python3
"""The compiler's estimates of kernels against the cycles that the emulator counts.

    benchmarks/calibration.py                                 the model suite, kernels.py and random functions
    benchmarks/calibration.py --programs random --target v2   some of them, for one target
    benchmarks/calibration.py --programs kernels --plans 5    and with 5 random legal plans of all its kernels each
    benchmarks/calibration.py --vary                          with each guessed constant of a target halved and doubled

Prints for each target, over all kernels of the programs, each at its places: the mean of |log(estimate / emulated)|,
the share of the cycles in kernels whose estimate is within 20 percent, and the kernels that miss by the most cycles.
With --plans, a program is also measured with plans that systole-randomize-plans draws. Among these and the planner's own,
the regret of a program is by how much of the cycles of the plans that the estimate ranks first the best ones are faster.
Runs are for timing only: nothing is computed, and control that depends on data is assumed. The trips of a loop change how
often a kernel runs, not what a call of it costs. Kernels from the place of an assumed conditional (scatters that skip updates of
other blocks) are left out, and counted: there the costlier branch runs each time, which the estimate is not of.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGETS = ROOT / "dialects/Machine/Target/targets"
WITHIN = 0.2
SHOWN = 15


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a program at one place: cycles of a call, and how many calls of it ran."""

    program: str
    name: str
    kind: str
    calls: int
    emulated: float
    estimated: float
    bound: str
    seed: int | None = None  # of random plans; none of the planner's
    assumed: bool = False  # comes from the place of a conditional whose costlier branch ran

    @property
    def error(self):
        return math.log(self.estimated / self.emulated)

    @property
    def missed(self):
        """Cycles of all calls by which the estimate is off."""
        return abs(self.estimated - self.emulated) * self.calls


def write_programs(kinds, count, folder):
    """Writes NAME.mlir for the programs of some kinds."""
    sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models"), str(ROOT / "test/e2e")]
    import jax

    jax.config.update("jax_platforms", "cpu")

    def write(name, lowered):
        (folder / f"{re.sub('[^A-Za-z0-9.,-]+', '-', name)}.mlir").write_text(lowered.as_text())

    if "models" in kinds:
        from models import MODELS, lowered

        for name, model in MODELS.items():
            for size in ("small", "full"):
                write(f"{name}-{size}", lowered(*model(size)))
    if "kernels" in kinds:
        from kernels import KERNELS

        for number, kernel in enumerate(KERNELS):
            write(f"kernel-{number}-{kernel.name}", kernel.lowered())
    if "random" in kinds:
        from random_large import LargeProgram
        from random_programs import Program

        for seed in range(count):
            write(f"random-{seed}", Program(seed).lowered())
        for seed in range(count // 2):
            write(f"large-{seed}", LargeProgram(seed).lowered())


def run(systole, program, target, precision, seed=None, options=()):
    """The kernels of a program, or nothing with the last line of the error."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [systole, "run", program, "--target", target, "--precision", precision, "--report-file", report.name]
        command += ["--timing-only", "--assume-trips", "4", "--discard-sends", *options]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SYSTOLE_CACHE": ""})
        if done.returncode:
            return [], f"{program.stem}: {done.stderr.strip().splitlines()[-1]}"
        found = json.loads(pathlib.Path(report.name).read_text())
    assumed = {each["source"] for each in found["assumptions"] if "conditional" in each["what"]}
    return [
        Kernel(
            program.stem,
            kernel["name"],
            kernel["kind"],
            kernel["calls"],
            kernel["cycles"] / kernel["calls"],
            kernel["estimated_cycles"] / kernel["calls"],
            kernel["bound_by"],
            seed,
            kernel["source"] in assumed,
        )
        for kernel in found["kernels"]
        if kernel["calls"] and kernel["estimated_cycles"]
    ], None


def run_plans(systole, program, target, precision, count):
    """The same of a program with the planner's plans, and with `count` times random ones that differ from all before."""

    def opt(path, passes, out):
        command = [systole.with_name("systole-opt"), path, passes, "-o", out]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr.strip().splitlines()[-1] if done.returncode else None

    kernels, errors = [], []
    with tempfile.TemporaryDirectory() as name:
        planned, drawn = pathlib.Path(name) / "planned.mlir", pathlib.Path(name) / f"{program.stem}.mlir"
        error = opt(program, f"--systole-pipeline=to=fusion target={target} precision={precision}", planned)
        if error:
            return [], [f"{program.stem}: {error}"]
        seen = set()
        for seed in (None, *range(count)):
            if seed is None:
                drawn.write_text(planned.read_text())
            else:
                error = opt(planned, f"--systole-randomize-plans=seed={seed} target={target}", drawn)
            plans = tuple(re.findall(r"#kernel\.plan<axes = \[[^]]*\], buffers = \[[^]]*\]", drawn.read_text()))
            if not error and plans not in seen:
                seen.add(plans)
                found, error = run(systole, drawn, target, precision, seed, ("--from", "fusion"))
                kernels += found
            if error:
                errors.append(f"{program.stem}, seed {seed}: {error}")
    return kernels, errors


def measure(systole, programs, target, precision, plans=0):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if plans:
            results = pool.map(lambda program: run_plans(systole, program, target, precision, plans), programs)
            kernels, errors = zip(*results, strict=True)
            return sum(kernels, []), sum(errors, [])
        results = list(pool.map(lambda program: run(systole, program, target, precision), programs))
    errors = [error for _, error in results if error]
    return [kernel for kernels, _ in results for kernel in kernels], errors


def mean_error(kernels):
    return sum(abs(kernel.error) for kernel in kernels) / max(1, len(kernels))


def share_within(kernels):
    """Of the cycles, of kernels with good estimates. Every program counts alike: else one would be all."""
    totals, within = collections.Counter(), collections.Counter()
    for kernel in kernels:
        totals[kernel.program] += kernel.emulated * kernel.calls
        if abs(kernel.estimated - kernel.emulated) <= WITHIN * kernel.emulated:
            within[kernel.program] += kernel.emulated * kernel.calls
    return sum(within[program] / total for program, total in totals.items()) / max(1, len(totals))


def weighted_share(kernels):
    cycles = sum(kernel.emulated * kernel.calls for kernel in kernels)
    good = [kernel for kernel in kernels if abs(kernel.estimated - kernel.emulated) <= WITHIN * kernel.emulated]
    return sum(kernel.emulated * kernel.calls for kernel in good) / max(1, cycles)


def summary(title, kernels):
    print(
        f"{title:32} {len(kernels):6} kernels  mean |log error| {mean_error(kernels):6.1%}"
        f"  within 20%: {weighted_share(kernels):6.1%} of the cycles, {share_within(kernels):6.1%} by program"
    )


def print_worst(kernels, shown):
    print(f"\n{'cycles missed':>14}{'emulated':>12}{'estimate':>12}{'calls':>8}  bound by   program: kernel")
    for kernel in sorted(kernels, key=lambda kernel: -kernel.missed)[:shown]:
        print(
            f"{kernel.missed:14,.0f}{kernel.emulated:12,.0f}{kernel.estimated:12,.0f}{kernel.calls:8}"
            f"  {kernel.bound:9}  {kernel.program}: {kernel.name}"
        )


def print_groups(kernels, key):
    groups = collections.defaultdict(list)
    for kernel in kernels:
        groups[key(kernel)].append(kernel)
    for name, members in sorted(groups.items()):
        summary(f"  {name}", members)


def print_regrets(kernels, shown):
    """Of each program, by how much the best plans are faster than those with the lowest estimate."""
    totals = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for kernel in kernels:
        total = totals[kernel.program][kernel.seed]
        total[0] += kernel.estimated * kernel.calls
        total[1] += kernel.emulated * kernel.calls
    regrets = []
    for program, plans in totals.items():
        if len(plans) > 1:
            # Of plans with the same estimate the slowest one counts.
            chosen = min(plans.values(), key=lambda total: (total[0], -total[1]))[1]
            best = min(emulated for _, emulated in plans.values())
            regrets.append((1 - best / chosen, program, chosen, best, len(plans)))
    if not regrets:
        return
    regrets.sort(reverse=True)
    mean = sum(regret for regret, *_ in regrets) / len(regrets)
    print(f"\nregret of the lowest estimate: mean {mean:.1%}, worst {regrets[0][0]:.1%} of {len(regrets)} programs")
    for regret, program, chosen, best, count in regrets[:shown]:
        print(f"{regret:6.1%}{chosen:14,.0f} -> {best:12,.0f}  {program} ({count} plans)")


def variations(target, folder):
    """Files of the target with one guessed constant halved or doubled."""
    described = pathlib.Path(target) if target.endswith(".textproto") else TARGETS / f"{target}.textproto"
    text = described.read_text()
    constant = re.compile(r"(?P<name>\w+) \{ (?P<kind>value|latency_class)[^{}]*?confidence: GUESS[^{}]*\}", re.S)
    for match in constant.finditer(text):
        field = "value" if match["kind"] == "value" else "cycles"
        name = match["name"]
        if field == "cycles":
            name = re.search(r'latency_class: "(\w+)"', match[0])[1]
        for factor, word in ((0.5, "halved"), (2, "doubled")):
            changed = re.sub(
                rf"\b{field}: (\d+)", lambda number: f"{field}: {max(1, int(int(number[1]) * factor))}", match[0]
            )
            if changed == match[0]:
                continue
            path = folder / f"{described.stem}-{name}-{word}.textproto"
            path.write_text(text[: match.start()] + changed + text[match.end() :])
            yield f"{name} {word}", path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--programs", nargs="+", default=["models", "kernels", "random"])
    parser.add_argument("--random", type=int, default=100, help="number of random functions; half as many large ones")
    parser.add_argument("--target", nargs="+", default=["v2", "v3"])
    parser.add_argument("--precision", default="default", choices=("default", "high", "highest"))
    parser.add_argument("--folder", type=pathlib.Path, help="keep the programs there; those that are there are used")
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--plans", type=int, default=0, help="random plans of each program beside the planner's")
    parser.add_argument("--vary", action="store_true", help="halve and double each guessed constant of the targets")
    parser.add_argument("--shown", type=int, default=SHOWN, help="number of kernels in the list of the worst")
    parser.add_argument("--json", type=pathlib.Path, help="write all kernels there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.glob("*.mlir")):
            write_programs(options.programs, options.random, folder)
        programs = sorted(path for path in folder.glob("*.mlir") if options.only in path.stem)
        record = {}
        for target in options.target:
            machines = variations(target, pathlib.Path(scratch)) if options.vary else [(target, target)]
            for title, machine in machines:
                kernels, errors = measure(options.systole, programs, str(machine), options.precision, options.plans)
                assumed = sum(kernel.assumed for kernel in kernels)
                kernels = [kernel for kernel in kernels if not kernel.assumed]
                summary(title, kernels)
                if assumed:
                    print(f"  {assumed} more are from places of assumed conditionals, and left out")
                record[title] = [dataclasses.asdict(kernel) for kernel in kernels]
                if options.vary:
                    continue
                if options.plans:
                    print_groups(kernels, lambda kernel: "planner's" if kernel.seed is None else "random plans")
                    print_regrets(kernels, options.shown)
                print_groups(kernels, lambda kernel: kernel.kind)
                print_worst(kernels, options.shown)
                print(*errors, sep="\n")
        if options.json:
            options.json.write_text(json.dumps(record))


if __name__ == "__main__":
    sys.exit(main())
