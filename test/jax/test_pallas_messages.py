"""Messages of Pallas kernels that a process runs through the plugin.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P
from slices import mesh_of, numbers


def kernel(x, out):
    pl.debug_print("step {}", pl.program_id(0))
    pl.debug_print("first ", x[0, 0])
    out[...] = x[...] + 1


def test_kernels_on_each_device_of_a_slice(capfd):
    mesh = mesh_of((4,), "x")
    x = numbers(32, 128)
    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))

    def part(x):
        return pl.pallas_call(
            kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=1, in_specs=[rows], out_specs=rows
        )(x)

    function = jax.shard_map(part, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    for call in (function, jax.jit(function)):
        capfd.readouterr()
        np.testing.assert_array_equal(call(x), x + 1)
        lines = sorted(capfd.readouterr().err.splitlines())
        first = [f"core {core}: first f32[] {x[8 * core, 0]:g}" for core in range(4)]
        assert lines == sorted([*first, *(f"core {core}: step 0" for core in range(4))])


def test_messages_are_on_standard_error(capfd):
    x = np.arange(16 * 128, dtype=np.float32).reshape(16, 128)
    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=2, in_specs=[rows], out_specs=rows
    )
    function = jax.jit(lambda x: jnp.sum(call(x)))
    for _ in range(2):
        capfd.readouterr()
        assert function(x) == (x + 1).sum()
        assert capfd.readouterr().err.splitlines() == ["step 0", "first f32[] 0", "step 1", "first f32[] 1024"]
