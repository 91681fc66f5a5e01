"""Meshes and arrays for tests on the devices of a slice.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def mesh_of(shape, names, devices=None):
    """A mesh of the first devices, or of those with these numbers, in their order."""
    count = int(np.prod(shape))
    numbers = range(count) if devices is None else devices
    return Mesh(np.array([jax.devices()[i] for i in numbers]).reshape(shape), names)


def numbers(*shape, dtype=np.float32, seed=0):
    """Whole numbers: sums of them are exact in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(dtype)


def sharded(x, mesh, *spec):
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def on_all(function, mesh, *specs, out):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=out))
