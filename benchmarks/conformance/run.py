"""Runs each operation of StableHLO and CHLO on each element type that the specification gives it, on empty, odd and
larger shapes, and compares the results with those of the reference interpreter of StableHLO. The interpreter rounds
every step of a sum to the element type, has no conversions to floats without infinities, and lacks some operations:
what differs has to agree with XLA on the CPU, or with NumPy and SciPy in f64.

    python benchmarks/conformance/run.py [OPERATION ...] [--types f32 i4 ...] [--build build] [--jobs 2]

Prints a table of operations and types, then what is wrong, refused, or has no reference. Fails if something is wrong or
refused.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from chlo import OPERATIONS
from elements import CARRIERS, same
from operations import FUNCTION, NUMPY
from programs import Program

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/e2e"))

from xla_cpu import xla_run  # noqa: E402


def interpret(program):
    """Results of the reference interpreter."""
    context = make_ir_context()
    with context, ir.Location.unknown():
        module = ir.Module.parse(program.text())
        arrays = [x.copy() for x in program.arrays]
        # An attribute of no elements has no buffer.
        arguments = [
            ir.DenseElementsAttr.get(x, shape=x.shape)
            if x.size
            else ir.Attribute.parse(f"dense<> : tensor<{''.join(f'{n}x' for n in x.shape)}{mlir_type(x)}>")
            for x in arrays
        ]
        return program.grouped(np.array(each) for each in stablehlo.eval_module(module, arguments))


def mlir_type(array):
    return f"{'i' if array.dtype.kind == 'i' else 'f'}{8 * array.itemsize}"


def emulate(program, build):
    """Results of the emulator, or a text that says why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "program.mlir").write_text(program.text())
        np.savez(path / "args.npz", **{f"arg{i}": x for i, x in enumerate(program.arrays)})
        words = ["run", path / "program.mlir", "--args", path / "args.npz", "--out", path / "out.npz"]
        words += ["--target", "v3", "--precision", "highest"]
        done = subprocess.run([build / "bin/systole", *words], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            return done.stderr.strip().splitlines()[0] if done.stderr else f"exit code {done.returncode}"
        with np.load(path / "out.npz") as file:
            return program.grouped(file[name] for name in file.files)


def run_on_cpu(program):
    """Results of XLA on the CPU."""
    return program.grouped(np.asarray(x) for x in xla_run(program.text(), program.arrays))


class References:
    """Calls references in a process of its own, since they abort on operations that they lack, and on quotients by
    zero.
    """

    def __init__(self):
        self.pool = None

    def run(self, reference, program):
        """Results, or a text that says why there are none."""
        if not self.pool:
            # Not by fork: MLIR and JAX have threads.
            self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        try:
            return self.pool.submit(reference, program).result()
        except BrokenProcessPool:
            self.pool = None
            return "the reference does not implement it"
        except Exception as error:
            return str(error).splitlines()[0]


def values_of(element, parts):
    """Elements as what exact functions take: f64, complex128, or integers of any size."""
    if element.kind == "c":
        # Not by a sum, which loses signs of zeros.
        values = np.empty(parts[0].shape, np.complex128)
        values.real, values.imag = parts
        return values
    if element.kind == "u":
        return np.asarray(parts[0].astype(object) % (1 << element.bits), object)
    return parts[0].astype(object if element.kind == "s" else np.float64)


def parts_of(element, value):
    """The parts of a result, rounded once."""
    if element.kind == "c":
        return [part.astype(CARRIERS[element.carrier]) for part in (value.real, value.imag)]
    if element.kind in "su":
        # Of 64 bits, those of the carrier, which has a sign.
        return [np.asarray(np.asarray(value, object) % (1 << 64), np.uint64).astype(CARRIERS[element.carrier])]
    return [value.astype(element.dtype).astype(CARRIERS[element.carrier])]


def run_in_numpy(operation, element, program):
    """Results of NumPy in f64, or exact ones, rounded once. All arguments have one element type."""
    function = operation.exact or NUMPY[operation.name]
    parts = 2 if element.kind == "c" else 1
    values = [values_of(element, program.arrays[i : i + parts]) for i in range(0, len(program.arrays), parts)]
    count, found = len(values) // len(operation.shapes), []
    with np.errstate(all="ignore"):
        for start in range(0, len(values), count):
            results = function(*values[start : start + count])
            found += results if isinstance(results, tuple) else [results]
        return [
            (kind, parts_of(kind, np.asarray(each))) for (kind, _), each in zip(program.results, found, strict=True)
        ]


def difference(operation, results, expected):
    """What differs, as a text; empty if nothing does."""
    for (kind, wanted), (_, found) in zip(expected, results, strict=True):
        narrow = 4 if operation.units > FUNCTION else min(operation.units, 1)
        units = operation.units if kind.name in ("f32", "f64") or kind.kind == "c" else narrow
        if not same(kind, found, wanted, units, operation.of_largest, operation.least):
            return f"{found} is not {wanted}".replace("\n", " ")[:300]
    return ""


THREAD = threading.local()


def run(case):
    """The outcome of an operation on an element type, and what is said of it."""
    operation, element, build = case
    program, reference = (Program(f"{operation.name} {element.name}", each) for each in (False, True))
    for shape in operation.shapes:
        operation.add(program, element, shape)
        operation.add(reference, element.real if element.kind == "q" else element, shape)
    if not hasattr(THREAD, "references"):
        THREAD.references = References()
    results = emulate(program, build)
    if isinstance(results, str):
        return operation.name, element.name, "refused", results.replace("systole: error: ", "")
    # It aborts on CHLO.
    is_interpreted = "chlo." not in reference.text()
    expected = THREAD.references.run(interpret, reference) if is_interpreted else "the interpreter has no CHLO"
    differs = expected if isinstance(expected, str) else difference(operation, results, expected)
    if not differs:
        return operation.name, element.name, "interpreter", ""
    other = THREAD.references.run(run_on_cpu, reference)
    if not isinstance(other, str) and not difference(operation, results, other):
        return operation.name, element.name, "XLA", ""
    has_values = operation.name in NUMPY and element.kind == "f" and element.bits <= 16
    if operation.exact or has_values:
        if not difference(operation, results, run_in_numpy(operation, element, program)):
            return operation.name, element.name, "NumPy", ""
    unknown = isinstance(expected, str) and isinstance(other, str) and not operation.exact
    return operation.name, element.name, "no reference" if unknown else "wrong", differs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", nargs="*", help="names (all)")
    parser.add_argument("--types", nargs="*", help="names of element types (all)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    cases = [
        (operation, element, options.build)
        for operation in OPERATIONS
        for element in operation.elements
        if (not options.operations or operation.name in options.operations)
        and (not options.types or element.name in options.types)
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(run, cases))
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for name, _, outcome, _ in rows:
        counts[name][outcome] += 1
        counts["all"][outcome] += 1
    outcomes = ("interpreter", "XLA", "NumPy", "wrong", "refused", "no reference")
    print(f"| operation | {' | '.join(outcomes)} |\n|---|{'---|' * len(outcomes)}")
    for name in [*(name for name in counts if name != "all"), "all"]:
        print(f"| {name} | {' | '.join(str(counts[name][outcome]) for outcome in outcomes)} |")
    for name, element, outcome, said in rows:
        if outcome not in ("interpreter", "XLA", "NumPy"):
            print(f"{outcome}: {name} of {element}: {said}")
    return bool(counts["all"]["wrong"] or counts["all"]["refused"])


if __name__ == "__main__":
    sys.exit(main())
