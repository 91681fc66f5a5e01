"""Gathers and scatters in general: reference rules by explicit lists of elements.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from bounds import Value
from rules_elementwise import RULES, certain, rule


def elements(shape, window, starts, batching):
    """For windows of sizes `window` (one per dimension) at `starts`, by dimension an array with
    the shape of the positions: the numbers of their elements in an array of `shape`, of the
    positions' shape and then the window's; and which windows lie inside."""
    positions = starts.shape[1:]
    inside = np.ones(positions, bool)
    rank = len(positions)
    numbers = np.zeros((*positions, *window), np.int64)
    for d, (size, part) in enumerate(zip(shape, window)):
        start = starts[d]
        if d in batching:
            start = np.broadcast_to(
                np.arange(size).reshape([-1 if p == batching[d] else 1 for p in range(rank)]),
                positions,
            )
        inside &= (start >= 0) & (start + part <= size)
        along = np.arange(part).reshape([-1 if w == d else 1 for w in range(len(window))])
        numbers = numbers * size + start.reshape(*positions, *[1] * len(window)) + along
    return numbers, inside


def starts_of(indices, dims, rank):
    coordinates = np.moveaxis(indices.data.astype(np.int64), -1, 0)
    starts = np.zeros((rank, *coordinates.shape[1:]), np.int64)
    for number, d in enumerate(dims):
        starts[d] = coordinates[number]
    return starts


def clipped(starts, shape, window):
    last = np.array(shape) - np.array(window)
    return np.clip(starts, 0, last.reshape(-1, *[1] * (starts.ndim - 1)))


def pick(value, numbers):
    err = None if value.err is None else np.broadcast_to(value.err, value.shape).reshape(-1)[numbers]
    return Value(value.data.reshape(-1)[numbers], err)


@rule("gather")
def gather(params, model, a, indices):
    dims, window = params["dimension_numbers"], params["slice_sizes"]
    if not certain(indices):
        raise NotImplementedError("a gather at positions that are not certain")
    batching = dict(zip(dims.operand_batching_dims, dims.start_indices_batching_dims))
    starts = starts_of(indices, dims.start_index_map, len(a.shape))
    fills = "FILL" in str(params["mode"])
    numbers, inside = elements(a.shape, window, clipped(starts, a.shape, window), batching)
    if fills and (starts != clipped(starts, a.shape, window)).any():
        raise NotImplementedError("a gather that fills")
    positions = inside.shape
    dropped = set(dims.collapsed_slice_dims) | set(batching)
    kept = [size for d, size in enumerate(window) if d not in dropped]
    numbers = numbers.reshape(*positions, *kept)
    rest = [d for d in range(numbers.ndim) if d not in dims.offset_dims]
    numbers = np.moveaxis(numbers, range(numbers.ndim), [*rest, *dims.offset_dims])
    return pick(a, numbers)


COMBINERS = {
    "scatter": None,
    "scatter-add": "add",
    "scatter-mul": "mul",
    "scatter-min": "min",
    "scatter-max": "max",
}


def scatter(name):
    def apply(params, model, a, indices, updates):
        dims = params["dimension_numbers"]
        if not certain(indices):
            raise NotImplementedError("a scatter at positions that are not certain")
        batching = dict(zip(dims.operand_batching_dims, dims.scatter_indices_batching_dims))
        inserted = set(dims.inserted_window_dims) | set(batching)
        sizes = iter(updates.shape[d] for d in dims.update_window_dims)
        window = [1 if d in inserted else next(sizes) for d in range(len(a.shape))]
        starts = starts_of(indices, dims.scatter_dims_to_operand_dims, len(a.shape))
        if "CLIP" in str(params["mode"]):
            starts = clipped(starts, a.shape, window)
        numbers, inside = elements(a.shape, window, starts, batching)
        order = [d for d in range(len(updates.shape)) if d not in dims.update_window_dims]
        order += dims.update_window_dims
        source = np.arange(updates.data.size).reshape(updates.shape).transpose(order)
        inside = np.broadcast_to(inside.reshape(*inside.shape, *[1] * len(window)), numbers.shape).reshape(-1)
        targets, sources = numbers.reshape(-1)[inside], source.reshape(-1)[inside]
        data = a.data.reshape(-1).copy()
        err = np.broadcast_to(a.errors(), a.shape).reshape(-1).copy()
        # Updates of one element come one after the other, those of different ones at once.
        while targets.size:
            first = np.unique(targets, return_index=True)[1]
            place, update = targets[first], pick(updates, sources[first])
            result = update
            if COMBINERS[name]:
                old = Value(data[place], err[place])
                result = RULES[COMBINERS[name]](params, model, old, update)
            data[place] = result.data
            err[place] = np.broadcast_to(result.errors(), place.shape)
            targets, sources = np.delete(targets, first), np.delete(sources, first)
        return Value(data.reshape(a.shape), err.reshape(a.shape))

    return apply


for combiner in COMBINERS:
    rule(combiner)(scatter(combiner))
