"""Moves arrays between shardings and compares each device's part with the sharding's.

    TPU_LIBRARY_PATH=build/lib/libsystole_pjrt.so SYSTOLE_TARGET=v3-8 JAX_PLATFORMS=tpu,cpu \\
        python benchmarks/shardings/reshards.py [--programs 300] [--seed 0] [--uneven]

A program is `jit` of a product with 1 whose result has another sharding than its argument. With --uneven argument and
result are whole, and three values between them have shardings of sizes that need not be divided evenly. Prints each
difference, and last how many of the programs agree.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import random
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

AXES = {"a": 2, "b": 2, "c": 2}
DTYPES = [jnp.float32, jnp.bfloat16, jnp.int8, jnp.int32, jnp.bool_, jnp.complex64]


def draw_spec(draw, rank):
    """Axes of a tensor's dimensions, each axis once at most."""
    dims = [[] for _ in range(rank)]
    axes = list(AXES)
    draw.shuffle(axes)
    for axis in axes:
        place = draw.randrange(rank + 1)
        if place < rank:
            dims[place].append(axis)
    return PartitionSpec(*[tuple(dim) or None for dim in dims])


def moves(source, target):
    """The function, and the shardings of its argument and result."""
    return lambda x: x * jnp.ones((), x.dtype), source, target


def uneven_moves(mesh, draw, rank):
    """The same by way of three shardings that need not be even."""
    through = [NamedSharding(mesh, draw_spec(draw, rank)) for _ in range(3)]
    whole = NamedSharding(mesh, PartitionSpec())

    def function(x):
        for sharding in through:
            x = jax.lax.with_sharding_constraint(x * jnp.ones((), x.dtype), sharding)
        return x * jnp.ones((), x.dtype)

    return function, whole, whole


def run(seed, uneven):
    """How the result of one program differs; None if it agrees."""
    draw = random.Random(seed)
    rank = draw.choice([1, 2, 2, 3])
    shape = [draw.randint(2, 45) if uneven else 8 * draw.choice([1, 2, 3, 5, 17]) for _ in range(rank)]
    if draw.random() < 0.05:
        shape[draw.randrange(rank)] = 0
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(list(AXES.values())), tuple(AXES))
    dtype = draw.choice(DTYPES)
    x = np.random.default_rng(seed).integers(0, 120, shape).astype(dtype)
    if uneven:
        function, source, target = uneven_moves(mesh, draw, rank)
    else:
        function, source, target = moves(*[NamedSharding(mesh, draw_spec(draw, rank)) for _ in range(2)])
    try:
        result = jax.jit(function, out_shardings=target)(jax.device_put(x, source))
        for shard in result.addressable_shards:
            if not np.array_equal(np.asarray(shard.data), x[shard.index]):
                return f"{source.spec} to {target.spec}, {dtype.__name__}{shape}: wrong on {shard.device}"
    except Exception as error:
        return f"{source.spec} to {target.spec}, {dtype.__name__}{shape}: {error}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--uneven", action="store_true")
    options = parser.parse_args()
    agree = 0
    for seed in range(options.seed, options.seed + options.programs):
        difference = run(seed, options.uneven)
        agree += difference is None
        if difference:
            print(f"seed {seed}: {difference}")
    print(f"{agree} of {options.programs} agree")
    sys.exit(agree != options.programs)


if __name__ == "__main__":
    main()
