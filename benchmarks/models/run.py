#!/usr/bin/env python3
"""Runs a model on the emulated machine, compares it with JAX on the CPU and prints its costs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Exports the model as StableHLO, compiles and runs it with `systole`, and prints a table. The
tolerance of results is that of agreement.py. Needs the environment of `scripts/setup.sh test`.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

import jax
import numpy as np

from agreement import FACTOR, distance, expect
from models import LARGE, MODELS, lowered

ROOT = pathlib.Path(__file__).resolve().parents[2]


# Runs a command and prints its peak memory, in KiB. In a process of its own, since a child's
# peak includes its parent's memory.
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def systole(options, *words):
    """Runs the tool: (seconds, bytes of memory at the peak)."""
    command = [sys.executable, "-c", MEASURE, options.systole, *words]
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return time.perf_counter() - start, int(done.stdout) * 1024


def cost(options, target, *words):
    """Compiles the exported program for a target and runs it: its report."""
    program = options.out / "program.sysx"
    machine = ["--target", target, "--precision", options.precision]
    source = options.out / "program.mlir"
    seconds, memory = systole(options, "compile", source, *machine, "-o", program)
    report = options.out / f"report-{target}.json"
    systole(options, "run", program, "--target", target, *words, "--report-file", report)
    return {**json.loads(report.read_text()), "compile_seconds": seconds, "compile_memory": memory}


def seconds_of_jax(compiled, args):
    """Seconds of a call on this CPU."""
    jax.block_until_ready(compiled(*args))
    start = time.perf_counter()
    jax.block_until_ready(compiled(*args))
    return time.perf_counter() - start


def compare(function, args, results, places, compiled):
    """Prints the results with the largest errors; whether all agree."""
    rows = []
    for result, expected in zip(results, expect(function, args, places, compiled), strict=True):
        relative = np.linalg.norm(np.float64(result) - expected.f64) / (expected.scale() or 1)
        rows.append((distance(result, expected), relative, expected))
    rows.sort(key=lambda row: -row[0])
    print(f"\n{len(rows)} arrays; furthest off, in units of the noise (at most {FACTOR} agrees)")
    for off, relative, expected in rows[:5]:
        print(f"{off:8.2f}  {relative:8.1e} of its norm  {expected.name}{list(expected.cpu.shape)}")
    return rows[0][0] <= FACTOR


ROWS = (
    ("predicted time, ms", lambda r: f"{r['device_seconds'] * 1e3:.3f}"),
    ("cycles", lambda r: f"{r['cycles']:,}"),
    ("MXU utilisation", lambda r: f"{r['mxu_utilization']:.1%}"),
    ("HBM read and written, MB", lambda r: f"{traffic(r) / 1e6:,.1f}"),
    ("HBM at the peak, MB", lambda r: f"{r['hbm_peak_bytes'] / 1e6:,.1f}"),
    ("kernels", lambda r: f"{len(r['kernels']):,}"),
    ("compile time here, s", lambda r: f"{r['compile_seconds']:.2f}"),
    ("compile memory, MB", lambda r: f"{r['compile_memory'] / 1e6:,.0f}"),
    ("emulation time here, s", lambda r: f"{r['emulate_seconds']:.2f}"),
)


def traffic(report):
    return report["hbm_read_bytes"] + report["hbm_write_bytes"]


def print_costs(reports):
    print(f"{'':26}" + "".join(f"{report['target']:>16}" for report in reports))
    for title, form in ROWS:
        print(f"{title:26}" + "".join(f"{form(report):>16}" for report in reports))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=[*MODELS, *LARGE], help="those named large with --timing-only alone")
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--precision", choices=("default", "high", "highest"), default="highest")
    parser.add_argument("--target", nargs="+", default=["v2", "v3"])
    parser.add_argument(
        "--timing-only",
        action="store_true",
        help="compute only what control depends on",
    )
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/models")
    options = parser.parse_args()
    if options.model in LARGE and not options.timing_only:
        parser.error(f"{options.model} takes --timing-only alone")
    jax.config.update("jax_platforms", "cpu")
    options.out = options.out / f"{options.model}-{options.size}"
    options.out.mkdir(parents=True, exist_ok=True)

    function, args = (MODELS | LARGE)[options.model](options.size)
    program = lowered(function, args)
    (options.out / "program.mlir").write_text(program.as_text(debug_info=True))
    leaves = jax.tree.leaves(args)
    np.savez(options.out / "args.npz", **{f"arg{i}": leaf for i, leaf in enumerate(leaves)})
    results = options.out / "out.npz"
    words = ["--args", options.out / "args.npz", "--out", results]
    if options.timing_only:
        words = ["--timing-only", "--args", options.out / "args.npz"]
    reports = [cost(options, target, *words) for target in options.target]
    print_costs(reports)
    if options.timing_only:
        return
    compiled = program.compile()
    print(f"{'JAX on this CPU, s':26}{seconds_of_jax(compiled, args):16.2f}")
    with np.load(results) as archive:
        arrays = [archive[f"out{i}"] for i in range(len(archive.files))]
    # A full model in float64 takes minutes for each perturbation.
    places = 4 if options.size == "small" else 1
    # Products of rounded operands have larger errors by design.
    if not compare(function, args, arrays, places, compiled) and options.precision == "highest":
        sys.exit("the results do not agree")


if __name__ == "__main__":
    main()
