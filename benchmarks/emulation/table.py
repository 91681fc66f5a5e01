#!/usr/bin/env python3
"""How long the emulator takes beside JAX on the CPU, for one core of this host and for all of them.

    benchmarks/emulation/table.py [--build build] [--rows REGEX] [--target v3] [--seconds 3] [--rounds 2] [--cores one all]

For each program, in processes of their own that alternate:

- arrays: a call with arrays of the device, until its results are ready;
- warm: a call with NumPy's arrays, until its results are NumPy's;
- cold: `systole run` of the compiled program, with arguments and results in files, over warm JAX.

Times are the least of the calls of --seconds, after one, in --rounds processes: how the host maps the pages of large
arrays differs from process to process. Figures are those of Systole over those of JAX on the same cores; the geometric
means leave out programs whose emitted code is slow itself, which are listed last.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def least(call, seconds):
    """The least of the times of calls, in seconds, after one that compiles."""
    call()
    best, end = math.inf, time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        best = min(best, now - start)
        if now >= end:
            return best


def measure(name, seconds):
    """Prints the times of a program on this process's first platform, as JSON."""
    import jax
    import rows

    function, args = {**rows.ROWS, **rows.OTHERS}[name]()
    call = function if name in rows.EAGER else jax.jit(function)
    placed = jax.device_put(args)
    arrays = least(lambda: jax.block_until_ready(call(*placed)), seconds)
    warm = least(lambda: jax.device_get(call(*jax.device_put(args))), seconds)
    print(json.dumps({"arrays": arrays, "warm": warm}))


def export(name, folder):
    """Writes the program and its arguments."""
    import jax
    import numpy as np
    import rows

    function, args = {**rows.ROWS, **rows.OTHERS}[name]()
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    (folder / "program.mlir").write_text(lowered.as_text())
    np.savez(folder / "args.npz", **{f"arg{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(args))})


def cores_of(which):
    allowed = sorted(os.sched_getaffinity(0))
    return set(allowed[:1] if which == "one" else allowed)


def child(words, cores, **variables):
    """Runs this file in a process on some cores: its standard output."""
    return subprocess.run(
        [sys.executable, __file__, *words],
        env={**os.environ, **variables},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def cold_seconds(name, options, cores):
    """Seconds of the command line, the least of three."""
    import rows

    if name in rows.EAGER:
        return math.nan
    tool = options.build / "bin/systole"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        child(["--export", name, str(folder)], cores_of("all"), JAX_PLATFORMS="cpu")
        program = folder / "program.sysx"
        compile_ = [tool, "compile", folder / "program.mlir", "--target", options.target, "-o", program]
        subprocess.run(compile_, check=True, capture_output=True)
        run = [tool, "run", program, "--target", options.target, "--args", folder / "args.npz"]
        run += ["--out", folder / "out.npz"]
        best = math.inf
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run(run, check=True, capture_output=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
            best = min(best, time.perf_counter() - start)
        return best


def times(name, options, cores):
    """By platform the times of a program; its cold time besides."""
    words = ["--measure", name, "--seconds", str(options.seconds)]
    plugin = options.build.resolve() / "lib/libsystole_pjrt.so"
    ours = dict(JAX_PLATFORMS="tpu", TPU_LIBRARY_PATH=str(plugin), SYSTOLE_TARGET=options.target)
    ours.update(SYSTOLE_PROGRESS="0", TPU_SKIP_MDS_QUERY="1")
    least = {"ours": {}, "theirs": {}}
    for _ in range(options.rounds):
        for whose, variables in (("theirs", {"JAX_PLATFORMS": "cpu"}), ("ours", ours)):
            for kind, seconds in json.loads(child(words, cores, **variables)).items():
                least[whose][kind] = min(seconds, least[whose].get(kind, math.inf))
    return least["ours"], least["theirs"], cold_seconds(name, options, cores) if options.cold else math.nan


def mean(ratios):
    known = [math.log(x) for x in ratios if not math.isnan(x)]
    return math.exp(sum(known) / len(known)) if known else math.nan


def text(ratio):
    return "" if math.isnan(ratio) else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def table(which, names, others, options):
    cores = cores_of(which)
    print(f"\n{len(cores)} of this host's cores, {options.target}\n")
    print("| program | cold | warm | arrays | JAX, ms |\n|---|---|---|---|---|")
    ratios = []
    for name in [*names, *others]:
        if not re.search(options.rows, name):
            continue
        try:
            ours, theirs, cold = times(name, options, cores)
        except subprocess.CalledProcessError as error:
            print(f"| {name} | failed: {(error.stderr or '').strip().splitlines()[-1:]} |", flush=True)
            continue
        row = [cold / theirs["warm"], ours["warm"] / theirs["warm"], ours["arrays"] / theirs["arrays"]]
        if name in names:
            ratios.append(row)
        print(f"| {name} | {' | '.join(map(text, row))} | {theirs['arrays'] * 1e3:.3f} |", flush=True)
    print(f"| geometric mean | {' | '.join(text(mean(column)) for column in zip(*ratios))} | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rows", default="", metavar="REGEX")
    parser.add_argument("--target", default="v3")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-cold", dest="cold", action="store_false", help="without `systole run`")
    parser.add_argument("--cores", nargs="+", choices=("one", "all"), default=("one", "all"))
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("--export", nargs=2, metavar=("NAME", "DIR"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.measure, options.seconds)
    if options.export:
        return export(options.export[0], pathlib.Path(options.export[1]))
    import rows

    for which in options.cores:
        table(which, rows.ROWS, rows.OTHERS, options)


if __name__ == "__main__":
    main()
