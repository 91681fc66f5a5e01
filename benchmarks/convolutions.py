#!/usr/bin/env python3
"""A table of convolutions with their gradients: agreement with JAX on the CPU, padding, cycles.

    python benchmarks/convolutions.py [--bin build/bin] [--target v3] [--out table.md] [NAME...]

Each convolution, its input gradient and its weight gradient are programs of their own. The
columns of the table, for each of the three:

- error: the largest difference from JAX in f32, as a part of the bound
  (2^-7 + 2^-16 + 2 K 2^-24) sum |x| |w| for sums of K products whose operands are rounded to bf16;
- hbm: bytes moved, divided by those of all tensors without padding;
- mxu: products that the matrix units have room for while they are busy, divided by those of the
  convolution (- for convolutions on the vector unit);
- cycles, and their ratio to the bound: the longer of the time in which HBM moves the arguments and
  the result in the caller's layouts, padding included, and the time in which fully occupied matrix
  units compute the products.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np
from jax import lax

ROOT = pathlib.Path(__file__).resolve().parents[1]
LANES, ROW_BYTES = 128, 512
BF16_UNIT, F32_UNIT = 2.0**-8, 2.0**-24
KINDS = ("forward", "image", "filter")


@dataclasses.dataclass(frozen=True)
class Case:
    """`batch` images of `size` x `size` with `inputs` features; windows of `window` x `window`."""

    batch: int
    size: int
    inputs: int
    outputs: int
    window: int = 3
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    padding: str = "SAME"

    @property
    def name(self):
        parts = [f"{self.batch}x{self.size}x{self.size}x{self.inputs}"]
        parts.append(f"{self.window}x{self.window}x{self.outputs}")
        for letter, value in (("s", self.stride), ("d", self.dilation), ("g", self.groups)):
            if value > 1:
                parts.append(f"{letter}{value}")
        return " ".join(parts + (["valid"] if self.padding == "VALID" else []))

    def apply(self, x, w):
        return lax.conv_general_dilated(
            x,
            w,
            (self.stride, self.stride),
            self.padding,
            rhs_dilation=(self.dilation, self.dilation),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=self.groups,
        )

    def arrays(self):
        """The image, the filter and an output gradient."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        image = (self.batch, self.size, self.size, self.inputs)
        filter_ = (self.window, self.window, self.inputs // self.groups, self.outputs)
        result = jax.eval_shape(self.apply, *(jax.ShapeDtypeStruct(s, np.float32) for s in (image, filter_)))
        return [rng.standard_normal(s, np.float32) for s in (image, filter_, result.shape)]

    def program(self, kind, x, w, g):
        """The function of `kind` and its arguments; it is linear in each of them."""
        if kind == "forward":
            return self.apply, (x, w)
        if kind == "image":
            return lambda w, g: jax.linear_transpose(lambda x: self.apply(x, w), x)(g)[0], (w, g)
        return lambda x, g: jax.linear_transpose(lambda w: self.apply(x, w), w)(g)[0], (x, g)

    def products(self, g):
        return g.size * self.window**2 * self.inputs // self.groups

    def depth(self, kind, g):
        """The most products in one sum."""
        taps = self.window**2
        features = {"forward": self.inputs, "image": self.outputs}
        return g.size // self.outputs if kind == "filter" else taps * features[kind] // self.groups


CASES = [
    # Sizes and features.
    *(Case(2, 14, c, o) for c in (1, 3, 8, 64, 130) for o in (8, 64, 130)),
    *(Case(1, 28, c, c) for c in (8, 64, 130)),
    *(Case(130, 7, c, o) for c, o in ((1, 8), (3, 64), (8, 8), (64, 64), (130, 3), (130, 130))),
    *(Case(2, 28, c, o, 1) for c, o in ((3, 64), (64, 130), (130, 8))),
    *(Case(2, 28, c, o, 5) for c, o in ((1, 6), (8, 64), (64, 64))),
    *(Case(1, 9, c, o, padding="VALID") for c, o in ((64, 64), (130, 130))),
    # Strides.
    *(Case(2, 28, c, o, 3, 2) for c, o in ((3, 8), (8, 64), (64, 130), (130, 64))),
    *(Case(2, 28, c, o, 1, 2) for c, o in ((64, 130), (130, 64))),
    *(Case(b, 32, 3, 64, 7, 2) for b in (1, 2)),
    Case(130, 8, 64, 64, 3, 2),
    Case(1, 29, 8, 8, 3, 3),
    Case(2, 30, 64, 64, 2, 2, padding="VALID"),
    Case(2, 28, 64, 64, 4, 4),
    # Dilations.
    *(Case(2, 20, c, o, 3, 1, 2) for c, o in ((1, 8), (3, 64), (64, 64), (130, 8))),
    Case(1, 33, 8, 64, 3, 1, 4),
    Case(2, 21, 64, 8, 3, 2, 3),
    # Groups.
    *(Case(2, 14, c, c, 3, s, groups=c) for c in (8, 64, 130, 512) for s in (1, 2)),
    Case(130, 7, 64, 64, 3, groups=64),
    Case(1, 28, 130, 130, 5, groups=130),
    Case(2, 14, 64, 128, 3, groups=64),
    Case(2, 14, 64, 64, 3, groups=8),
    Case(2, 14, 128, 128, 3, groups=32),
    Case(2, 14, 256, 256, 3, 2, groups=32),
    Case(2, 14, 130, 130, 3, groups=2),
    # As in ResNet-50, MobileNet and Inception v3.
    Case(1, 224, 3, 64, 7, 2),
    Case(8, 112, 3, 32, 3, 2),
    Case(8, 56, 64, 64),
    Case(8, 28, 128, 128),
    Case(8, 14, 256, 256),
    Case(8, 7, 512, 512),
    Case(8, 56, 128, 128, 3, 2),
    Case(8, 28, 256, 512, 1, 2),
    Case(8, 56, 128, 128, 3, groups=128),
    Case(8, 14, 512, 512, 3, groups=512),
    Case(2, 35, 48, 64, 5),
]


def systole(words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-500:])


