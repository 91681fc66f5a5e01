#!/usr/bin/env python3
"""Cycles a second of whole programs, and the start of a program of one operation.

    benchmarks/emulation/speed.py [--build build] [--target v3] [--programs REGEX]

`systole run` executes each program with plans, with the interpreter, and for timing only; the seconds are those of the
emulator, the least of --times, and the memory is the most of the process. Then one addition of two vectors: `systole
run` of the compiled program, and a call with arrays of the device, in one process.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks/models")]
PROGRAMS = ("demo", "resnet50", "bert")
# Of `systole run`: options and variables of the environment.
WAYS = {
    "plans": ((), {}),
    "interpreter": ((), {"SYSTOLE_INTERPRET": "1"}),
    "timing only": (("--timing-only",), {}),
}


def export(name, folder):
    """Writes the program; the paths of it and of its arguments."""
    if name == "demo":
        return ROOT / "examples/digits/cnn/train.mlir", ROOT / "examples/digits/cnn/inputs.npz"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax  # noqa: PLC0415  (the demo needs no JAX)
    from models import MODELS, lowered  # noqa: PLC0415

    function, args = MODELS[name]("full")
    program, arguments = folder / "program.mlir", folder / "args.npz"
    program.write_text(lowered(function, args).as_text())
    np.savez(arguments, **{f"arg{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(args))})
    return program, arguments


def run(options, program, arguments, words, variables, folder):
    """The report of a run, its seconds and the most memory that its process had."""
    report = folder / "report.json"
    command = [options.build / "bin/systole", "run", program, "--target", options.target, "--args", arguments]
    command += ["--report-file", report, *words]
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], env={**os.environ, **variables}, stdout=subprocess.PIPE)
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"systole run failed: {command}")
    return json.loads(report.read_text()), time.perf_counter() - start, usage.ru_maxrss * 1024


def print_speed(name, options, folder):
    source, arguments = export(name, folder)
    program = folder / "program.sysx"
    compile_ = [options.build / "bin/systole", "compile", source, "--target", options.target, "-o", program]
    subprocess.run(compile_, check=True, capture_output=True)
    for way, (words, variables) in WAYS.items():
        runs = [run(options, program, arguments, words, variables, folder) for _ in range(options.times)]
        report = runs[0][0]
        seconds = min(each[0]["emulate_seconds"] for each in runs)
        print(
            f"{name}, {way}: {report['cycles']:,} cycles in {seconds:.3f} s, "
            f"{report['cycles'] / seconds / 1e6:.2f} M cycles/s, {runs[0][2] / 1e9:.2f} GB",
            flush=True,
        )


def call_seconds(options):
    """Of a call with arrays of the device, in a process of its own."""
    text = (
        "import jax, numpy as np, time\n"
        "x = jax.device_put(np.ones(1000, np.float32))\n"
        "add = jax.jit(lambda a, b: a + b)\n"
        "times = []\n"
        "for _ in range(2000):\n"
        "    start = time.perf_counter()\n"
        "    jax.block_until_ready(add(x, x))\n"
        "    times.append(time.perf_counter() - start)\n"
        "print(min(times))\n"
    )
    ours = dict(JAX_PLATFORMS="tpu", TPU_LIBRARY_PATH=str(options.build.resolve() / "lib/libsystole_pjrt.so"))
    ours.update(SYSTOLE_TARGET=options.target, SYSTOLE_PROGRESS="0", TPU_SKIP_MDS_QUERY="1")
    each = ({"JAX_PLATFORMS": "cpu"}, ours)
    return [
        float(
            subprocess.run(
                [sys.executable, "-c", text], env={**os.environ, **of}, stdout=subprocess.PIPE, check=True
            ).stdout
        )
        for of in each
    ]


def print_start(options, folder):
    source, program, arguments = folder / "add.mlir", folder / "add.sysx", folder / "args.npz"
    source.write_text(
        "func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<1000xf32>\n  return %0 : tensor<1000xf32>\n}\n"
    )
    np.savez(arguments, arg0=np.ones(1000, np.float32))
    compile_ = [options.build / "bin/systole", "compile", source, "--target", options.target, "-o", program]
    subprocess.run(compile_, check=True, capture_output=True)
    runs = [run(options, program, arguments, (), {}, folder) for _ in range(10)]
    print(f"one addition, cold: {min(each[1] for each in runs) * 1e3:.1f} ms, systole run")
    theirs, mine = call_seconds(options)
    print(f"one addition, warm: {mine * 1e6:.0f} us a call, JAX on the CPU {theirs * 1e6:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--target", default="v3")
    parser.add_argument("--programs", default="", help="those whose name has a match")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in PROGRAMS:
            if re.search(options.programs, name):
                print_speed(name, options, folder)
        print_start(options, folder)


if __name__ == "__main__":
    main()
