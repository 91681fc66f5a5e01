"""Blocks: functions of parameters and one array, of which the generator composes programs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


@dataclasses.dataclass(frozen=True)
class Weight:
    """The shape of a parameter, and how its values are distributed. A leaf of trees of parameters."""

    shape: tuple[int, ...]
    deviation: float
    mean: float = 0.0


@dataclasses.dataclass(frozen=True)
class Context:
    """What blocks know of the program beside their parameters."""

    step: Any = None  # i32[], on which conditionals depend
    key: Any = None  # of random numbers
    edges: Any = None  # of graphs: the numbers of the nodes at which they begin and end
    taps: list | None = None  # takes arrays that become results of the program; None within loops and branches

    def inner(self):
        """Of the body of a loop or a branch."""
        return dataclasses.replace(self, taps=None)


@dataclasses.dataclass(frozen=True)
class Block:
    """A function (parameters, x, context) -> y with a tree of Weights for its parameters."""

    name: str
    params: Any
    apply: Callable
    forms: frozenset[str] = frozenset()  # of the blocks and structures within, beside its own name

    def all_forms(self):
        return self.forms | {self.name}


def wide(x):
    """In f32; in f64 where the program is evaluated in it."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


def matrix(inputs, outputs):
    return Weight((inputs, outputs), inputs**-0.5)


def offset(size):
    return Weight((size,), 0.1)


def factor(size):
    return Weight((size,), 0.1, 1.0)


def kernel(window, inputs, outputs, groups=1):
    """The filter of a convolution, in HWIO."""
    return Weight((*window, inputs // groups, outputs), (window[0] * window[1] * inputs / groups / 2) ** -0.5)


def convolve(x, w, stride=1, groups=1, padding="SAME"):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, w, (stride, stride), padding, dimension_numbers=numbers, feature_group_count=groups
    )


def layer_norm(x, scale, bias):
    y = wide(x)
    y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-3)
    return (y * scale + bias).astype(x.dtype)


def rms_norm(x, scale):
    y = wide(x)
    return (y * lax.rsqrt(jnp.square(y).mean(-1, keepdims=True) + 1e-3)).astype(x.dtype) * scale


def batch_norm(x, scale, bias):
    """With the statistics of the batch."""
    y = wide(x)
    mean, square = y.mean((0, 1, 2)), jnp.square(y).mean((0, 1, 2))
    y = (y - mean) * lax.rsqrt(square - jnp.square(mean) + 1e-2)
    return (y * scale + bias).astype(x.dtype)


def group_norm(x, scale, bias, groups):
    y = wide(x).reshape(*x.shape[:-1], groups, x.shape[-1] // groups)
    axes = (*range(1, x.ndim - 1), x.ndim)
    y = (y - y.mean(axes, keepdims=True)) * lax.rsqrt(y.var(axes, keepdims=True) + 1e-2)
    return (y.reshape(x.shape) * scale + bias).astype(x.dtype)


def norm_of_rows(draw, features):
    """One of the norms of transformers: (parameters, function)."""
    if draw.chance(0.5):
        return {"scale": factor(features)}, lambda p, x: rms_norm(x, p["scale"])
    params = {"scale": factor(features), "bias": offset(features)}
    return params, lambda p, x: layer_norm(x, p["scale"], p["bias"])


def residual(draw, block, features):
    """A block behind a norm, or before one, beside a connection around it."""
    params, norm = norm_of_rows(draw, features)
    if draw.chance(0.75):
        apply = lambda p, x, context: x + block.apply(p["block"], norm(p["norm"], x), context)
    else:
        apply = lambda p, x, context: norm(p["norm"], x + block.apply(p["block"], x, context))
    return Block(block.name, {"norm": params, "block": block.params}, apply, block.forms)


def sequence(blocks, name="stack"):
    """Blocks one after the other, each with parameters of its own."""

    def apply(params, x, context):
        for block, p in zip(blocks, params, strict=True):
            x = block.apply(p, x, context)
        return x

    forms = frozenset().union(*(block.all_forms() for block in blocks))
    return Block(name, [block.params for block in blocks], apply, forms)


def stacked(params, count):
    """The parameters of `count` equal blocks, as scans take them."""
    return jax.tree.map(lambda w: Weight((count, *w.shape), w.deviation, w.mean), params)
