"""Sharded training steps on the cores of a slice, against one device and against XLA for eight CPU devices.

    TPU_LIBRARY_PATH=build/lib/libsystole_pjrt.so SYSTOLE_TARGET=v3-8 JAX_PLATFORMS=tpu,cpu \\
        benchmarks/shardings/run_models.py [MODEL ...]

Prints for each model how far loss and updated values are from those of one CPU device, relative to the greatest of each
array; the arrays that collectives of each kind move, with the bytes of a device, here and of XLA; and the time of a
step. Collectives are counted before they are combined. Fails if results differ by more than --tolerance and four times
the difference of XLA's eight devices, or collectives move more bytes than XLA's.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys

import manual_models
import models

import jax
import numpy as np

jax.config.update("jax_default_matmul_precision", "highest")

KINDS = "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"
BYTES = {
    "pred": 1,
    "i1": 1,
    "i8": 1,
    "ui8": 1,
    "i64": 8,
    "complex<f32>": 8,
    "s8": 1,
    "u8": 1,
    "bf16": 2,
    "f16": 2,
    "s16": 2,
    "u16": 2,
    "s64": 8,
    "u64": 8,
    "f64": 8,
    "c64": 8,
}
MODELS = models.MODELS | manual_models.MODELS


def collectives(text):
    """{kind: [arrays, bytes]} in the text of a partitioned module: of results, for gathers, else of operands."""
    shapes, found = {}, collections.defaultdict(lambda: [0, 0])

    def size(shape):
        return sum(
            BYTES.get(dtype, 4) * math.prod(int(n) for n in dims.split(",") if n)
            for dtype, dims in re.findall(r"(\w+)\[([\d,]*)\]", shape)
        )

    for line in text.splitlines():
        match = re.match(r"\s*(?:ROOT )?%?([\w.-]+) = (\(.*?\)|\S+) ([\w-]+)\(([^)]*)\)", line)
        if not match:
            continue
        name, shape, operation, operands = match.groups()
        shapes[name] = size(shape)
        kind = operation.removesuffix("-start")
        if kind in KINDS:
            names = re.findall(r"%?([\w.-]+)(?:,|$)", re.sub(r"\w+\[[\d,]*\](\{[^}]*\})?", "", operands))
            found[kind][0] += len(names)
            found[kind][1] += shapes[name] if kind == "all-gather" else sum(shapes.get(n, 0) for n in names)
    return found


def collectives_of_mlir(text):
    """The same, in a program of one core as StableHLO."""
    found = collections.defaultdict(lambda: [0, 0])
    names = "|".join(kind.replace("-", "_") for kind in KINDS)
    pattern = rf'"stablehlo\.({names})"\([^)]*\) <.*?\) : \(([^)]*)\) -> \(?([^)\n]*)'
    pattern = pattern.replace(r"<.*?\) :", r"<.*?[>)] :")
    for kind, operands, results in re.findall(pattern, text, re.DOTALL):
        kind = kind.replace("_", "-")
        types = re.findall(r"tensor<((?:\d+x)*)([a-z]\w*(?:<\w+>)?)>", results if kind == "all-gather" else operands)
        found[kind][0] += len(types)
        found[kind][1] += sum(
            math.prod(int(n) for n in dims.split("x") if n) * BYTES.get(dtype, 4) for dims, dtype in types
        )
    return found


def before_combining(program, systole_opt):
    """The collectives of the partitioned program."""
    lowered = jax.jit(program.function).lower(*program.arguments).as_text()
    command = [systole_opt, "--systole-import-pipeline", "--systole-refine-shapes", "--systole-propagate-shardings"]
    command += ["--systole-partition"]
    done = subprocess.run(command, input=lowered, capture_output=True, text=True, check=True)
    return collectives_of_mlir(done.stdout)


def put(program, arrays):
    return jax.tree.map(lambda array, like: jax.device_put(array, like.sharding), arrays, program.arguments)


def largest_difference(results, references):
    worst = 0.0
    for result, reference in zip(jax.tree.leaves(results), jax.tree.leaves(references)):
        result, reference = np.asarray(result, np.float64), np.asarray(reference, np.float64)
        worst = max(worst, float(np.max(np.abs(result - reference)) / max(np.max(np.abs(reference)), 1e-9)))
    return worst


def run(name, make, tolerance, systole_opt):
    program, on_cpu = make(jax.devices()), make(jax.devices("cpu"))
    arrays = program.draw()
    compiled = jax.jit(program.function).lower(*program.arguments).compile()
    results = compiled(*put(program, arrays))
    with jax.default_device(jax.devices("cpu")[0]):
        reference = jax.jit(make(jax.devices("cpu")).function)(*arrays) if name in models.MODELS else None
    divided = jax.jit(on_cpu.function)(*put(on_cpu, arrays))
    reference = reference or divided
    difference, noise = largest_difference(results, reference), largest_difference(divided, reference)
    here = before_combining(program, systole_opt)
    xla = collectives(jax.jit(on_cpu.function).lower(*on_cpu.arguments).compile().as_text())
    cost = compiled.cost_analysis()
    print(
        f"{name}: differs by {difference:.1e}, XLA on eight by {noise:.1e}; a step takes {cost['optimal_seconds'] * 1e6:,.1f} us"
    )
    fails = difference > max(tolerance, 4 * noise)
    for kind in KINDS:
        if here[kind][0] or xla[kind][0]:
            print(
                f"  {kind:20} {here[kind][0]:5} of {here[kind][1]:12,} bytes; XLA {xla[kind][0]:5} of "
                f"{xla[kind][1]:12,} bytes"
            )
    # An all-reduce moves its operand twice.
    moved, most = (sum(found[kind][1] * (1 + (kind == "all-reduce")) for kind in KINDS) for found in (here, xla))
    print(f"  {'moved':20} {moved / max(most, 1):.1%} of XLA's bytes")
    fails |= moved > most
    return fails


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--systole-opt", default=pathlib.Path(__file__).parents[2] / "build/bin/systole-opt")
    arguments = parser.parse_args()
    return int(any([run(name, MODELS[name], arguments.tolerance, arguments.systole_opt) for name in arguments.models]))


if __name__ == "__main__":
    sys.exit(main())
