#!/usr/bin/env python3
"""Runs the scripts of this folder with JAX on the CPU and with JAX on Systole, and compares their
output.

    python examples/jax/compare.py [--plugin build/lib/libsystole_pjrt.so] [resnet bilstm bert keras_cnn]

The scripts depend on neither. Printed numbers have to differ by at most TOLERANCE, relatively:
training amplifies differences of rounding. Prints the largest difference and the seconds of both
processes from their start to their end; exits with 1 if a script fails or disagrees.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ("resnet", "bilstm", "bert", "keras_cnn")
TOLERANCE = 1e-3


def run(script, **environment):
    """The output of a script, and the seconds that it takes."""
    start = time.monotonic()
    result = subprocess.run(
        [sys.executable, HERE / f"{script}.py"], env={**os.environ, **environment},
        capture_output=True, text=True, check=False)  # fmt: skip
    if result.returncode:
        sys.exit(f"{script} with {environment}:\n{result.stderr[-2000:]}")
    return result.stdout, time.monotonic() - start


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", nargs="*", default=SCRIPTS)
    parser.add_argument("--plugin", default=str(HERE.parents[1] / "build/lib/libsystole_pjrt.so"))
    opts = parser.parse_args()
    agree = True
    print("| script | numbers | largest difference | CPU, s | Systole, s |\n|---|---|---|---|---|")
    for script in opts.scripts:
        expected, cpu_seconds = run(script, JAX_PLATFORMS="cpu")
        actual, seconds = run(
            script, JAX_PLATFORMS="tpu", TPU_LIBRARY_PATH=opts.plugin, TPU_SKIP_MDS_QUERY="1",
            SYSTOLE_PRECISION="highest")  # fmt: skip
        pairs = list(zip(numbers(actual), numbers(expected), strict=True))
        worst = max(abs(a - b) / max(abs(b), 1e-3) for a, b in pairs)
        agree &= worst <= TOLERANCE
        print(f"| `{script}` | {len(pairs)} | {worst:.1e} | {cpu_seconds:.1f} | {seconds:.1f} |", flush=True)
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main())
