"""Complex numbers in JAX: buffers, donation, devices, callbacks, functions, gradients, transforms.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback


@pytest.fixture(params=[np.complex64, np.complex128], ids=["c64", "c128"])
def dtype(request):
    """With `jax_enable_x64` for the wider one; in all threads, for callbacks."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", request.param is np.complex128)
    yield request.param
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def tolerance(dtype):
    """That of complex64 is 3e-5."""
    return 3e-5 * float(np.finfo(dtype).eps) / 2.0**-23


def numbers(shape, seed=0, *, dtype):
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return np.asarray(parts[0] + 1j * parts[1], dtype)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (129,), (1000,), (3, 130), (300, 2)], ids=str)
def test_buffers(dtype, device, shape):
    value = numbers(shape, dtype=dtype)
    array = jax.device_put(value, device)
    assert array.dtype == dtype
    np.testing.assert_array_equal(np.asarray(array), value)
    # A result of one program is an argument of another one.
    np.testing.assert_array_equal(np.asarray(jnp.conj(array + array)), np.conj(value + value))


def test_transposed_arrays_of_the_host(dtype, device):
    value = numbers((30, 7), dtype=dtype).T
    np.testing.assert_array_equal(np.asarray(jax.device_put(value, device) * 1), value)


def test_between_devices(dtype):
    first, second = jax.devices("tpu")[:2]
    value = numbers((5, 7), dtype=dtype)
    moved = jax.device_put(jax.device_put(value, first) * 2, second)
    np.testing.assert_array_equal(np.asarray(moved.real), value.real * 2)


def test_donation(dtype, device):
    value = numbers((1000,), dtype=dtype)
    array = jax.device_put(value, device)
    result = jax.jit(lambda x: x + 1j, donate_argnums=0)(array)
    assert array.is_deleted()
    np.testing.assert_array_equal(np.asarray(result), value + dtype(1j))


def test_memory_counts_all_planes(dtype, device):
    before = device.memory_stats()["bytes_in_use"]
    array = jax.device_put(numbers((1024, 128), dtype=dtype), device)
    array.block_until_ready()
    assert device.memory_stats()["bytes_in_use"] - before == np.dtype(dtype).itemsize // 4 * 1024 * 512


@pytest.mark.parametrize("call", [jax.pure_callback, io_callback], ids=["pure", "io"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (127, 3)], ids=str)
def test_callbacks(dtype, call, shape):
    value = numbers(shape, dtype=dtype)
    result = jax.jit(lambda x: call(lambda x: np.asarray(x) * 2, jax.ShapeDtypeStruct(shape, dtype), x + x) * 2)(value)
    np.testing.assert_array_equal(np.asarray(result), value * 8)


def test_random_numbers(dtype, tolerance, device, on_cpu):
    def draw():
        return jax.random.normal(jax.random.key(3), (40,), dtype)

    np.testing.assert_allclose(
        np.asarray(jax.jit(draw)()), on_cpu(jax.jit(draw)), rtol=tolerance / 3, atol=tolerance / 30
    )


FUNCTIONS = """abs angle arccos arccosh arcsin arcsinh arctan arctanh conj cos cosh cumprod cumsum diff exp exp2 expm1 fft.fft
    fft.ifft fft.rfft:re fft.irfft fft.fftshift flip imag isfinite iscomplex log log10 log1p log2 max mean min negative
    nan_to_num prod real reciprocal round sign sin sinh sort sqrt square std sum tan tanh trace:2 var vander
    tril:2 linalg.norm median:re ptp:re""".split()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(dtype, tolerance, on_cpu, name):
    name, _, kind = name.partition(":")
    function = jnp
    for part in name.split("."):
        function = getattr(function, part)
    value = numbers((6, 6) if kind == "2" else (36,), dtype=dtype)
    value = value.real if kind == "re" else value
    result, wanted = function(value), on_cpu(function, value)
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "name",
    "add subtract multiply divide power equal not_equal maximum minimum dot vdot inner outer kron convolve matmul hypot:re "
    "logaddexp true_divide tensordot isclose allclose where:3".split(),
)
def test_functions_of_two(dtype, tolerance, on_cpu, name):
    name, _, kind = name.partition(":")
    function = getattr(jnp, name)
    size = (6, 6) if name in ("dot", "matmul", "tensordot") else (12,)
    args = (numbers(size, dtype=dtype), numbers(size, 1, dtype=dtype))
    if kind == "3":
        args = (args[0].real > 0, *args)
    if kind == "re":
        args = tuple(arg.real for arg in args)
    result, wanted = function(*args), on_cpu(function, *args)
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=tolerance)


def test_gradients(dtype, tolerance, on_cpu):
    def loss(z, w):
        return jnp.sum(jnp.abs(jnp.fft.ifft(jnp.fft.fft(z) * w)) ** 2) + jnp.sum(jnp.exp(z).real)

    args = numbers((5, 16), dtype=dtype), numbers((16,), 1, dtype=dtype)
    step = jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))
    for result, wanted in zip(jax.tree.leaves(step(*args)), jax.tree.leaves(on_cpu(step, *args)), strict=True):
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=30 * tolerance)


def test_a_program(dtype, on_cpu):
    """Newton's method for cube roots of one, by vmap, while and select."""

    def root(z):
        def step(state):
            z, count = state
            return z - (z**3 - 1) / (3 * z**2), count + 1

        return jax.lax.while_loop(lambda s: (jnp.abs(s[0] ** 3 - 1) > 1e-4) & (s[1] < 50), step, (z, 0))

    function = jax.jit(jax.vmap(root))
    z, counts = function(numbers((64,), dtype=dtype))
    wanted, _ = on_cpu(function, numbers((64,), dtype=dtype))
    np.testing.assert_allclose(np.asarray(z) ** 3, 1, rtol=1e-3)
    np.testing.assert_allclose(np.asarray(z), wanted, rtol=1e-3, atol=1e-3)
    assert np.asarray(counts).max() < 50
