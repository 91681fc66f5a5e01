"""Compares operations on f64 with NumPy, bit for bit, on many operands of all kinds, and functions with those of 64 bits.

    python benchmarks/f64_accuracy.py [NAME ...] [--count 10_000_000] [--chunk 1_000_000]

Prints for each operation how many results differ, and for each function the largest error in units in the last place;
for functions of complex<f64> ("complex.exp"), of the largest distance from the value beside its magnitude. JAX's own
formulas are not measured: where it expands a function, that of StableHLO is.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import jax
import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test/e2e"))

import doubles  # noqa: E402
import test_complex_functions  # noqa: E402
from complex_numbers import C128  # noqa: E402

OPERATIONS = doubles.UNARY | doubles.BINARY
COMPLEX = {f"complex.{name}": entry for name, entry in test_complex_functions.FUNCTIONS.items()}
# NumPy's functions of complex numbers lose digits near zeros and poles.
EXACT = {
    "abs": abs,
    "sign": lambda x: x / abs(x),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
}


def lowered(function, args):
    """A function of arrays of these shapes as a program."""
    with jax.enable_x64(True):
        # With the operands as results: those that are only converted would be passed as integers.
        return jax.jit(lambda *args: (function(*args), *args), keep_unused=True).lower(*args).as_text()


def run(text, args, folder):
    """The program's first result, from the emulator."""
    path = os.pathsep.join([os.environ["PATH"], str(ROOT / "build/bin")])
    program, values, results = (folder / name for name in ("program.mlir", "values.npz", "results.npz"))
    program.write_text(text)
    np.savez(values, **{f"arg{i}": x for i, x in enumerate(args)})
    command = ["systole", "run", program, "--args", values, "--out", results]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})
    with np.load(results) as file:
        return file[file.files[0]]


def differences(name, count, chunk, folder):
    function, reference = OPERATIONS[name]
    wrong = 0
    for number in range(-(-count // chunk)):
        args = doubles.pairs(chunk, number)[: 2 if name in doubles.BINARY else 1]
        result, wanted = run(lowered(function, args), args, folder), doubles.wanted(reference, *args)
        wrong += np.count_nonzero(~doubles.same(result.view(wanted.dtype), wanted))
    return f"{-(-count // chunk) * chunk:,} results, {wrong:,} differ"


def error(name, count, chunk, folder):
    function, reference, draw = doubles.FUNCTIONS[name]
    worst = 0.0
    for number in range(-(-count // chunk)):
        x = draw(chunk, np.random.default_rng(number))
        worst = max(worst, doubles.errors(run(lowered(function, [x]), [x], folder), reference, x).max())
    return f"{worst:.3f} units in the last place at most"


def complex_error(name, count, chunk, folder):
    function, _, _, largest, _ = COMPLEX[name]
    name = name.removeprefix("complex.")
    exact = EXACT.get(name) or getattr(mpmath, name)
    worst = 0.0
    for number in range(-(-count // chunk)):
        rng = np.random.default_rng(number)
        size = 2.0 ** rng.uniform(-30, min(30, np.log2(largest)), chunk)
        x = size * np.exp(2j * np.pi * rng.random(chunk))
        operation = name in test_complex_functions.OPERATIONS
        text = test_complex_functions.unary(C128, name, chunk) if operation else lowered(function, [x])
        results = run(text, [x], folder)
        with mpmath.workprec(200):
            for operand, result in zip(x, results, strict=True):
                wanted = exact(mpmath.mpc(operand))
                worst = max(worst, abs(mpmath.mpc(result) - wanted) / abs(wanted))
    return f"{float(worst) * 2.0**52:.3f} units in the last place at most"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=[*OPERATIONS, *doubles.FUNCTIONS, *COMPLEX])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--chunk", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names:
            compare = differences if name in OPERATIONS else complex_error if name in COMPLEX else error
            print(f"{name}: {compare(name, options.count, options.chunk, pathlib.Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
