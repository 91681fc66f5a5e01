"""The operations random functions on large arrays are made of.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each draws attributes and arguments from a LargeProgram (random_large.py) for a value of given
shape and type, and gives a JAX function of the value with the numbers of its other arguments,
or None where it cannot be applied.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from bounds import BF16, F32, is_float
from random_ops import I8, I32

# Rows that are longer than this cannot always become one dimension (docs/limits.md).
LONGEST_ROW = 5000
MOST_WORK = 600_000_000  # multiplications of one product or convolution
COUNTS = (5, 100, 1000, 1024, 1025, 3000)  # of positions
WIDTHS = (3, 64, 1000, 2000, 5000, 5000, 10_000)  # of the other operand of products


def wide_type(dtype):
    """The type of the kind in which sums of the elements are exact."""
    return F32 if is_float(dtype) else I32


def wide(x):
    return x.astype(wide_type(x.dtype))


def settle(x):
    """Brings integers of any type into [-8, 8), so that the next sums are exact too."""
    if not is_float(x.dtype):
        return (x & x.dtype.type(15)) - x.dtype.type(8)
    y = x.astype(F32)
    return (y - 16 * jnp.floor(y * np.float32(1 / 16)) - 8).astype(x.dtype)


def narrow(x, like):
    """A result in the wide type, converted to the type of another value."""
    return settle(x).astype(like.dtype)


def pick(program, choices):
    return choices[program.rng.integers(len(choices))]


def is_too_much(x, multiplications):
    """For a test; of 32-bit integers the machine multiplies parts."""
    return multiplications * (4 if x.dtype == I32 else 1) > MOST_WORK


def some_dims(program, x):
    """One or more dimensions of a value, in order."""
    chosen = program.rng.random(x.ndim) < 0.5
    chosen[program.rng.integers(x.ndim)] = True
    return tuple(int(dim) for dim in np.flatnonzero(chosen))


def multiply(x, w, dimension_numbers):
    """The settled product of two values, in the type of the first."""
    product = lax.dot_general(
        x,
        w,
        dimension_numbers,
        precision=lax.Precision.HIGHEST,
        preferred_element_type=wide_type(x.dtype),
    )
    return narrow(product, x)


def product(program, x):
    """x @ w, over the last dimension."""
    width, last = pick(program, WIDTHS), x.ndim - 1
    if is_too_much(x, x.size * width):
        return None
    w = program.argument((x.shape[-1], width), x.dtype)
    return (lambda x, w: multiply(x, w, (([last], [0]), ([], [])))), (w,)


def product_from_left(program, x):
    """w @ x, over the first dimension."""
    width = pick(program, WIDTHS)
    if is_too_much(x, x.size * width):
        return None
    w = program.argument((width, x.shape[0]), x.dtype)
    return (lambda x, w: multiply(w, x, (([1], [0]), ([], [])))), (w,)


def batched_product(program, x):
    """Of the last two dimensions, for each of the others."""
    width, batch = pick(program, WIDTHS), list(range(x.ndim - 2))
    if x.ndim < 3 or is_too_much(x, x.size * width):
        return None
    w = program.argument((*x.shape[:-2], x.shape[-1], width), x.dtype)
    numbers = (([x.ndim - 1], [x.ndim - 2]), (batch, batch))
    return (lambda x, w: multiply(x, w, numbers)), (w,)


def product_with_itself(program, x):
    dim = int(program.rng.integers(x.ndim))
    if x.ndim != 2 or is_too_much(x, x.size * x.shape[1 - dim]):
        return None
    return (lambda x: multiply(x, x, (([dim], [dim]), ([], [])))), ()


def convolution(program, x):
    """Of one or two dimensions, features last, strides 1 and 2."""
    spatial, features = x.ndim - 2, pick(program, (1, 3, 16, 64, 130))
    if spatial not in (1, 2):
        return None
    window = tuple(pick(program, (1, 2, 3)) for _ in range(spatial))
    strides = tuple(pick(program, (1, 1, 2)) for _ in range(spatial))
    if x.shape[-1] > 300 or is_too_much(x, x.size * np.prod(window) * features):
        return None
    w = program.argument((*window, x.shape[-1], features), x.dtype)
    names = "YX"[:spatial]

    def function(x, w):
        result = lax.conv_general_dilated(
            x,
            w,
            strides,
            "SAME",
            dimension_numbers=(f"N{names}C", f"{names}IO", f"N{names}C"),
            precision=lax.Precision.HIGHEST,
            preferred_element_type=wide_type(x.dtype),
        )
        return narrow(result, x)

    return function, (w,)


def rows_at_given_places(program, x):
    """Also beyond the ends, where they are clipped."""
    i = program.argument((pick(program, COUNTS),), I32, -3, x.shape[0] + 3)
    return (lambda x, i: x.at[i].get(mode="clip", wrap_negative_indices=False)), (i,)


def rows_at_computed_places(program, x):
    """Indices are computed from the value's first elements."""
    count, step = min(50, x.shape[-1]), max(1, x.shape[0] // 16)

    def function(x):
        first = lax.slice(x, [0] * x.ndim, [1] * (x.ndim - 1) + [count]).reshape(count)
        return jnp.take(x, (first.astype(I32) + 8) * step, axis=0, mode="clip")

    return function, ()


def elements_along(program, x):
    """take_along_axis: for each index of the others, a few elements of one dimension."""
    dim = int(program.rng.integers(x.ndim))
    shape = (*x.shape[:dim], pick(program, (1, 2, 5)), *x.shape[dim + 1 :])
    if x.ndim < 2 or np.prod(shape) > 300_000:
        return None
    i = program.argument(shape, I32, 0, x.shape[dim])
    return (lambda x, i: jnp.take_along_axis(x, i, dim)), (i,)


def combined_at(program, x, positions, updates):
    """Positions may occur twice and lie outside, where nothing is updated."""
    name = pick(program, ("add", "max", "min"))

    def function(x, updates, *positions):
        target = getattr(wide(x).at[positions], name)
        return narrow(target(wide(updates), wrap_negative_indices=False), x)

    return function, (program.argument(updates, x.dtype), *positions)


def scattered_rows(program, x):
    count = pick(program, COUNTS)
    if count * x.size / x.shape[0] > 2_000_000:
        return None
    i = program.argument((count,), I32, -3, x.shape[0] + 3)
    return combined_at(program, x, [i], (count, *x.shape[1:]))


def scattered_elements(program, x):
    count = pick(program, COUNTS)
    if x.ndim > 1 and x.shape[-1] > LONGEST_ROW:
        return None
    places = [program.argument((count,), I32, -3, size + 3) for size in x.shape]
    return combined_at(program, x, places, (count,))


def updates_in_loop(program, x):
    """A loop that carries the array and changes some rows of it in each iteration."""
    trips, rows = int(program.rng.integers(2, 5)), max(1, x.shape[0] // 5)
    shift = program.argument((), I32, -2, 3)

    def change(i, carried):
        x, shift = carried
        part = lax.dynamic_slice_in_dim(x, i * rows + shift, rows)
        part = settle(wide(part) * 3 + i.astype(wide_type(x.dtype))).astype(x.dtype)
        return lax.dynamic_update_slice_in_dim(x, part, i * rows + shift, 0), shift

    return (lambda x, shift: lax.fori_loop(0, trips, change, (x, shift))[0]), (shift,)


def scanned(program, x):
    """A loop over the first dimension, with a result for each."""
    if x.shape[0] > 16:
        return None

    def step(carry, row):
        carry = settle(carry * 3 + wide(row))
        return carry, carry.astype(x.dtype)

    def function(x):
        start = jnp.zeros(x.shape[1:], wide_type(x.dtype))
        return lax.scan(step, start, x)[1]

    return function, ()


def reduction(program, x):
    """Of some dimensions; what remains, or that spread over the value again."""
    dims, spread = some_dims(program, x), program.rng.random() < 0.7
    reduce = pick(program, (jnp.sum, jnp.max, jnp.min))

    def function(x):
        operand = wide(x) if reduce is jnp.sum else x
        result = settle(reduce(operand, axis=dims, keepdims=spread)).astype(x.dtype)
        return settle(x + result) if spread else result

    return function, ()


def normalised(program, x):
    """A softmax: subtract the maximum, then divide by the sum over the rest."""
    dim = int(program.rng.integers(x.ndim))

    def function(x):
        less = x - jnp.max(x, axis=dim, keepdims=True)
        total = settle(jnp.sum(wide(less), axis=dim, keepdims=True))
        return narrow(wide(less) * total, x)

    return function, ()


def place_of_extreme(program, x):
    """Converted back to the value's type for its readers."""
    dim, find = int(program.rng.integers(x.ndim)), pick(program, (lax.argmax, lax.argmin))
    return (lambda x: settle(find(x, dim, I32)).astype(x.dtype)), ()


def pooling(program, x):
    window, strides = [1] * x.ndim, [1] * x.ndim
    for dim in program.rng.integers(x.ndim, size=2):
        window[dim], strides[dim] = pick(program, (2, 3, 5)), pick(program, (1, 1, 2))
    start, combine = pick(program, ((-100, lax.max), (100, lax.min), (0, lax.add)))

    def function(x):
        x = wide(x)
        return settle(lax.reduce_window(x, x.dtype.type(start), combine, window, strides, "SAME"))

    return (lambda x: function(x).astype(x.dtype)), ()


def cumulative(program, x):
    dim, combine = int(program.rng.integers(x.ndim)), pick(program, (lax.cumsum, lax.cummax))
    return (lambda x: narrow(combine(wide(x), dim), x)), ()


def sorting(program, x):
    dim = int(program.rng.integers(x.ndim))
    return ((lambda x: lax.sort(x, dim)), ()) if x.size <= 100_000 else None


def transposition(program, x):
    order = [int(dim) for dim in program.rng.permutation(x.ndim)]
    return (lambda x: lax.transpose(x, order)), ()


def reshaping(program, x):
    """The prime factors of the sizes in other places."""
    factors = [p for size in x.shape for p in prime_factors(size)]
    shape = [1] * int(program.rng.integers(1, 5))
    for factor in program.rng.permutation(factors):
        shape[program.rng.integers(len(shape))] *= int(factor)
    if max(x.shape[-1], shape[-1]) > LONGEST_ROW:
        return None
    return (lambda x: lax.reshape(x, shape)), ()


def prime_factors(number):
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors


def slicing(program, x):
    starts = [int(program.rng.integers(0, max(1, size // 3))) for size in x.shape]
    strides = [pick(program, (1, 1, 1, 2, 3)) for _ in x.shape]
    return (lambda x: lax.slice(x, starts, x.shape, strides)), ()


def dynamic_slicing(program, x):
    """With starts that are clamped where they would lead outside."""
    sizes = [int(program.rng.integers(size // 2 + 1, size + 1)) for size in x.shape]
    places = [program.argument((), I32, -2, x.shape[d] - s + 3) for d, s in enumerate(sizes)]
    return (lambda x, *places: lax.dynamic_slice(x, places, sizes)), tuple(places)


def padding(program, x):
    choices = (0, 0, 1, 5, 128), (0, 0, 1, 7), (0, 0, 0, 1)
    config = [tuple(pick(program, c) for c in choices) for _ in x.shape]
    return (lambda x: lax.pad(x, x.dtype.type(1), config)), ()


def concatenation(program, x):
    dim = int(program.rng.integers(x.ndim))
    size = pick(program, (1, 3, 130, x.shape[dim]))
    other = program.argument((*x.shape[:dim], size, *x.shape[dim + 1 :]), x.dtype)
    return (lambda x, other: lax.concatenate([other, x], dim)), (other,)


def reversal(program, x):
    dims = some_dims(program, x)
    return (lambda x: lax.rev(x, dims)), ()


def with_another(program, x):
    """Elementwise with an argument of some of the dimensions, broadcast over the others."""
    shape = [size if program.rng.random() < 0.7 else 1 for size in x.shape]
    choose = program.rng.random() < 0.3
    other = program.argument(shape, x.dtype)

    def function(x, other):
        if choose:
            return jnp.where(x > other, x, -other)
        return narrow(wide(x) * wide(other) + wide(x), x)

    return function, (other,)


def conversion(program, x):
    dtype = pick(program, (F32, BF16, I32, I8))
    return (lambda x: x.astype(dtype)), ()


PRODUCTS = (product, product_from_left, product_with_itself, batched_product, convolution)
PLACES = (
    *(rows_at_given_places, rows_at_computed_places, elements_along),
    *(scattered_rows, scattered_elements, updates_in_loop, scanned),
)
REDUCTIONS = (reduction, normalised, place_of_extreme)
OTHERS = (
    *(pooling, cumulative, sorting, transposition, reshaping, slicing, dynamic_slicing),
    *(padding, concatenation, reversal, with_another, conversion),
)
