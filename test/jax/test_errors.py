"""Unsupported programs are Python errors with the reason; the process continues.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

Error = jax.errors.JaxRuntimeError


@pytest.fixture(autouse=True)
def alive():
    yield
    np.testing.assert_array_equal(jnp.arange(3) + 1, [1, 2, 3])


def test_a_custom_call_is_named_with_its_target():
    """JAX writes no line into a function that it calls twice; it is that of the call."""
    with pytest.raises(Error, match=(
            r"UNIMPLEMENTED: \S*test_errors.py:\d+:\d+: error: operation 'stablehlo.custom_call' of 'nothing' "
            r"is not supported: ")):  # fmt: skip
        jax.jit(lambda x: jax.ffi.ffi_call("nothing", jax.ShapeDtypeStruct((40,), x.dtype))(x))(jnp.ones(40))
