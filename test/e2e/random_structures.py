"""More operations of random functions: convolutions, argmax and argmin, products of a value with
itself, windows of rematerialized values and indices computed from them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
from jax import lax

from random_ops import F32, I32, floats, maker, scalar, some_index


@maker(2)
def convolution(program):
    """With random roles of the dimensions, windows, strides, padding, dilations and groups."""
    a = program.pick(lambda value: floats(value) and 2 <= len(value.shape) <= 5 and value.data.size <= 20_000)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    rank = len(value.shape)
    spatial = rank - 2
    roles = [int(d) for d in rng.permutation(rank)]  # batch, features, space
    batch, features = value.shape[roles[0]], value.shape[roles[1]]
    outputs = int(rng.choice([1, 3, 8, 129]))
    groups, batch_groups = 1, 1
    if rng.random() < 0.2:
        groups = int(rng.choice([g for g in (1, 2, 4, 7, 8) if features % g == 0]))
    elif rng.random() < 0.2:
        batch_groups = int(rng.choice([g for g in (1, 2, 4, 7, 8) if batch % g == 0]))
    outputs *= groups * batch_groups

    def draw(choices):
        return tuple(int(rng.choice(choices)) for _ in range(spatial))

    window = draw([1, 2, 3, 5])
    strides, rhs = draw([1, 1, 1, 2, 3]), draw([1, 1, 1, 2])
    lhs = draw([1, 1, 1, 2])
    # XLA on the CPU takes elements of another group where groups of the batch are cut.
    cut = batch_groups == 1
    least = [-1 if cut and value.shape[dim] > 2 else 0 for dim in roles[2:]]
    padding = [tuple(int(p) for p in rng.integers(low, 4, 2)) for low in least]
    order_w = [int(d) for d in rng.permutation(rank)]  # outputs, inputs, space
    order_out = tuple(int(d) for d in rng.permutation(rank))
    kernel = [0] * rank
    for dim, size in zip(order_w, (outputs, features // groups, *window)):
        kernel[dim] = size
    work = value.data.size * np.prod(window, dtype=np.int64) * outputs * np.prod(lhs, dtype=np.int64)
    if np.prod(kernel) > 60_000 or work > 3e7:
        return None

    def function(x, w):
        return lax.conv_general_dilated(
            x,
            w,
            strides,
            padding,
            lhs_dilation=lhs,
            rhs_dilation=rhs,
            dimension_numbers=lax.ConvDimensionNumbers(tuple(roles), tuple(order_w), order_out),
            feature_group_count=groups,
            batch_group_count=batch_groups,
        )

    return function, (a, program.partner(tuple(kernel), value.dtype))


@maker(1)
def place_of_extreme(program):
    a = program.pick(lambda value: len(value.shape) >= 1 and value.exact and value.dtype != np.bool_)
    if a is None:
        return None
    axis = int(program.rng.integers(len(program.nodes[a].value.shape)))
    function = [lax.argmax, lax.argmin][program.rng.integers(2)]
    return (lambda x: function(x, axis, I32)), (a,)


@maker(0.7)
def product_with_itself(program):
    """Along one dimension: both operands are one value."""
    a = program.pick(lambda value: floats(value) and 1 <= len(value.shape) <= 2)
    if a is None:
        return None
    shape = program.nodes[a].value.shape
    dim = int(program.rng.integers(len(shape)))
    if (np.prod(shape) / shape[dim]) ** 2 > 60_000:
        return None
    return (lambda x: lax.dot_general(x, x, (([dim], [dim]), ([], [])))), (a,)


def computed_anew(rng, shape):
    """A function without arguments, which each reader rematerializes."""
    kind = rng.integers(3)
    if kind == 0 and shape:
        dim = int(rng.integers(len(shape)))
        return lambda: lax.broadcasted_iota(F32, shape, dim)
    if kind == 1:
        number = scalar(rng.integers(-8, 9) / 4, F32)
        return lambda: lax.full(shape, number)
    row = scalar(rng.integers(-32, 33, shape[-1:]) / 8, F32)
    return lambda: lax.broadcast_in_dim(row, shape, [len(shape) - 1] if shape else [])


@maker(1)
def windows_of_computed(program):
    """A slice of an array that no operation has read yet, or an update of it."""
    rng = program.rng
    a = program.pick(lambda value: value.dtype == F32 and 1 <= len(value.shape) <= 3)
    if a is None:
        return None
    sizes = program.nodes[a].value.shape
    shape = tuple(size + int(rng.choice([0, 0, 1, 5, 130])) for size in sizes)
    if np.prod(shape) > 60_000:
        return None
    make, dim = computed_anew(rng, shape), int(rng.integers(len(shape)))
    index = some_index(program, shape[dim])
    update = rng.random() < 0.5

    def function(x, i):
        starts = [i if d == dim else np.int32(0) for d in range(x.ndim)]
        if update:
            return lax.dynamic_update_slice_p.bind(make(), x, *starts)
        return lax.add(x, lax.dynamic_slice_p.bind(make(), *starts, slice_sizes=sizes))

    return function, (a, index)


@maker(0.7)
def rows_at_computed_places(program):
    a = program.pick(lambda value: 1 <= len(value.shape) <= 3)
    if a is None:
        return None
    rng, value = program.rng, program.nodes[a].value
    count = int(rng.choice([1, 7, 8, 129]))
    counted = rng.random() < 0.5
    index = some_index(program, value.shape[0])

    def function(table, i):
        rows = lax.iota(I32, count) if counted else lax.full((count,), np.int32(0))
        rows = lax.add(rows, lax.broadcast_in_dim(i, (count,), []))
        return table.at[rows].get(mode="clip", wrap_negative_indices=False)

    return function, (a, index)
