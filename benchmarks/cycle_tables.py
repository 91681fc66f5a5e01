#!/usr/bin/env python3
"""Cycles of models, small and of real size, and of the kernels of kernels.py, against those in test/e2e/cycles.

    benchmarks/cycle_tables.py                    what has changed by more than 3 percent
    benchmarks/cycle_tables.py --update           the same, and writes these entries into the tables
    benchmarks/cycle_tables.py --table kernels    one of the tables

Cycles do not depend on the host. The tables are text: a line for each program, a column for each target.
Programs are compiled and timed by `systole run --timing-only`.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models")]

from kernels import KERNELS  # noqa: E402  (found through the line above)
from models import LARGE, MODELS, lowered  # noqa: E402

SYSTOLE = ROOT / "build/bin/systole"
TABLES = ROOT / "test/e2e/cycles"
TARGETS = ("v2", "v3", "v4", "v5e", "v6e")
# Of real size; where their control depends on data, the costlier branch is taken.
REAL_MODELS = ("resnet50-inference", "bert", "gpt2", "llama-decode", "flash-attention-gradient", "gnn", "efficientnet")
REAL = {name: MODELS[name] for name in REAL_MODELS} | LARGE
ALL = ("kernels", "models", "real")
TOLERANCE = 0.03


class Program(typing.NamedTuple):
    name: str
    lowered: jax.stages.Lowered
    args: list | None  # None: unknown
    precision: str
    targets: tuple[str, ...] = TARGETS


def of_model(model):
    """A small model at two precisions."""
    function, args = MODELS[model]("small")
    program = lowered(function, args)
    return [Program(f"{model} {p}", program, jax.tree.leaves(args), p) for p in ("default", "highest")]


def of_real(model):
    """A model of real size on v3, without its arguments."""
    function, args = REAL[model]("full")
    return Program(model, lowered(function, args), None, "default", ("v3",))


def of_kernel(kernel):
    return Program(kernel.name, kernel.lowered(), kernel.arguments(), kernel.precision)


def programs(table):
    if table == "kernels":
        yield from map(of_kernel, KERNELS)
    elif table == "real":
        yield from map(of_real, REAL)
    else:
        for model in MODELS:
            yield from of_model(model)


def cycles(program, target, folder, systole=SYSTOLE, options=()):
    """Cycles of program.mlir with args.npz, both in a folder, on a target, or the error. `options` are more of
    `systole run`."""
    report = folder / f"{target}.json"
    command = [systole, "run", folder / "program.mlir", "--target", target, "--precision", program.precision]
    command += ["--report-file", report, *options]
    if program.args is None:
        done = subprocess.run([*command, "--timing-only"], capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else json.loads(report.read_text())["cycles"]
    command += ["--args", folder / "args.npz"]
    # All is computed only where control depends on more than a run for timing computes.
    for how in (["--timing-only"], ["--out", folder / f"{target}.npz"]):
        done = subprocess.run([*command, *how], capture_output=True, text=True, check=False)
        if done.returncode == 0 and not json.loads(report.read_text())["assumptions"]:
            return json.loads(report.read_text())["cycles"]
    return done.stderr.strip()


def measure(program, systole=SYSTOLE):
    """{target: cycles or error} of a program."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.mlir").write_text(program.lowered.as_text())
        np.savez(folder / "args.npz", **{f"arg{i}": np.asarray(arg) for i, arg in enumerate(program.args or [])})
        return {target: cycles(program, target, folder, systole) for target in program.targets}


def measure_all(table, systole):
    """{name: {target: cycles}} of a table's programs. An error ends it."""
    # Tracing is Python's and takes one thread; the runs take the other processors.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [(program.name, pool.submit(measure, program, systole)) for program in programs(table)]
        rows = {name: run.result() for name, run in runs}
    errors = [
        f"{name}, {t}: {count}" for name, row in rows.items() for t, count in row.items() if isinstance(count, str)
    ]
    if errors:
        sys.exit("\n".join(errors))
    return rows


def path_of(table):
    return TABLES / f"{table}.tsv"


def read(table):
    """{name: {target: cycles}} as recorded."""
    (_, *targets), *rows = (line.split("\t") for line in path_of(table).read_text().splitlines())
    return {name: dict(zip(targets, map(int, counts), strict=True)) for name, *counts in rows}


def write(table, rows):
    targets = list(next(iter(rows.values())))
    lines = ["\t".join(["program", *targets])]
    lines += ["\t".join([name, *(str(row[target]) for target in targets)]) for name, row in rows.items()]
    path_of(table).write_text("\n".join(lines) + "\n")


def has_changed(before, now):
    """Quicker ones, too, are to be recorded: else a later loss of the gain would go unnoticed."""
    return before is None or abs(now - before) > TOLERANCE * before


def changes(recorded, measured):
    """Entries that differ by more than the tolerance, as lines of text, the slowest first."""
    lines = [(math.inf, f"{name}: no such program any more") for name in recorded.keys() - measured.keys()]
    for name, row in measured.items():
        for target, now in row.items():
            before = recorded.get(name, {}).get(target)
            if before is None:
                lines.append((math.inf, f"{name}, {target}: not recorded, {now:,} cycles"))
            elif has_changed(before, now):
                lines.append((now / before, f"{name}, {target}: {before:,} -> {now:,} cycles, {now / before - 1:+.1%}"))
    return [text for _, text in sorted(lines, key=lambda line: (-line[0], line[1]))]


def updated(recorded, measured):
    """The table with the changes. An entry stays as it is until it has changed by more than the tolerance, so that
    small changes add up to one that is noticed."""

    def entry(name, target, now):
        before = recorded.get(name, {}).get(target)
        return now if has_changed(before, now) else before

    return {name: {target: entry(name, target, now) for target, now in row.items()} for name, row in measured.items()}


def mean_ratio(recorded, measured):
    """The geometric mean of the ratios of cycles, over entries that both have."""
    logs = [
        math.log(now / recorded[name][target])
        for name, row in measured.items()
        for target, now in row.items()
        if target in recorded.get(name, {})
    ]
    return math.exp(sum(logs) / max(1, len(logs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systole", type=pathlib.Path, default=SYSTOLE)
    parser.add_argument("--table", choices=ALL, help="one of the tables; all without")
    parser.add_argument("--update", action="store_true", help="write what has changed into the tables")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")

    found = False
    for table in [options.table] if options.table else ALL:
        recorded, measured = read(table), measure_all(table, options.systole)
        lines = changes(recorded, measured)
        found |= bool(lines)
        ratio = mean_ratio(recorded, measured)
        print(f"{table}: {len(measured)} programs, cycles x {ratio:.4f} in the geometric mean, {len(lines)} changes")
        for text in lines:
            print(f"  {text}")
        if options.update:
            write(table, updated(recorded, measured))
    return int(found and not options.update)


if __name__ == "__main__":
    sys.exit(main())
