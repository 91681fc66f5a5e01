"""Reference rules of data movement, reductions and contractions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Rules as in rules_elementwise.py. Data movement moves the bounds along with the data.
"""

import numpy as np

from bounds import (
    BF16,
    UNIT,
    Value,
    difference,
    is_float,
    quantum,
    rounded,
    sum_deviation,
    wide,
)
from rules_elementwise import RULES, certain, rule, unknown_unless


def moved(function, *values):
    """Applies a movement of data to data and bounds alike."""
    data = function(*(value.data for value in values))
    if certain(*values):
        return Value(data)
    return Value(data, function(*(value.errors() for value in values)))


def index_of(value):
    """The integer in a scalar that decides where data goes; it must be known exactly."""
    if not certain(value):
        raise ValueError("an index depends on a value that is not known exactly")
    return int(value.data)


@rule("broadcast_in_dim")
def broadcast_in_dim(params, model, a):
    shape, dims = params["shape"], params["broadcast_dimensions"]
    aligned = [1] * len(shape)
    for position, size in zip(dims, a.shape):
        aligned[position] = size
    return moved(lambda x: np.broadcast_to(x.reshape(aligned), shape), a)


@rule("reshape")
def reshape(params, model, a):
    order = params.get("dimensions") or range(a.data.ndim)  # a transposition before it, if any
    return moved(lambda x: x.transpose(*order).reshape(params["new_sizes"]), a)


@rule("squeeze")
def squeeze(params, model, a):
    return moved(lambda x: np.squeeze(x, axis=tuple(params["dimensions"])), a)


@rule("expand_dims")
def expand_dims(params, model, a):
    return moved(lambda x: np.expand_dims(x, tuple(params["dimensions"])), a)


@rule("transpose")
def transpose(params, model, a):
    return moved(lambda x: np.transpose(x, params["permutation"]), a)


@rule("rev")
def reverse(params, model, a):
    return moved(lambda x: np.flip(x, params["dimensions"]), a)


@rule("slice")
def static_slice(params, model, a):
    strides = params["strides"] or (1,) * len(a.shape)
    parts = tuple(map(slice, params["start_indices"], params["limit_indices"], strides))
    return moved(lambda x: x[parts], a)


@rule("concatenate")
def concatenate(params, model, *values):
    return moved(lambda *xs: np.concatenate(xs, params["dimension"]), *values)


@rule("split")
def split(params, model, a):
    ends = np.cumsum(params["sizes"])[:-1]
    parts = np.split(a.data, ends, params["axis"])
    errors = np.split(a.errors(), ends, params["axis"])
    return [Value(part, err) for part, err in zip(parts, errors)]


@rule("pad")
def pad(params, model, a, padding):
    config = params["padding_config"]
    shape = [
        max(low + high + size + interior * max(size - 1, 0), 0) for size, (low, high, interior) in zip(a.shape, config)
    ]

    def apply(x, value):
        result = np.full(shape, value.reshape(()), x.dtype)
        source, target = [], []
        for size, out, (low, _, interior) in zip(x.shape, shape, config):
            places = low + np.arange(size) * (interior + 1)
            inside = np.flatnonzero((places >= 0) & (places < out))
            source.append(inside)
            target.append(places[inside])
        if all(part.size for part in source) or not source:
            result[np.ix_(*target)] = x[np.ix_(*source)]
        return result

    return moved(apply, a, padding)


def starts(shape, sizes, indices):
    """Start indices of a dynamic slice, clamped so that it fits."""
    return [min(max(index_of(index), 0), extent - size) for extent, size, index in zip(shape, sizes, indices)]


@rule("dynamic_slice")
def dynamic_slice(params, model, a, *indices):
    sizes = params["slice_sizes"]
    begin = starts(a.shape, sizes, indices)
    parts = tuple(slice(at, at + size) for at, size in zip(begin, sizes))
    return moved(lambda x: x[parts], a)


