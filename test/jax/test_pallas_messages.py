"""Messages of Pallas kernels that a process runs through the plugin.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def kernel(x, out):
    pl.debug_print("step {}", pl.program_id(0))
    pl.debug_print("first ", x[0, 0])
    out[...] = x[...] + 1


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
