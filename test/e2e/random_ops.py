"""The operations random functions are made of.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each maker draws operands and attributes from a Program (random_programs.py) and gives a JAX
function with the numbers of its operands, or None if no value at hand fits.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from bounds import BF16, F32, is_float

I32, I8, BOOL = np.dtype(np.int32), np.dtype(np.int8), np.dtype(np.bool_)
DTYPES = (F32, BF16, I32, I8, BOOL)
DTYPE_SHARES = (0.45, 0.25, 0.15, 0.08, 0.07)

MAKERS = []


def maker(weight):
    def register(function):
        MAKERS.append((weight, function))
        return function

    return register


def choose(rng):
    weights = np.array([weight for weight, _ in MAKERS], float)
    return MAKERS[rng.choice(len(MAKERS), p=weights / weights.sum())][1]


def floats(value):
    return is_float(value.dtype)


def numbers(value):
    return value.dtype != BOOL


def within(low, high):
    """Float values between two limits."""

    def accept(value):
        return floats(value) and value.data.min() >= low and value.data.max() <= high

    return accept


def away_from_zero(value):
    return floats(value) and (np.abs(value.data.astype(np.float64)) > value.errors() + 0.05).all()


def scalar(number, dtype):
    return np.asarray(number, dtype)


@maker(5)
def binary_arithmetic(program):
    a = program.pick(numbers)
    if a is None:
        return None
    value = program.nodes[a].value
    function = [lax.add, lax.sub, lax.mul, lax.max, lax.min][program.rng.integers(5)]
    return function, (a, program.partner(value.shape, value.dtype))


@maker(2)
def arithmetic_with_constant(program):
    a = program.pick(numbers)
    if a is None:
        return None
    dtype = program.nodes[a].value.dtype
    number = program.rng.integers(-8, 9) / (4 if is_float(dtype) else 1)
    constant = scalar(number, dtype)
    function = [lax.add, lax.sub, lax.mul][program.rng.integers(3)]
    return (lambda x: function(x, lax.full_like(x, constant))), (a,)


@maker(1)
def division(program):
    a = program.pick(floats)
    b = program.pick(away_from_zero)
    if a is None or b is None:
        return None
    value = program.nodes[b].value
    return lax.div, (program.partner(value.shape, value.dtype), b)


@maker(1)
def integer_division(program):
    a = program.pick(lambda value: value.dtype == I32)
    if a is None:
        return None
    divisor = scalar(program.rng.choice([-7, -2, 1, 2, 3, 10, 128, 1000]), I32)
    function = [lax.div, lax.rem][program.rng.integers(2)]
    return (lambda x: function(x, lax.full_like(x, divisor))), (a,)


@maker(2)
def simple_unary(program):
    a = program.pick(numbers)
    if a is None:
        return None
    function = [lax.neg, lax.abs, lax.sign][program.rng.integers(3)]
    return function, (a,)


@maker(1)
def rounding(program):
    a = program.pick(floats)
    to_even, away = lax.RoundingMethod.TO_NEAREST_EVEN, lax.RoundingMethod.AWAY_FROM_ZERO
    functions = [
        lax.floor,
        lax.ceil,
        lambda x: lax.round(x, to_even),
        lambda x: lax.round(x, away),
    ]
    return None if a is None else (functions[program.rng.integers(4)], (a,))


@maker(4)
def transcendental(program):
    choices = [
        (lax.exp, within(-20, 8)),
        (lax.expm1, within(-20, 8)),
        (lax.tanh, floats),
        (lax.logistic, within(-20, 20)),
        (lax.sin, within(-100, 100)),
        (lax.cos, within(-100, 100)),
        (lax.cbrt, away_from_zero),
        (lambda x: lax.log(lax.abs(x)), away_from_zero),
        (lambda x: lax.log1p(lax.abs(x)), floats),
        (lambda x: lax.sqrt(lax.abs(x)), away_from_zero),
        (lambda x: lax.rsqrt(lax.abs(x)), away_from_zero),
    ]
    function, accept = choices[program.rng.integers(len(choices))]
    a = program.pick(accept)
    return None if a is None else (function, (a,))


@maker(1.5)
def special_function(program):
    inside = within(-0.99, 0.99)
    choices = [
        (lax.square, within(-100, 100)),
        (lax.erf, floats),
        (lax.erfc, within(-20, 3)),
        (lax.asinh, floats),
        (lax.atan, floats),
        (lax.sinh, within(-8, 8)),
        (lax.cosh, within(-8, 8)),
        (lax.asin, inside),
        (lax.acos, inside),
        (lax.atanh, inside),
        (lax.erf_inv, within(-0.9, 0.9)),
        (lambda x: lax.acosh(lax.abs(x) + lax.full_like(x, 1)), away_from_zero),
    ]
    function, accept = choices[program.rng.integers(len(choices))]
    # XLA on the CPU rounds each step within those of bf16.
    a = program.pick(lambda value: value.dtype == F32 and accept(value))
    return None if a is None else (function, (a,))


@maker(0.5)
def fewer_bits(program):
    a = program.pick(within(-200, 200))
    exponent, fraction = [(8, 7), (5, 10), (5, 2), (8, 3), (6, 9)][program.rng.integers(5)]
    return None if a is None else ((lambda x: lax.reduce_precision(x, exponent, fraction)), (a,))


@maker(0.5)
def other_width(program):
    a = program.pick(lambda value: value.dtype in (I32, I8))
    if a is None:
        return None
    value = program.nodes[a].value
    if value.dtype == I32:
        return (lambda x: lax.bitcast_convert_type(x, I8)), (a,)
    if value.shape[-1:] == (4,):
        return (lambda x: lax.bitcast_convert_type(x, I32)), (a,)
    return (lambda x: lax.bitcast_convert_type(x, np.uint8).astype(I32)), (a,)


@maker(1.5)
def bitwise(program):
    a = program.pick(lambda value: not floats(value))
    if a is None:
        return None
    value = program.nodes[a].value
    if program.rng.random() < 0.2:
        return lax.bitwise_not, (a,)
    function = [lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor][program.rng.integers(3)]
    return function, (a, program.partner(value.shape, value.dtype))


@maker(0.7)
def shift(program):
    a = program.pick(lambda value: value.dtype == I32)
    if a is None:
        return None
    function = [lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic][program.rng.integers(3)]
    count = scalar(program.rng.integers(0, 32), I32)
    return (lambda x: function(x, lax.full_like(x, count))), (a,)


@maker(0.4)
def count_bits(program):
    a = program.pick(lambda value: value.dtype == I32)
    function = [lax.population_count, lax.clz][program.rng.integers(2)]
    return None if a is None else (function, (a,))


@maker(2)
def comparison(program):
    a = program.pick(numbers)
    if a is None:
        return None
    value = program.nodes[a].value
    function = [lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge][program.rng.integers(6)]
    return function, (a, program.partner(value.shape, value.dtype))


@maker(2)
def selection(program):
    a = program.pick()
    value = program.nodes[a].value
    condition = program.partner(value.shape, BOOL)
    return lax.select, (condition, a, program.partner(value.shape, value.dtype))


@maker(1)
def clamping(program):
    a = program.pick(numbers)
    if a is None:
        return None
    dtype = program.nodes[a].value.dtype
    low = program.rng.integers(-20, 10)
    high = low + program.rng.integers(0, 20)
    scale = 4 if is_float(dtype) else 1
    low, high = scalar(low / scale, dtype), scalar(high / scale, dtype)
    return (lambda x: lax.clamp(low, x, high)), (a,)


@maker(2.5)
def conversion(program):
    a = program.pick()
    value = program.nodes[a].value
    target = DTYPES[program.rng.integers(len(DTYPES))]
    if target == value.dtype:
        return None
    if floats(value) and target == I8 and np.abs(value.data.astype(np.float64)).max() > 100:
        return None
    return (lambda x: lax.convert_element_type(x, target)), (a,)


@maker(2)
def broadcast(program):
    a = program.pick(lambda value: value.data.size <= 2000 and len(value.shape) < 5)
    if a is None:
        return None
    rng, shape = program.rng, program.nodes[a].value.shape
    rank = rng.integers(len(shape), min(len(shape) + 2, 5) + 1)
    dims = sorted(int(d) for d in rng.choice(rank, len(shape), replace=False))
    result = [int(rng.choice([1, 2, 7, 8, 129])) for _ in range(rank)]
    for dim, size in zip(dims, shape):
        result[dim] = size if size != 1 or rng.random() < 0.4 else result[dim]
    return (lambda x: lax.broadcast_in_dim(x, result, dims)), (a,)


def random_factors(rng, size):
    """A shape with a given number of elements."""
    shape = []
    for factor in (2, 3, 5, 7, 127, 43):
        while size % factor == 0:
            size //= factor
            if shape and rng.random() < 0.6:
                shape[rng.integers(len(shape))] *= factor
            else:
                shape.append(factor)
    shape.append(size)
    while len(shape) > 5:
        shape[0] *= shape.pop()
    rng.shuffle(shape)
    return tuple(int(s) for s in shape)


@maker(1.5)
def reshape(program):
    a = program.pick()
    shape = random_factors(program.rng, program.nodes[a].value.data.size)
    return (lambda x: lax.reshape(x, shape)), (a,)


@maker(2)
def transpose(program):
    a = program.pick(lambda value: len(value.shape) >= 2)
    if a is None:
        return None
    rank = len(program.nodes[a].value.shape)
    permutation = tuple(int(p) for p in program.rng.permutation(rank))
    return (lambda x: lax.transpose(x, permutation)), (a,)


@maker(0.7)
def reverse(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rank = len(program.nodes[a].value.shape)
    count = program.rng.integers(1, rank + 1)
    dims = tuple(sorted(int(d) for d in program.rng.choice(rank, count, replace=False)))
    return (lambda x: lax.rev(x, dims)), (a,)


@maker(1.5)
def static_slice(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rng, shape = program.rng, program.nodes[a].value.shape
    start = [int(rng.integers(0, size)) if rng.random() < 0.6 else 0 for size in shape]
    limit = [int(rng.integers(low + 1, size + 1)) if rng.random() < 0.6 else size for low, size in zip(start, shape)]
    stride = [int(rng.choice([1, 1, 1, 2, 3])) for _ in shape]
    return (lambda x: lax.slice(x, start, limit, stride)), (a,)


@maker(1.5)
def pad(program):
    a = program.pick(lambda value: len(value.shape) >= 1 and value.data.size <= 20_000)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    config = [
        (
            int(rng.integers(-2, 9)),
            int(rng.integers(-2, 9)),
            int(rng.choice([0, 0, 0, 1, 2])),
        )
        for _ in value.shape
    ]
    if any(low + high + size <= 0 for size, (low, high, _) in zip(value.shape, config)):
        return None
    filler = scalar(rng.integers(0, 2), value.dtype)
    return (lambda x: lax.pad(x, filler, config)), (a,)


@maker(1.5)
def concatenation(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    value = program.nodes[a].value
    dim = int(program.rng.integers(len(value.shape)))
    shape = list(value.shape)
    shape[dim] = int(program.rng.choice([1, 7, 8, value.shape[dim]]))
    b = program.partner(tuple(shape), value.dtype)
    operands = (a, b) if program.rng.random() < 0.5 else (b, a)
    return (lambda *xs: lax.concatenate(xs, dim)), operands


@maker(4)
def reduction(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    rank = len(value.shape)
    axes = tuple(sorted(int(d) for d in rng.choice(rank, rng.integers(1, rank + 1), replace=False)))
    if value.dtype == BOOL:
        functions = [lax.reduce_and, lax.reduce_or]
    else:
        functions = [lax.reduce_sum, lax.reduce_sum, lax.reduce_max, lax.reduce_min]
    function = functions[rng.integers(len(functions))]
    return (lambda x: function(x, axes)), (a,)


@maker(3)
def contraction(program):
    a = program.pick(lambda value: floats(value) and 1 <= len(value.shape) <= 4)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    shape, rank = value.shape, len(value.shape)
    dims = [int(d) for d in rng.permutation(rank)]
    batch = dims[: rng.choice([0, 0, 1])] if rank >= 2 else []
    depth = dims[len(batch) : len(batch) + rng.choice([1, 1, 1, 2])]
    free = [int(rng.choice([1, 7, 8, 127, 128, 129])) for _ in range(rng.integers(0, 2))]
    left_free = np.prod([s for d, s in enumerate(shape) if d not in (*batch, *depth)])
    others = [shape[d] for d in (*batch, *depth)]
    order = [int(p) for p in rng.permutation(len(others) + len(free))]
    shape_b = tuple((others + free)[p] for p in order)
    if np.prod(shape_b) > 60_000 or left_free * np.prod(others) * np.prod(free) > 2e7:
        return None
    place = [order.index(n) for n in range(len(others))]
    numbers_ = ((depth, place[len(batch) :]), (batch, place[: len(batch)]))
    wide = rng.choice([None, F32]) if value.dtype == BF16 else None

    def function(x, y):
        return lax.dot_general(x, y, numbers_, preferred_element_type=wide)

    return function, (a, program.partner(shape_b, value.dtype))


def some_index(program, most):
    """A scalar argument that serves as an index; now and then out of bounds."""
    n = program.new_argument((), I32)
    index = np.asarray(program.rng.integers(-2, most + 3), I32)
    program.args[-1] = index
    program.nodes[n].value.data = index
    return n


def taken(x, index, sizes, dims):
    """A dynamic slice whose start index applies to some dimensions."""
    starts = [index if d in dims else np.int32(0) for d in range(len(sizes))]
    return lax.dynamic_slice_p.bind(x, *starts, slice_sizes=tuple(sizes))


@maker(1)
def dynamic_slice(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rng, shape = program.rng, program.nodes[a].value.shape
    dim = int(rng.integers(len(shape)))
    sizes = list(shape)
    sizes[dim] = int(rng.integers(1, shape[dim] + 1))
    index = some_index(program, shape[dim])
    return (lambda x, i: taken(x, i, sizes, [dim])), (a, index)


@maker(1)
def dynamic_update_slice(program):
    a = program.pick(lambda value: len(value.shape) >= 1)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    dim = int(rng.integers(len(value.shape)))
    sizes = list(value.shape)
    sizes[dim] = int(rng.integers(1, value.shape[dim] + 1))
    update = program.partner(tuple(sizes), value.dtype)
    index = some_index(program, value.shape[dim])

    def function(x, y, i):
        starts = [i if d == dim else np.int32(0) for d in range(x.ndim)]
        return lax.dynamic_update_slice_p.bind(x, y, *starts)

    return function, (a, update, index)


@maker(1)
def gather_rows(program):
    a = program.pick(lambda value: 1 <= len(value.shape) <= 3)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    count = int(rng.choice([1, 7, 8, 129]))
    n = program.new_argument((count,), I32)
    # Of a slice, JAX on the CPU reads rows beyond its ends from the array that it is of.
    beyond = 0 if program.nodes[a].operation == "dynamic_slice" else 1
    rows = rng.integers(-beyond, value.shape[0] + beyond, count).astype(np.int32)
    program.args[-1] = rows
    program.nodes[n].value.data = rows

    def function(table, rows):
        return table.at[rows].get(mode="clip", wrap_negative_indices=False)

    return function, (a, n)


@maker(0.7)
def iota(program):
    a = program.pick(lambda value: numbers(value) and value.data.size > 0)
    if a is None:
        return None
    value = program.nodes[a].value
    if len(value.shape) == 0 or value.dtype == I8:
        return None
    dim = int(program.rng.integers(len(value.shape)))
    return (lambda x: lax.add(x, lax.broadcasted_iota(x.dtype, x.shape, dim))), (a,)


@maker(0.8)
def counted_loop(program):
    a = program.pick(floats)
    if a is None:
        return None
    value = program.nodes[a].value
    b = program.partner(value.shape, value.dtype)
    trips = int(program.rng.integers(0, 6))
    half = scalar(0.5, value.dtype)

    def body(number, state):
        x, y = state
        step = lax.convert_element_type(number, x.dtype)
        return lax.mul(lax.add(x, y), lax.full_like(x, half)), lax.add(y, lax.full_like(y, step))

    def function(x, y):
        def cond(state):
            return state[0] < trips

        def step(state):
            number, x, y = state
            return number + 1, *body(number, (x, y))

        return lax.while_loop(cond, step, (jnp.int32(0), x, y))[1]

    return function, (a, b)


@maker(0.8)
def branch(program):
    a = program.pick(floats)
    if a is None:
        return None
    cases = [lax.neg, lambda x: lax.add(x, x), lambda x: lax.mul(x, lax.full_like(x, 3))]
    cases = cases[: program.rng.integers(2, 4)]
    n = some_index(program, len(cases))
    return (lambda i, x: lax.switch(i, cases, x)), (n, a)