@rule("dynamic_update_slice")
def dynamic_update_slice(params, model, a, update, *indices):
    begin = starts(a.shape, update.shape, indices)
    parts = tuple(slice(at, at + size) for at, size in zip(begin, update.shape))

    def apply(x, y):
        result = np.array(x)
        result[parts] = y
        return result

    return moved(apply, a, update)


@rule("iota")
def iota(params, model):
    shape, dimension = params["shape"], params["dimension"]
    line = np.arange(shape[dimension]).astype(params["dtype"])
    aligned = [1] * len(shape)
    aligned[dimension] = shape[dimension]
    return Value(np.broadcast_to(line.reshape(aligned), shape))


@rule("reduce_sum")
def reduce_sum(params, model, a):
    axes = tuple(params["axes"])
    if not is_float(a.dtype):
        data = np.sum(a.data, axis=axes, dtype=a.dtype)
        err = a.errors().sum(axis=axes)
        # Unless the interval wraps around, it is as wide as those of the elements together.
        unwrapped = np.abs(a.data.astype(np.float64)).sum(axis=axes) + err
        return Value(data, np.where((err > 0) & (unwrapped > np.iinfo(a.dtype).max), np.inf, err))
    x = wide(a)
    with np.errstate(invalid="ignore"):
        exact = np.asarray(x.sum(axis=axes))
        magnitude = np.abs(x).sum(axis=axes)
    terms = x.size // max(exact.size, 1)
    narrow = a.dtype == BF16 and model.narrow_sums
    if certain(a):
        dev = sum_deviation(terms, magnitude, quantum(x), model, narrow)
        dev = np.where(np.isfinite(exact), dev, 0.0)
    else:
        errors = a.errors().sum(axis=axes)
        dev = errors + sum_deviation(terms, magnitude + errors, 0.0, model, narrow)
    return rounded(exact, dev, a.dtype)


def reduce_extremum(function):
    def apply(params, model, a):
        axes = tuple(params["axes"])
        data = np.asarray(function(a.data, axis=axes))
        if certain(a):
            return Value(data)
        x = wide(a)
        middle = data.astype(np.float64)
        above = function(x + a.err, axis=axes) - middle
        below = middle - function(x - a.err, axis=axes)
        return Value(data, np.asarray(np.maximum(above, below)))

    return apply


RULES["reduce_max"] = reduce_extremum(np.max)
RULES["reduce_min"] = reduce_extremum(np.min)


@rule("reduce_prod")
def reduce_product(params, model, a):
    axes = tuple(params["axes"])
    if not is_float(a.dtype):
        known = (a.errors() == 0).all(axis=axes)
        return unknown_unless(known, np.asarray(np.prod(a.data, axis=axes, dtype=a.dtype)))
    x = wide(a)
    exact = np.asarray(x.prod(axis=axes))
    terms = x.size // max(exact.size, 1)
    # Each factor is off by its relative bound, each multiplication by half an ulp.
    with np.errstate(all="ignore"):
        relative = np.where(a.errors() == 0, 0.0, a.errors() / np.abs(x)).sum(axis=axes)
        narrow = a.dtype == BF16 and model.narrow_sums
        relative = relative + terms * 2 * (2.0**-8 if narrow else UNIT)
        small = quantum(x) >= 1 and np.abs(exact).max(initial=0) < 2.0**24 and certain(a)
        dev = np.where(small | (exact == 0), 0.0, np.abs(exact) * np.expm1(relative))
    return rounded(exact, dev, a.dtype)


def reduce_bits(function):
    def apply(params, model, a):
        axes = tuple(params["axes"])
        data = np.asarray(function.reduce(a.data, axis=axes))
        if certain(a):
            return Value(data)
        return unknown_unless(np.asarray((a.errors() == 0).all(axis=axes)), data)

    return apply


RULES["reduce_and"] = reduce_bits(np.bitwise_and)
RULES["reduce_or"] = reduce_bits(np.bitwise_or)
RULES["reduce_xor"] = reduce_bits(np.bitwise_xor)


