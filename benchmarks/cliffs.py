#!/usr/bin/env python3
"""Random realistic shapes of kernels beside the least that the busiest unit of the machine needs.

    python benchmarks/cliffs.py                                   500 shapes of each family on v3, timing only
    python benchmarks/cliffs.py products gathers --shapes 50 --seed 7 --target v2

The ratio of a kernel is its cycles over the longest of `rooflines.py`'s bounds, or over 3,000 cycles where these are
less: a kernel alone has to start, copy and end. Of each family the median, the 95th percentile, the largest ratios
and the share above 2.5 are printed. Shapes are those of networks, batches and tables: powers of two, multiples of 8,
and odd ones.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import math
import pathlib
import statistics
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from irregular import candidates, macs, network, strided, transposed, weight_gradient
from kernels import (
    Kernel,
    batch_norm,
    convolution,
    filter_gradient,
    gradients,
    image_gradient,
    layer_norm,
    product,
    rms_norm,
)
from rooflines import ROOT, Roofline, cycles, machine_of

# Where a ratio counts as a cliff, and the cycles that every kernel may take.
CLIFF = 2.5
LEAST_CYCLES = 3000
# Elements of the largest array.
MOST_ELEMENTS = 1 << 25


class Draw:
    """Random extents and types."""

    def __init__(self, rng):
        self.rng = rng

    def one_of(self, *values):
        return values[self.rng.integers(len(values))]

    def extent(self, low, high):
        """Log-uniform; half of them multiples of 128 or 8 where there is room, a sixth powers of two."""
        value = round(math.exp(self.rng.uniform(math.log(low), math.log(high))))
        kind = self.rng.integers(6)
        if kind == 0:
            value = 1 << round(math.log2(value))
        elif kind <= 3:
            grain = 128 if kind == 1 and value >= 128 else 8 if value >= 8 else 1
            value = round(value / grain) * grain
        return min(max(value, low), high)

    def dtype(self):
        return self.one_of("f32", "bf16")


def array(dtype, *shape):
    return f"{dtype}[{','.join(map(str, shape))}]"


def roofline(name, function, types, **work):
    return Roofline(Kernel(name, function, tuple(types)), CLIFF, **work)


def products(draw):
    m, k, n = (draw.extent(1, 8192) for _ in range(3))
    form = draw.one_of("mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn")
    t = draw.dtype()
    left, right = form[: form.index("-")].split(",")
    size = {"m": m, "k": k, "n": n}
    types = [array(t, *(size[d] for d in letters)) for letters in (left, right)]
    return roofline(form, product(form), types, products=macs(m, k, n))


def batches(draw):
    b, h = draw.extent(1, 64), draw.extent(1, 16)
    m, k, n = draw.extent(8, 1024), draw.extent(8, 512), draw.extent(8, 1024)
    form = draw.one_of("bhmk,bhkn->bhmn", "bhmk,bhnk->bhmn", "bmhk,bnhk->bhmn", "bhmn,bnhk->bmhk")
    t = draw.dtype()
    size = {"b": b, "h": h, "m": m, "k": k, "n": n}
    types = [array(t, *(size[d] for d in letters)) for letters in form[: form.index("-")].split(",")]
    return roofline(form, product(form), types, products=b * h * macs(m, k, n))


def convolutions(draw):
    batch, size = draw.extent(1, 128), draw.extent(5, 112)
    features, results = draw.extent(3, 1024), draw.extent(8, 1024)
    window, stride = draw.one_of(1, 3, 3, 3, 5, 7), draw.one_of(1, 1, 1, 2)
    t, kind = draw.dtype(), draw.one_of("convolution", "input gradient", "weight gradient")
    out = -(-size // stride)
    image, kernel = array(t, batch, size, size, features), array(t, window, window, features, results)
    slope = array(t, batch, out, out, results)
    # The window's elements lie beside the features in the depth.
    taps, places = window**2, batch * out**2
    work = {
        "convolution": macs(places, taps * features, results),
        "input gradient": macs(places, results, taps * features),
        "weight gradient": macs(taps * features, places, results),
    }[kind]
    function = {
        "convolution": convolution(stride),
        "input gradient": image_gradient(stride=stride),
        "weight gradient": filter_gradient(stride=stride),
    }[kind]
    types = [image, kernel] if kind == "convolution" else [image, kernel, slope]
    # Of gradients, one operand gives its shape alone.
    unread = {"convolution": {}, "input gradient": {0: 0}, "weight gradient": {1: 0}}[kind]
    return roofline(f"{kind} /{stride}", function, types, products=work, read=unread)


def normalizations(draw):
    t = draw.dtype()
    kind = draw.one_of("softmax", "softmax gradient", "layer norm", "layer norm gradient", "rms norm", "batch norm")
    if kind == "batch norm":
        shape = (draw.extent(1, 128), *([draw.extent(7, 112)] * 2), draw.extent(8, 1024))
    else:
        shape = (draw.extent(1, 64), draw.extent(8, 2048), draw.extent(16, 8192))
    x, v = array(t, *shape), array(t, shape[-1])
    return {
        "softmax": lambda: roofline(kind, jax.nn.softmax, [x], vector=5, eup=1),
        "softmax gradient": lambda: roofline(kind, gradients(jax.nn.softmax, 0), [x, x], vector=8, eup=1),
        "layer norm": lambda: roofline(kind, layer_norm, [x, v, v], vector=8),
        "layer norm gradient": lambda: roofline(kind, gradients(layer_norm, 0, 1, 2), [x, v, v, x], vector=16),
        "rms norm": lambda: roofline(kind, rms_norm, [x, v], vector=6),
        "batch norm": lambda: roofline(kind, batch_norm, [x, v, v], again=(0,)),
    }[kind]()


def gathers(draw):
    t, rows, row, count = draw.dtype(), draw.extent(16, 50000), draw.extent(1, 2048), draw.extent(1, 8192)
    x = array(t, rows, row)
    width = {"f32": 4, "bf16": 2}[t]
    kind = draw.one_of("take rows", "take along", "dynamic slice")
    if kind == "take rows":
        read = {0: min(rows, count) * row * width}
        return roofline(kind, lambda x, i: x[i], [x, f"i32[{count}]<{rows}"], read=read)
    if kind == "take along":
        few = min(draw.extent(1, 16), row)
        function = lambda x, i: jnp.take_along_axis(x, i, 1)  # noqa: E731
        return roofline(kind, function, [x, f"i32[{rows},{few}]<{row}"])
    height = min(count, rows)
    function = lambda x, i: lax.dynamic_slice(x, (i, 0), (height, row))  # noqa: E731
    return roofline(kind, function, [x, f"i32[]<{rows - height + 1}"], read={0: height * row * width})


def reshapes(draw):
    """Dimensions that are split, merged, or both."""
    t = draw.dtype()
    a, b, c, d = draw.extent(1, 64), draw.extent(1, 64), draw.extent(1, 256), draw.extent(8, 512)
    before, after = draw.one_of(
        ((a, b, c * d), (a, b, c, d)),
        ((a, b, c, d), (a * b, c, d)),
        ((a, b, c, d), (a, b, c * d)),
        ((a, b * c, d), (a * b, c * d)),
        ((a * b, c, d), (a, b * c * d)),
    )
    return roofline(f"reshape to {after}", lambda x: x.reshape(after), [array(t, *before)])


def transposes(draw):
    t, rank = draw.dtype(), draw.one_of(2, 2, 3, 3, 4)
    shape = tuple(draw.extent(1, {2: 8192, 3: 512, 4: 128}[rank]) for _ in range(rank))
    order = tuple(int(d) for d in draw.rng.permutation(rank))
    return roofline(f"transpose {order}", lambda x: x.transpose(order), [array(t, *shape)])


def sorts(draw):
    t, rows, keys = draw.one_of("f32", "bf16", "i32"), draw.extent(1, 4096), draw.extent(2, 65536)
    x, axis = array(t, rows, keys), draw.one_of(1, 1, 0)
    count = (rows, keys)[axis]
    kind = draw.one_of("sort", "argsort", "sort pairs")
    function = {
        "sort": lambda x: jnp.sort(x, axis),
        "argsort": lambda x: jnp.argsort(x, axis),
        "sort pairs": lambda x, y: lax.sort((x, y), axis, num_keys=1),
    }[kind]
    types = [x, array("f32", rows, keys)] if kind == "sort pairs" else [x]
    return roofline(f"{kind} {axis}", function, types, vector=network(count, 1 if kind == "sort" else 2))


def selections(draw):
    rows, elements = draw.extent(1, 4096), draw.extent(16, 100000)
    count = draw.extent(1, min(64, elements))
    function = lambda x: lax.top_k(x, count)  # noqa: E731
    return roofline(f"top_k {count}", function, [array(draw.dtype(), rows, elements)], vector=candidates(count))


def scatters(draw):
    rows, row, count = draw.extent(8, 50000), draw.one_of(0, 1, 4, 16, 64, 100, 128, 256, 768), draw.extent(8, 100000)
    index, rest = f"i32[{count}]<{rows}", (row,) if row else ()
    if draw.one_of("segment sum", "scatter add") == "segment sum":
        function = lambda x, i: jax.ops.segment_sum(x, i, rows)  # noqa: E731
        return roofline(f"segment sum into {rows}", function, [array("f32", count, *rest), index])
    function = lambda x, i, u: x.at[i].add(u)  # noqa: E731
    return roofline("scatter add", function, [array("f32", rows, *rest), index, array("f32", count, *rest)])


def scans(draw):
    shape = tuple(draw.extent(1, 4096) for _ in range(draw.one_of(1, 2, 2, 3)))
    axis = int(draw.rng.integers(len(shape)))
    scan = draw.one_of(lax.cumsum, lax.cumprod, lax.cummax)
    return roofline(f"{scan.__name__} {axis}", lambda x: scan(x, axis), [array(draw.dtype(), *shape)])


def dilations(draw):
    batch, size, stride = draw.extent(1, 128), draw.extent(4, 64), 2
    inner, outer, window = draw.extent(3, 512), draw.extent(3, 512), draw.one_of(3, 4, 5)
    t, kind = draw.dtype(), draw.one_of("transposed", "weight gradient", "dilated", "dilated weight gradient")
    x, w = array(t, batch, size, size, inner), array(t, window, window, inner, outer)
    places = batch * size * size
    if kind in ("transposed", "weight gradient"):
        g = array(t, batch, stride * size, stride * size, outer)
        if kind == "transposed":
            # Each phase of the result sees a part of the window.
            work = sum(macs(places, a * b * inner, outer) for a in taps(window) for b in taps(window))
            return roofline(f"{kind} /{stride}", transposed(stride), [x, w], products=work)
        function, work = weight_gradient(transposed(stride)), macs(window**2 * outer, places, inner)
        return roofline(f"{kind} /{stride}", function, [x, w, g], products=work, read={1: 0})
    g = array(t, batch, size, size, outer)
    if kind == "dilated":
        return roofline(kind, strided(1, 2), [x, w], products=macs(places, window**2 * inner, outer))
    work = macs(window**2 * inner, places, outer)
    return roofline(kind, weight_gradient(strided(1, 2)), [x, w, g], products=work, read={1: 0})


def taps(window):
    """The elements of a window that a position of each phase of stride two sees."""
    return (-(-window // 2), window // 2)


def transforms(draw):
    length = draw.one_of(16, 64, 100, 128, 256, 512, 768, 1000, 1024, 2048, 4096)
    before, after = draw.extent(1, 4096), draw.one_of(1, 1, draw.extent(16, 1024))
    shape = (before, length, after) if after > 1 else (before, length)
    work = {"vector": 5 * math.log2(length)}
    if draw.one_of("complex", "real") == "real":
        return roofline("rfft", lambda x: parts(jnp.fft.rfft(x, axis=1)), [array("f32", *shape)], **work)
    function = lambda a, b: parts(jnp.fft.fft(lax.complex(a, b), axis=1))  # noqa: E731
    return roofline("fft", function, [array("f32", *shape)] * 2, **work)


def parts(z):
    return z.real, z.imag


FAMILIES = (
    products,
    batches,
    convolutions,
    normalizations,
    gathers,
    reshapes,
    transposes,
    sorts,
    selections,
    scatters,
    scans,
    dilations,
    transforms,
)


def elements(kernel):
    """Of the largest argument or result."""
    arguments, results = kernel.arrays()
    return max(math.prod(array.shape) for array in arguments + results)


def drawn(family, seed, count):
    """Kernels of a family whose arrays are not too large."""
    draw = Draw(np.random.default_rng([FAMILIES.index(family), seed]))
    while count:
        kernel = family(draw)
        if elements(kernel.kernel) <= MOST_ELEMENTS:
            count -= 1
            yield kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [family.__name__ for family in FAMILIES]
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(names))
    parser.add_argument("--shapes", type=int, default=500, help="of each family (500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="v3")
    parser.add_argument("--worst", type=int, default=10, help="kernels of each family that are printed (10)")
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    if unknown := set(options.families) - set(names):
        parser.error(f"no family {', '.join(sorted(unknown))}")
    jax.config.update("jax_platforms", "cpu")

    machine, refused = machine_of(options.target), 0
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            if options.families and family.__name__ not in options.families:
                continue
            rows = []
            for kernel in drawn(family, options.seed, options.shapes):
                found = cycles(kernel.kernel, options.target, pathlib.Path(folder), options.systole)
                if isinstance(found, str):
                    print(f"refused: {kernel.kernel.name}: {found}", flush=True)
                    refused += 1
                else:
                    bound = max(kernel.bound(machine), LEAST_CYCLES)
                    rows.append((found / bound, found, bound, kernel.kernel.name))
            if not rows:
                continue
            rows.sort(reverse=True)
            ratios = [row[0] for row in rows]
            above = sum(ratio > CLIFF for ratio in ratios)
            print(
                f"\n{family.__name__}, {options.target}: {len(rows)} shapes, median {statistics.median(ratios):.2f}, "
                f"95th percentile {ratios[len(ratios) // 20]:.2f}, {above} above {CLIFF}"
            )
            for ratio, found, bound, name in rows[: options.worst]:
                print(f"  {ratio:6.2f}  {found:>12,} of {bound:>11,.0f}  {name}", flush=True)
    return refused > 0


if __name__ == "__main__":
    sys.exit(main())
