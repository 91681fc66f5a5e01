#!/usr/bin/env python3
"""Cycles of large kernels beside the least that the busiest unit of the machine needs.

    python benchmarks/rooflines.py                        all kernels on v2 and v3, timing only
    python benchmarks/rooflines.py softmax --target v3    those whose name contains a word

The bound of a kernel is the longest of

- HBM: the bytes that it has to move over the bandwidth. Arguments and results count once, without padding; a
  kernel that must see an array again before it can write a result, because VMEM does not hold the array, counts
  it twice, and its row says so (`passes`);
- MXUs: its products over 128 x 128 a cycle on each of them. A convolution of at most 64 features counts its
  products twice: block-diagonal weights of two images are half zeros;
- vector unit: the vector instructions that each element takes (`vector`, counted by hand from the function),
  over the slots, 1,024 elements an instruction; and pushes to the unit of transcendental functions (`eup`).

The last column is the figure that the project aims at, with `!` where it is missed.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import dataclasses
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from kernels import (
    Kernel,
    adam,
    along,
    batch_norm,
    batch_norm_inference,
    convolution,
    filter_gradient,
    gelu,
    gradients,
    image_gradient,
    layer_norm,
    product,
)

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclasses.dataclass(frozen=True)
class Roofline:
    """A kernel and the work that no program for it can avoid."""

    kernel: Kernel
    goal: float
    # Arguments that have to be read once more.
    again: tuple[int, ...] = ()
    # Bytes of arguments that are not read as a whole.
    read: dict[int, int] = dataclasses.field(default_factory=dict)
    products: int = 0
    # Vector instructions and pushes of transcendental functions for each element of the largest array.
    vector: float = 0
    eup: float = 0

    def bound(self, machine):
        """Cycles of the busiest unit."""
        arrays, results = self.kernel.arrays()
        whole = [array for place, array in enumerate(arrays) if place not in self.read]
        moved = whole + results + [arrays[place] for place in self.again]
        largest = max(math.prod(array.shape) for array in moved)
        return max(
            (sum(array.size * array.dtype.itemsize for array in moved) + sum(self.read.values()))
            / machine["hbm_bytes_per_cycle"],
            self.products / (machine["mxu_size"] ** 2 * machine["mxus_per_core"]),
            largest / 1024 * self.vector / machine["vector_slots"],
            largest / 1024 * self.eup,
        )


def floats(text, dtype):
    """Types written with `T` for the type of floats."""
    return text.replace("T[", f"{dtype}[")


def each(operation, function: Callable, types, goal, *, of=("f32", "bf16"), **work):
    """The rooflines of a function for both types of floats."""
    return [Roofline(Kernel(operation, function, tuple(floats(types, t).split())), goal, **work) for t in of]


def matmul(m, k, n, goal, dtype):
    work = {"products": m * k * n}
    return each("product", product("mk,kn->mn"), f"T[{m},{k}] T[{k},{n}]", goal, of=(dtype,), **work)


def convolutions(size, features, batch=64, goal=1.25):
    image, window = f"T[{batch},{size},{size},{features}]", f"T[3,3,{features},{features}]"
    products = batch * size * size * features**2 * 9 * (2 if features <= 64 else 1)
    yield from each("convolution", convolution(), f"{image} {window}", goal, products=products)
    # The image gives its shape alone, and so does the filter.
    yield from each("input gradient", image_gradient(), f"{image} {window} {image}", goal, products=products)
    yield from each("weight gradient", filter_gradient(), f"{image} {window} {image}", goal, products=products)


def text(shape):
    return f"T[{','.join(map(str, shape))}]"


# Arrays of 8 MB or more as f32: full rows of lanes, then 64 features, then odd extents.
MATRICES = [((4096, 1024), 1.15), ((32768, 64), 1.15), ((2000, 1001), 1.4), ((16519, 127), 1.4)]
TENSORS = [((64, 14, 14, 256), 1.15), ((16, 56, 56, 64), 1.15), ((33, 23, 23, 127), 1.4)]
CUBES = [((64, 256, 128), 1.15), ((127, 129, 130), 1.4)]


def rooflines():
    for shape, goal in (((4096,) * 3, 1.08), ((1024,) * 3, 1.12)):
        yield from matmul(*shape, goal, "bf16")
    yield from matmul(1024, 1024, 1024, 1.25, "f32")
    for size, features in ((56, 64), (28, 128), (14, 256), (7, 512)):
        yield from convolutions(size, features)
    for shape, goal in MATRICES:
        x, v = text(shape), text(shape[-1:])
        yield from each("add", lax.add, f"{x} {x}", goal)
        yield from each("scale and shift", lambda x, a, b: x * a + b, f"{x} {v} {v}", goal)
        yield from each("gelu", gelu, x, goal, vector=22)
        yield from each("adam", adam, f"{x} {x} {x} {x}", goal, of=("f32",))
        for axis in (0, 1):
            yield from each(f"sum {axis}", along(axis, jnp.sum), x, goal)
            yield from each(f"softmax {axis}", along(axis, jax.nn.softmax), x, goal, vector=5, eup=1)
        yield from each("softmax gradient", gradients(jax.nn.softmax, 0), f"{x} {x}", goal, vector=8, eup=1)
        yield from each("layer norm", layer_norm, f"{x} {v} {v}", goal, vector=8)
        yield from each("layer norm gradient", gradients(layer_norm, 0, 1, 2), f"{x} {v} {v} {x}", goal, vector=16)
        yield from each("transpose", jnp.transpose, x, 1.12 if goal < 1.4 else goal)
    for shape, goal in CUBES:
        x = text(shape)
        for axis in range(3):
            yield from each(f"sum {axis}", along(axis, jnp.sum), x, goal)
        for order in ((0, 2, 1), (1, 0, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
            name = "transpose " + "".join(map(str, order))
            yield from each(name, lambda x, order=order: x.transpose(order), x, goal)
    for shape, goal in TENSORS:
        x, v = text(shape), text(shape[-1:])
        yield from each("sum of features", along((0, 1, 2), jnp.sum), x, goal)
        yield from each("mean of images", along((1, 2), jnp.mean), x, goal)
        yield from each("batch norm", batch_norm, f"{x} {v} {v}", goal, again=(0,))
        gradient = gradients(batch_norm, 0, 1, 2)
        yield from each("batch norm gradient", gradient, f"{x} {v} {v} {x}", goal, again=(0, 3))
        yield from each("batch norm inference", batch_norm_inference, f"{x} {v} {v} {v} {v}", goal)


def machine_of(target):
    """The fields of a target that the bounds use."""
    source = (ROOT / f"dialects/Machine/Target/targets/{target}.textproto").read_text()
    names = "clock_mhz cores_per_chip mxus_per_core mxu_size hbm_gb_per_s_per_chip vector_slots"
    fields = {name: float(re.search(rf"^{name} {{ value: ([\d.]+)", source, re.M)[1]) for name in names.split()}
    fields["hbm_bytes_per_cycle"] = (
        fields["hbm_gb_per_s_per_chip"] * 1e3 / fields["cores_per_chip"] / fields["clock_mhz"]
    )
    return fields


def cycles(kernel, target, folder, systole):
    """Cycles of a run that computes nothing; the diagnostic if the kernel is refused."""
    program, report = folder / "program.mlir", folder / "report.json"
    program.write_text(kernel.lowered().as_text())
    command = [systole, "run", program, "--timing-only", "--target", target, "--report", "json"]
    done = subprocess.run([*command, "--report-file", report], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    return json.loads(report.read_text())["cycles"]


def report(chosen, targets, systole):
    """Prints a table of rooflines for each target; how many kernels were refused."""
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            machine, ratios, missed = machine_of(target), [], 0
            print(f"\n| {target} | bound | cycles | ratio | goal |\n|---|---|---|---|---|")
            for roofline in chosen:
                found, bound = cycles(roofline.kernel, target, pathlib.Path(folder), systole), 0
                if isinstance(found, str):
                    print(f"| {roofline.kernel.name} | | refused: {found} | | |", flush=True)
                    refused += 1
                    continue
                bound = roofline.bound(machine)
                ratios.append(found / bound)
                miss = ratios[-1] > roofline.goal
                missed += miss
                passes = " (two passes)" if roofline.again else ""
                row = f"| {roofline.kernel.name}{passes} | {bound:,.0f} | {found:,} "
                print(f"{row}| {ratios[-1]:.2f}{' !' if miss else ''} | {roofline.goal} |", flush=True)
            if ratios:
                mean = statistics.geometric_mean(ratios)
                print(f"\n{target}: {missed} of {len(ratios)} miss their goal, ratio {mean:.2f} in the geometric mean")
    return refused


def main(rooflines=rooflines, targets=("v2", "v3"), description=__doc__):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("names", nargs="*", help="words of which a kernel's name has one")
    parser.add_argument("--target", nargs="+", default=targets)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")
    chosen = [r for r in rooflines() if not options.names or any(n in r.kernel.name for n in options.names)]
    return report(chosen, options.target, options.systole) > 0


if __name__ == "__main__":
    sys.exit(main())
