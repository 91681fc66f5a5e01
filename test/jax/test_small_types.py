"""Floats of at most 8 bits and integers of 2 and 4 bits in JAX: buffers, donation, callbacks, products.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

TYPES = [
    jnp.int2,
    jnp.int4,
    jnp.uint2,
    jnp.uint4,
    jnp.float4_e2m1fn,
    jnp.float8_e3m4,
    jnp.float8_e4m3,
    jnp.float8_e4m3b11fnuz,
    jnp.float8_e4m3fn,
    jnp.float8_e4m3fnuz,
    jnp.float8_e5m2,
    jnp.float8_e5m2fnuz,
    jnp.float8_e8m0fnu,
]


def names(dtype):
    return np.dtype(dtype).name


def numbers(shape, dtype):
    return np.random.default_rng(0).integers(1, 3, shape).astype(np.float32).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=names)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (129,), (3, 130), (300, 2)], ids=str)
def test_buffers(device, dtype, shape):
    value = numbers(shape, dtype)
    array = jax.device_put(value, device)
    assert array.dtype == value.dtype
    np.testing.assert_array_equal(np.asarray(array), value)
    # A result of one program is an argument of another one.
    result = np.asarray(jnp.flip(array * jnp.ones_like(array)))
    np.testing.assert_array_equal(result, np.flip(value))


@pytest.mark.parametrize("dtype", [jnp.int4, jnp.float8_e4m3fn], ids=names)
def test_memory_and_donation(device, dtype):
    before = device.memory_stats()["bytes_in_use"]
    array = jax.device_put(numbers((1024, 128), dtype), device)
    array.block_until_ready()
    assert device.memory_stats()["bytes_in_use"] - before == 1024 * 128
    value = np.asarray(array)
    result = jax.jit(lambda x: x + jnp.ones_like(x), donate_argnums=0)(array)
    assert array.is_deleted()
    np.testing.assert_array_equal(np.asarray(result), value + np.ones_like(value))


@pytest.mark.parametrize("dtype", [jnp.int4, jnp.uint2, jnp.float8_e5m2], ids=names)
def test_callbacks(dtype):
    value = numbers((5, 7), dtype)
    double = lambda x: np.asarray(x) + np.asarray(x)
    result = jax.jit(lambda x: jax.pure_callback(double, jax.ShapeDtypeStruct(value.shape, dtype), x))(value)
    np.testing.assert_array_equal(np.asarray(result), value + value)


def test_scaled_products():
    """A layer with weights and activations of 8 bits, and one with weights of 4 bits."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((33, 128)).astype(np.float32)
    w = rng.standard_normal((128, 65)).astype(np.float32)

    def layer(x, w, dtype, top):
        scales = [jnp.abs(a).max() / top for a in (x, w)]
        x8, w8 = ((a / scale).astype(dtype) for a, scale in zip((x, w), scales))
        return x8, w8, scales[0] * scales[1] * jnp.dot(x8, w8, preferred_element_type=jnp.float32)

    x8, w8, result = jax.jit(layer, static_argnums=(2, 3))(x, w, jnp.float8_e4m3fn, 448.0)
    wanted = np.asarray(x8).astype(np.float32) @ np.asarray(w8).astype(np.float32)
    wanted *= np.abs(x).max() / 448 * np.abs(w).max() / 448
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(np.asarray(x8), (x / (np.abs(x).max() / np.float32(448))).astype(x8.dtype))

    w4 = rng.integers(-8, 8, (128, 65)).astype(ml_dtypes.int4)
    mixed = jax.jit(lambda x, w: x @ w.astype(jnp.float32))(x.astype(ml_dtypes.bfloat16).astype(np.float32), w4)
    exact = x.astype(ml_dtypes.bfloat16).astype(np.float64) @ w4.astype(np.float64)
    np.testing.assert_allclose(np.asarray(mixed), exact, rtol=1e-4, atol=1e-4)
