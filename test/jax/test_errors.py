"""What cannot be done is a Python error that says so; the process lives on.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding, PartitionSpec

Error = jax.errors.JaxRuntimeError


@pytest.fixture(autouse=True)
def alive():
    yield
    np.testing.assert_array_equal(jnp.arange(3) + 1, [1, 2, 3])


def test_a_missing_operation_is_named_with_its_line():
    with pytest.raises(Error, match=(
            r"UNIMPLEMENTED: \S*test_errors.py:\d+:\d+: error: operation 'stablehlo.cholesky' is not "
            r"supported: '\(tensor<3x3xf32>\) -> tensor<3x3xf32>'")):  # fmt: skip
        jnp.linalg.cholesky(jnp.eye(3))


def test_a_custom_call_is_named_with_its_target():
    """JAX writes no line into a function that it calls twice; it is that of the call."""
    with pytest.raises(Error, match=(
            r"UNIMPLEMENTED: \S*test_errors.py:\d+:\d+: error: operation 'stablehlo.custom_call' of 'LuDecomposition' "
            r"is not supported: '\(tensor<4x3xf32>\) -> \(tensor<4x3xf32>, tensor<3xi32>, tensor<4xi32>\)'")):  # fmt: skip
        jax.jit(jax.lax.linalg.lu)(jnp.ones((4, 3)))


def test_a_missing_element_type_is_no_invalid_argument():
    with pytest.raises(Error, match=r"UNIMPLEMENTED: \S*test_errors.py:\d+:\d+: error: element type 'complex<f32>'"):
        jnp.ones(3) + 1j


def test_programs_for_several_devices_are_not_there_yet():
    mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    x = jax.device_put(np.arange(16.0, dtype=np.float32), NamedSharding(mesh, PartitionSpec("x")))
    np.testing.assert_array_equal(x, np.arange(16))  # what lies on several devices can be read
    with pytest.raises(Error, match="UNIMPLEMENTED: programs for several devices"):
        jax.jit(lambda x: x + 1)(x)


def test_callbacks_are_refused():
    with pytest.raises(Error, match="error: operation 'stablehlo"):
        jax.jit(lambda x: jax.pure_callback(np.sin, x, x))(jnp.ones(3))

