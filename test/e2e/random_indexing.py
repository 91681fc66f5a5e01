"""Random gathers and scatters, by positions that are arguments, counted, constant or repeated.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from random_ops import BOOL, I32, maker, numbers


def positions(program, count, extent):
    """A function that gives `count` positions below about `extent`, and the numbers of the nodes
    that it reads."""
    rng = program.rng
    kind = rng.choice(["argument", "counted", "constant", "repeated"])
    if kind == "argument":
        n = program.new_argument((count,), I32)
        rows = rng.integers(-2, extent + 2, count).astype(np.int32)
        program.args[-1] = rows
        program.nodes[n].value.data = rows
        return (lambda rows: rows), (n,)
    if kind == "counted":
        first, step = int(rng.integers(0, 3)), int(rng.integers(1, 3))
        return (lambda: first + step * lax.iota(np.int32, count)), ()
    if kind == "constant":
        rows = rng.integers(0, extent, count).astype(np.int32)
        return (lambda: jnp.asarray(rows)), ()
    place = int(rng.integers(0, extent))
    return (lambda: jnp.full(count, place, np.int32)), ()


def indexed(program, value, counts):
    """A function from nodes to an index of some dimensions of `value`, those nodes, and the
    dimensions."""
    rng, rank = program.rng, len(value.shape)
    dims = sorted(rng.permutation(rank)[: rng.integers(1, rank + 1)])
    count = int(rng.choice(counts))
    parts = [positions(program, count, value.shape[d]) for d in dims]

    def function(*nodes):
        nodes, index = list(nodes), [slice(None)] * rank
        for d, (make, reads) in zip(dims, parts):
            index[d] = make(*nodes[: len(reads)])
            del nodes[: len(reads)]
        return tuple(index)

    return function, tuple(n for _, reads in parts for n in reads), count, dims


@maker(2)
def gather(program):
    a = program.pick(lambda value: 1 <= len(value.shape) <= 4 and value.data.size > 0)
    if a is None:
        return None
    # XLA on the CPU makes slices of single positions, and merges them with slices of which the
    # start has to be clamped first.
    index, reads, _, _ = indexed(program, program.nodes[a].value, [2, 7, 64, 129])

    def function(x, *nodes):
        return x.at[index(*nodes)].get(mode="clip", wrap_negative_indices=False)

    return function, (a, *reads)


@maker(3)
def scatter(program):
    a = program.pick(lambda value: 1 <= len(value.shape) <= 4 and 0 < value.data.size <= 20000)
    if a is None:
        return None
    value = program.nodes[a].value
    index, reads, count, dims = indexed(program, value, [1, 2, 7, 64, 129])
    # Where indexed dimensions are not adjacent, those of the positions come first.
    rest = [size for d, size in enumerate(value.shape) if d not in dims]
    adjacent = dims[-1] - dims[0] == len(dims) - 1
    shape = list(rest)
    shape.insert(dims[0] if adjacent else 0, count)
    if np.prod(shape, dtype=np.int64) > 20000:
        return None
    update = program.partner(tuple(shape), value.dtype)
    names = ["set"] if value.dtype == BOOL else ["set", "add", "min", "max"]
    name = str(program.rng.choice(names))
    mode = str(program.rng.choice(["drop", "clip"]))

    def function(x, update, *nodes):
        place = x.at[index(*nodes)]
        return getattr(place, name)(update, mode=mode, wrap_negative_indices=False)

    return function, (a, update, *reads)


@maker(1)
def take_along_axis(program):
    a = program.pick(lambda value: numbers(value) and 1 <= len(value.shape) <= 3)
    if a is None or program.nodes[a].value.data.size == 0:
        return None
    value, rng = program.nodes[a].value, program.rng
    axis = int(rng.integers(len(value.shape)))
    shape = list(value.shape)
    shape[axis] = int(rng.choice([1, 3, 10]))
    n = program.new_argument(tuple(shape), I32)
    places = rng.integers(0, value.shape[axis], shape).astype(np.int32)
    program.args[-1] = places
    program.nodes[n].value.data = places
    return (lambda x, i: jnp.take_along_axis(x, i, axis, mode="clip")), (a, n)
