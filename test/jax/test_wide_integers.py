"""64-bit integers under jax_enable_x64: buffers, donation, copies between devices, programs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


def numbers(shape, dtype, seed=0):
    bits = np.random.default_rng(seed).integers(0, 2**64, shape, dtype=np.uint64)
    return bits.view(dtype)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (129,), (1000,), (3, 130), (300, 2)], ids=str)
def test_buffers(device, shape, dtype):
    value = np.asarray(numbers(shape, dtype)).reshape(shape)
    array = jax.device_put(value, device)
    assert array.dtype == dtype
    np.testing.assert_array_equal(np.asarray(array), value)
    # A result of one program is an argument of another one.
    np.testing.assert_array_equal(np.asarray(jnp.bitwise_not(array + array)), ~(value + value))


def test_the_magnitude_of_numbers_that_fit_into_an_unsigned_word(device):
    value = np.array([0, 1, 2**31, 2**32 - 1], np.uint32)
    result = jax.jit(lambda x: jnp.abs(x.astype(jnp.int64)) + 1)(jax.device_put(value, device))
    np.testing.assert_array_equal(np.asarray(result), value.astype(np.int64) + 1)


def test_between_devices():
    first, second = jax.devices("tpu")[:2]
    value = numbers((5, 7), np.int64)
    moved = jax.device_put(jax.device_put(value, first) * 3, second)
    np.testing.assert_array_equal(np.asarray(moved - 1), value * 3 - 1)


def test_donation(device):
    value = numbers((1000,), np.int64)
    array = jax.device_put(value, device)
    result = jax.jit(lambda x: x ^ (x << 3), donate_argnums=0)(array)
    assert array.is_deleted()
    np.testing.assert_array_equal(np.asarray(result), value ^ (value << 3))


def test_memory_counts_both_planes(device):
    before = device.memory_stats()["bytes_in_use"]
    array = jax.device_put(numbers((1024, 128), np.int64), device)
    array.block_until_ready()
    assert device.memory_stats()["bytes_in_use"] - before == 2 * 1024 * 512


def test_a_program(device, on_cpu):
    def function(x, start):
        def step(i, carry):
            total, best = carry
            window = lax.dynamic_slice(x, (start + i,), (10,))
            return total * 31 + window.sum(), jnp.maximum(best, window.max())

        total, best = lax.fori_loop(0, 50, step, (jnp.int64(7), jnp.int64(-(2**62))))
        order = jnp.argsort(x)
        return total, best, x[order], order, jnp.argmax(x), jnp.bincount(x % 10, length=10)

    value = numbers((200,), np.int64) >> 3
    expected = on_cpu(jax.jit(function), value, np.int64(2))
    results = jax.jit(function)(jax.device_put(value, device), np.int64(2))
    for result, wanted in zip(results, expected):
        np.testing.assert_array_equal(np.asarray(result), wanted)


def test_floats_with_wide_indices(device, on_cpu):
    """x64 programs on f32: indices and counters of 64 bits, scalars of f64."""

    def function(x):
        i = jnp.arange(x.shape[0])
        y = jnp.where(i % 2 == 0, x, -x) * np.float32(0.5)
        return y[::-1], y.argmin(), lax.fori_loop(0, 5, lambda k, v: v.at[k].add(1), y), y[jnp.array([3, -1])]

    value = np.linspace(-3, 3, 129, dtype=np.float32)
    expected = on_cpu(jax.jit(function), value)
    for result, wanted in zip(jax.jit(function)(jax.device_put(value, device)), expected):
        np.testing.assert_array_equal(np.asarray(result), wanted)