def rows_of(shape):
    """Rows of 128 elements of an argument or a result: docs/architecture.md, "Layouts in memory"."""
    along = [math.prod(shape) // size * -(-size // LANES) for size in shape]
    fewest = min(along)
    if fewest > along[-1] // 4 or along[-1] - fewest < 128:
        return along[-1]
    return next(rows for rows in reversed(along[:-1]) if 4 * rows <= 5 * fewest)


def measure(options, function, args, directory):
    """The machine's result, and its report."""
    program, inputs, outputs, report = (directory / n for n in ("program.mlir", "args.npz", "out.npz", "report.json"))
    program.write_text(jax.jit(function, keep_unused=True).lower(*args).as_text())
    np.savez(inputs, **{f"arg{i}": arg for i, arg in enumerate(args)})
    systole(
        [options.bin / "systole", "run", program, "--args", inputs, "--out", outputs]
        + ["--target", options.target, "--report", "json", "--report-file", report]
    )
    return np.load(outputs)["out0"], json.loads(report.read_text())


def row_of(options, case, kind, directory):
    x, w, g = case.arrays()
    function, args = case.program(kind, x, w, g)
    result, report = measure(options, function, args, directory)
    with jax.default_matmul_precision("highest"):
        golden = np.asarray(jax.jit(function)(*args))
        sizes = np.asarray(jax.jit(function)(*map(np.abs, args)))
    unit = 2 * BF16_UNIT + BF16_UNIT**2 + 2 * case.depth(kind, g) * F32_UNIT
    bound = unit * sizes + 2.0**-126
    error = float(np.max(np.abs(result - golden) / bound))
    products = case.products(g)
    arrays = [*args, result]
    cell = options.array**2
    moved = report["hbm_read_bytes"] + report["hbm_write_bytes"]
    lying = sum(rows_of(array.shape) for array in arrays) * ROW_BYTES
    least = max(lying / options.bytes_per_cycle, products / (cell * options.mxus))
    busy = report["mxu_busy_cycles"]
    return {
        "error": error,
        "hbm": moved / sum(array.nbytes for array in arrays),
        "mxu": busy * cell / products if busy else None,
        "cycles": report["cycles"],
        "ratio": report["cycles"] / least,
    }


HEADER = "| convolution | program | error | hbm | mxu | cycles | / bound |\n|---|---|---|---|---|---|---|"


def line_of(case, kind, row):
    mxu = "-" if row["mxu"] is None else f"{row['mxu']:.1f}"
    return (
        f"| {case.name} | {kind} | {row['error']:.2f} | {row['hbm']:.1f} | {mxu} | "
        f"{row['cycles']:,} | {row['ratio']:.1f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--target", choices=["v2", "v3"], default="v3")
    parser.add_argument("--out", type=pathlib.Path, help="a file for the table, too")
    parser.add_argument("names", nargs="*", help="parts of names of convolutions; all if none")
    options = parser.parse_args()
    # Per core: MXUs, and bytes of HBM per cycle (dialects/Machine/Target/targets).
    options.array, options.mxus = 128, {"v2": 1, "v3": 2}[options.target]
    options.bytes_per_cycle = {"v2": 358e9 / 700e6, "v3": 450e9 / 940e6}[options.target]
    cases = [c for c in CASES if not options.names or any(n in c.name for n in options.names)]
    lines, failures = [HEADER], 0
    print(HEADER)
    with tempfile.TemporaryDirectory() as directory:
        for case in cases:
            for kind in KINDS:
                try:
                    row = row_of(options, case, kind, pathlib.Path(directory))
                    failures += not row["error"] <= 1
                    line = line_of(case, kind, row)
                except RuntimeError as error:
                    failures += 1
                    line = f"| {case.name} | {kind} | {' '.join(str(error).split())} |"
                print(line, flush=True)
                lines.append(line)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")
    print(f"{len(cases)} convolutions, {failures} programs that fail or disagree", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