def contract(numbers, a, b):
    """dot_general of two plain arrays."""
    (contract_a, contract_b), (batch_a, batch_b) = numbers
    free_a = [d for d in range(a.ndim) if d not in (*contract_a, *batch_a)]
    free_b = [d for d in range(b.ndim) if d not in (*contract_b, *batch_b)]
    left = a.transpose(*batch_a, *free_a, *contract_a)
    right = b.transpose(*batch_b, *contract_b, *free_b)
    batch = left.shape[: len(batch_a)]
    rows = left.shape[len(batch) : len(batch) + len(free_a)]
    columns = right.shape[right.ndim - len(free_b) :]
    depth = int(np.prod(left.shape[left.ndim - len(contract_a) :], dtype=np.int64))
    many = int(np.prod(batch, dtype=np.int64))
    left = left.reshape(many, int(np.prod(rows, dtype=np.int64)), depth)
    right = right.reshape(many, depth, int(np.prod(columns, dtype=np.int64)))
    return (left @ right).reshape((*batch, *rows, *columns)), depth


def place_of(find):
    """The place of the extreme along an axis, the first of equal ones, of a NaN if there is one;
    unknown for operands that are not known exactly."""

    def apply(params, model, a):
        (axis,) = params["axes"]
        data = find(a.data.astype(np.float64), axis).astype(params["index_dtype"])
        return unknown_unless(certain(a), data)

    return apply


rule("argmax")(place_of(np.argmax))
rule("argmin")(place_of(np.argmin))


def sum_of_products(product, model, a, b, result, whole=False):
    """The Value of `product(a, b)`, which gives sums of products of two plain arrays, linear in
    both, and how many products a sum has; `whole` if f32 is not split, whatever the precision."""
    if not is_float(a.dtype):
        # Modulo 2^64, and then modulo the type's range.
        data, _ = product(a.data.astype(np.int64), b.data.astype(np.int64))
        return unknown_unless(certain(a, b), data.astype(result))
    if model.precision == "default" and not whole:
        a, b = rounded(wide(a), a.err, BF16), rounded(wide(b), b.err, BF16)
    x, y = wide(a), wide(b)
    with np.errstate(invalid="ignore"):
        exact, depth = product(x, y)
        magnitude, _ = product(np.abs(x) + a.err, np.abs(y) + b.err)
    # Splitting f32 into bf16 drops products of about one ulp (six passes) or 2^-16 (three).
    narrow = not any(difference(v, v.astype(BF16).astype(np.float64)).any() for v in (x, y))
    exactly = narrow or whole
    dropped = 0.0 if exactly else {"high": 2.0**-14, "highest": 16 * UNIT}[model.precision]
    unit = quantum(x) * quantum(y) if narrow and certain(a, b) else 0.0
    with np.errstate(invalid="ignore"):  # no drop at all of an infinite magnitude
        dev = sum_deviation(2 * depth + 1, magnitude, unit, model) + dropped * magnitude
    if certain(a, b):
        dev = np.where(np.isfinite(exact), dev, 0.0)
    else:
        # |x'y' - xy| over the intervals, summed over the depth, by difference of two sums.
        dev = dev + np.maximum(magnitude - product(np.abs(x), np.abs(y))[0], 0.0)
        dev = dev + 1e-13 * magnitude
    return rounded(exact, dev, result)


@rule("dot_general")
def dot_general(params, model, a, b):
    numbers = params["dimension_numbers"]
    result = np.dtype(params["preferred_element_type"] or a.dtype)
    # Outer products, and those of which one side is vectors, are multiplied and summed as f32
    # whatever the precision.
    (depth, _), (batch, _) = numbers
    count = int(np.prod([a.shape[d] for d in batch], dtype=np.int64))
    contracted = int(np.prod([a.shape[d] for d in depth], dtype=np.int64))
    vectors = count * contracted in (a.data.size, b.data.size) and contracted > 0
    vectors = vectors or contracted == 1
    return sum_of_products(lambda x, y: contract(numbers, x, y), model, a, b, result, vectors)
