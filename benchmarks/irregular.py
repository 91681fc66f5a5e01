#!/usr/bin/env python3
"""Sorts, top-k, gathers, scatters, scans, dilated convolutions and FFTs beside the least that a machine needs.

    python benchmarks/irregular.py                       all rows on v3, timing only
    python benchmarks/irregular.py sort top --target v2  those whose name contains a word

The bound of a row is `rooflines.py`'s: the longest of the bytes in HBM, the products and the vector instructions.
What counts as work of each family:

- a sort of n keys takes the comparators of a bitonic network, n / 2 for each of log2(n) (log2(n) + 1) / 2 stages,
  where a comparator of f32 keys is a minimum and a maximum: `log2(n) (log2(n) + 1) / 2` vector instructions for
  each 1,024 keys, and as many again for each carried array (two selections and their comparison);
- top-k keeps k candidates for each of 128 lanes: for each element a comparison and two selections for each level of
  a network over the candidates, `3 log2(2 k)`;
- a gather or scatter moves the rows that it takes, 32 bytes of HBM at least for each, or the whole table where that
  is less; a scatter reads and writes the rows it adds to;
- a scan along an axis reads and writes its array once;
- a convolution with dilation multiplies no zeros of the dilation;
- an FFT of n points is `n log2 n` complex multiplications and additions, 10 vector instructions for each pair of
  points and radix-2 stage, or products with DFT matrices of 128, whichever is less.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import sys

import jax
import jax.numpy as jnp
from jax import lax

from kernels import Kernel
from rooflines import Roofline, main

GOAL = 2.0


def row(name, function, types, **work):
    return Roofline(Kernel(name, function, tuple(types.split())), GOAL, **work)


def network(keys, arrays=1):
    """Vector instructions for each 1,024 keys of a bitonic network."""
    levels = math.ceil(math.log2(max(keys, 2)))
    return levels * (levels + 1) / 2 * (1 if arrays == 1 else 3 * arrays - 1)


def candidates(k):
    return 3 * math.log2(2 * k)


def sorts():
    yield row("sort", jnp.sort, "f32[300000]", vector=network(300000))
    yield row("sort", jnp.sort, "f32[524288,64]", vector=network(64))
    yield row("sort", jnp.sort, "f32[32,50257]", vector=network(50257))
    yield row("sort", jnp.sort, "i32[1000]", vector=network(1000))
    yield row("sort of columns", lambda x: jnp.sort(x, 0), "f32[1024,512]", vector=network(1024))
    yield row("argsort", jnp.argsort, "f32[100000]", vector=network(100000, 2))
    yield row("argsort", jnp.argsort, "bf16[64,2048]", vector=network(2048, 2))
    yield row("sort pairs", lambda k, v: lax.sort((k, v)), "i32[65536] f32[65536]", vector=network(65536, 2))


def selections():
    for types, k in (
        ("f32[32,50257]", 1),
        ("f32[32,50257]", 8),
        ("f32[4,10000]", 20),
        ("f32[1,151936]", 50),
        ("bf16[128,1000]", 5),
        ("f32[1024,64]", 2),
    ):
        yield row(f"top_k {k}", lambda x, k=k: lax.top_k(x, k), types, vector=candidates(k))
    yield row("argmax", lambda x: jnp.argmax(x, -1), "f32[32,50257]", vector=3)


def gathers():
    take = lambda x, i: x[i]  # noqa: E731
    yield row("take", take, "f32[8] i32[100000]<8")
    yield row("take", take, "f32[100000] i32[20000]<100000", read={0: 400000})
    yield row("take rows", take, "f32[20000,64] i32[20000]<20000")
    yield row("take rows", take, "f32[1000000,64] i32[20000]<1000000", read={0: 20000 * 256})
    yield row("take rows", take, "bf16[50257,768] i32[4096]<50257", read={0: 4096 * 768 * 2})
    yield row("take rows", take, "f32[20000,4] i32[200000]<20000")
    along = lambda x, i: jnp.take_along_axis(x, i, 1)  # noqa: E731
    yield row("take along", along, "f32[4,10000] i32[4,10000]<10000")
    yield row("take along", along, "f32[16384,256] i32[16384,256]<256")
    yield row("take along", along, "f32[128,1000] i32[128,64]<1000")
    fused = lambda q, k, d, s: jax.nn.leaky_relu(q[d] + k[s])  # noqa: E731
    yield row("sum of takes", fused, "f32[20000,4] f32[20000,4] i32[200000]<20000 i32[200000]<20000")


def interleavings():
    pairs = lambda x, y: jnp.stack([x, y], -1).reshape(x.shape[0], -1)  # noqa: E731
    digits = lambda x: jnp.swapaxes(x, 1, 2).reshape(x.shape[0], -1)  # noqa: E731
    yield row("interleave", pairs, "f32[16384,256] f32[16384,256]")
    yield row("interleave", pairs, "bf16[16384,64] bf16[16384,64]")
    yield row("interleave", digits, "f32[16384,4,64]")


def scatters():
    add = lambda x, i, u: x.at[i].add(u)  # noqa: E731
    segments = lambda n: lambda x, i: jax.ops.segment_sum(x, i, n)  # noqa: E731
    yield row("scatter add", add, "f32[8] i32[100000]<8 f32[100000]")
    yield row("scatter add", add, "f32[50000] i32[100000]<50000 f32[100000]")
    yield row("scatter add rows", add, "f32[50257,768] i32[4096]<50257 f32[4096,768]")
    yield row("segment sum", segments(20000), "f32[200000,4,32] i32[200000]<20000")
    yield row("segment sum", segments(20000), "f32[200000,128] i32[200000]<20000")
    yield row("segment sum", segments(1000), "f32[100000,16] i32[100000]<1000")


def scans():
    yield row("cumsum", jnp.cumsum, "f32[1000000]")
    yield row("cumsum 1", lambda x: jnp.cumsum(x, 1), "f32[1024,1024]")
    yield row("cumsum 0", lambda x: jnp.cumsum(x, 0), "f32[1024,1024]")
    yield row("cumsum 1", lambda x: jnp.cumsum(x, 1), "f32[8,2048,256]")
    yield row("cummax 1", lambda x: lax.cummax(x, 1), "f32[64,5000]")
    yield row("cumprod 0", lambda x: jnp.cumprod(x, 0), "f32[4096,100]")


def transposed(stride):
    def function(x, w):
        return lax.conv_transpose(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    return function


def weight_gradient(function):
    return lambda x, w, g: jax.vjp(lambda w: function(x, w), w)[1](g)[0]


def image_gradient(function):
    return lambda x, w, g: jax.vjp(lambda x: function(x, w), x)[1](g)[0]


def strided(stride, dilation=1):
    def function(x, w):
        return lax.conv_general_dilated(
            x, w, (stride, stride), "SAME", rhs_dilation=(dilation,) * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    return function


def macs(m, k, n):
    """Multiplications that the MXUs do for an m x k by k x n product: depth and the extent of the operand that is
    latched fill whole tiles of 128."""
    full = lambda extent: -(-extent // 128) * 128  # noqa: E731
    return full(k) * min(m * full(n), n * full(m))


def dilations():
    for batch, size, inner, outer in ((128, 16, 128, 64), (128, 8, 256, 128), (128, 32, 64, 3)):
        x, w = f"f32[{batch},{size},{size},{inner}]", f"f32[4,4,{inner},{outer}]"
        g = f"f32[{batch},{2 * size},{2 * size},{outer}]"
        # A result sees 4 of the 16 elements of the window: a phase has 2 x 2.
        places = batch * size * size
        forward = 4 * macs(places, 4 * inner, outer)
        yield row("conv_transpose", transposed(2), f"{x} {w}", products=forward)
        work = {"products": macs(16 * outer, places, inner)}
        yield row("conv_transpose weight gradient", weight_gradient(transposed(2)), f"{x} {w} {g}", read={1: 0}, **work)
    x, w, g = "f32[64,56,56,128]", "f32[3,3,128,128]", "f32[64,28,28,128]"
    work = {"products": macs(64 * 28 * 28, 128, 9 * 128)}
    yield row("strided input gradient", image_gradient(strided(2)), f"{x} {w} {g}", read={0: 0}, **work)
    x, g = "f32[16,64,64,128]", "f32[16,64,64,128]"
    work = {"products": macs(16 * 64 * 64, 9 * 128, 128)}
    yield row("dilated", strided(1, 2), f"{x} {w}", **work)
    yield row("dilated weight gradient", weight_gradient(strided(1, 2)), f"{x} {w} {g}", read={1: 0}, **work)


def transforms():
    points = lambda n: {"vector": 5 * math.log2(n)}  # noqa: E731
    fft = lambda axis: lambda a, b: jnp.fft.fft(lax.complex(a, b), axis=axis)  # noqa: E731
    split = lambda z: (z.real, z.imag)  # noqa: E731
    yield row("fft 1", lambda a, b: split(fft(1)(a, b)), "f32[32,512,768] f32[32,512,768]", **points(512))
    yield row("fft -1", lambda a, b: split(fft(-1)(a, b)), "f32[16384,512] f32[16384,512]", **points(512))
    yield row(
        "fft2", lambda a, b: split(jnp.fft.fft2(lax.complex(a, b))), "f32[32,256,256] f32[32,256,256]", **points(65536)
    )
    yield row("rfft", lambda a: split(jnp.fft.rfft(a)), "f32[4096,1024]", **points(1024))


FAMILIES = (sorts, selections, gathers, interleavings, scatters, scans, dilations, transforms)


if __name__ == "__main__":
    sys.exit(main(lambda: (row for family in FAMILIES for row in family()), targets=("v3",), description=__doc__))
