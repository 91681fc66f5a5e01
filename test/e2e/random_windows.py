"""The random operations that slide windows, accumulate and sort.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Makers as in random_ops.py.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bounds import is_float
from random_ops import maker, numbers, scalar


def random_window(rng, shape):
    """Sizes and strides of a window, and whether it is padded to the same size."""
    sizes = [int(min(size, rng.choice([1, 1, 2, 3, 5, 20]))) for size in shape]
    strides = [int(rng.choice([1, 1, 2, 3])) for _ in shape]
    return sizes, strides, str(rng.choice(["SAME", "VALID"]))


def farthest(dtype, sign):
    """The infinity or the last integer of a type, upwards or downwards."""
    if is_float(dtype):
        return scalar(sign * np.inf, dtype)
    return scalar(np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min, dtype)


def argument(program, accept):
    """As `pick`, but an argument: only these are known exactly for each implementation, as values
    that determine indices have to be."""
    fits = [n for n, node in enumerate(program.nodes) if not node.function and accept(node.value)]
    return int(program.rng.choice(fits)) if fits else None


@maker(1.5)
def window(program):
    a = program.pick(lambda value: numbers(value) and value.data.size <= 20_000)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    dtype = value.dtype
    sizes, strides, padding = random_window(rng, value.shape)
    function, start = [
        (lax.add, scalar(0, dtype)),
        (lax.max, farthest(dtype, -1)),
        (lax.min, farthest(dtype, 1)),
    ][rng.integers(3)]
    return (lambda x: lax.reduce_window(x, start, function, sizes, strides, padding)), (a,)


@maker(0.8)
def accumulation(program):
    a = program.pick(lambda value: numbers(value) and len(value.shape) >= 1)
    if a is None:
        return None
    rng, shape = program.rng, program.nodes[a].value.shape
    axis, reverse = int(rng.integers(len(shape))), bool(rng.integers(2))
    function = [lax.cumsum, lax.cummax, lax.cummin][rng.integers(3)]
    return (lambda x: function(x, axis=axis, reverse=reverse)), (a,)


@maker(0.8)
def gradient_of_maxima(program):
    # XLA aborts at rank 0.
    a = argument(program, lambda v: is_float(v.dtype) and len(v.shape) >= 1 and v.data.size <= 3000)
    if a is None:
        return None
    value = program.nodes[a].value
    sizes, strides, padding = random_window(program.rng, value.shape)
    start = farthest(value.dtype, -1)

    def pool(x):
        return lax.reduce_window(x, start, lax.max, sizes, strides, padding)

    pooled = jax.eval_shape(pool, jax.ShapeDtypeStruct(value.shape, value.dtype))
    weights = program.partner(pooled.shape, value.dtype)
    return (lambda x, weights: jax.vjp(pool, x)[1](weights)[0]), (a, weights)


@maker(0.8)
def sort(program):
    a = argument(program, lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rng, shape = program.rng, program.nodes[a].value.shape
    axis = int(rng.integers(len(shape)))
    function = [jnp.sort, jnp.argsort][rng.integers(2)]
    return (lambda x: function(x, axis=axis)), (a,)
