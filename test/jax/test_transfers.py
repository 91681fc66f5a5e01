"""Arrays to a device and back.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

TYPES = (
    "bool int8 int16 int32 uint8 uint16 uint32 float16 bfloat16 float32 complex64 float8_e4m3fn float8_e5m2"
).split()
SHAPES = [(), (0,), (1,), (129,), (3, 0, 5), (7, 130), (1000, 3), (2, 3, 4, 5), (1, 1, 200)]


def bits(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_comes_back_bit_by_bit(dtype):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        host = rng.integers(-9, 99, shape).astype(jnp.dtype(dtype))
        np.testing.assert_array_equal(bits(jax.device_get(jax.device_put(host))), bits(host))


def test_special_values_keep_their_bits():
    patterns = np.array([0, 0x80000000, 1, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFA12345], np.uint32)
    host = patterns.view(np.float32)
    np.testing.assert_array_equal(bits(jax.device_get(jax.device_put(host))), bits(host))


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
def test_strides_of_the_host_are_followed(dtype):
    host = np.arange(24 * 35).reshape(24, 35).astype(dtype)
    views = [host.T, host[::-1], host[::2, ::-3], host[:, :1], np.broadcast_to(host[0], (4, 35))]
    views.append(host.reshape(2, 12, 35).transpose(2, 0, 1))
    for view in views:
        np.testing.assert_array_equal(jax.device_get(jax.device_put(view)), view)


def test_the_host_may_change_its_array_afterwards():
    host = np.ones(1000, np.float32)
    array = jax.device_put(host)
    host[:] = 2
    np.testing.assert_array_equal(array, np.ones(1000))


def test_arrays_go_from_device_to_device():
    a, b = jax.devices()[2:4]
    x = jax.device_put(np.arange(300, dtype=np.int16).reshape(100, 3), a)
    y = jax.device_put(x, b)
    assert y.devices() == {b}
    x.delete()
    np.testing.assert_array_equal(y, np.arange(300).reshape(100, 3))


def test_a_copy_waits_for_its_producer():
    a, b = jax.devices()[:2]
    x = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda i, v: v + 1, x))(
        jax.device_put(np.zeros((64, 64), np.float32), a)
    )
    np.testing.assert_array_equal(jax.device_put(x, b), np.full((64, 64), 300))


@pytest.mark.parametrize("dtype", ["int2", "int4", "uint4", "float4_e2m1fn", "float8_e4m3fn"])
def test_elements_of_a_byte_or_less(dtype):
    host = np.arange(15, dtype=np.uint8).view(jnp.dtype(dtype)).reshape(3, 5)
    np.testing.assert_array_equal(np.asarray(jax.device_put(host.T)), host.T)
