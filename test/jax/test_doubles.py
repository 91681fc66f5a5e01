"""f64 in JAX: buffers, donation, callbacks, functions, gradients, linear algebra.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


def numbers(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (129,), (1000,), (3, 130), (300, 2)], ids=str)
def test_buffers(device, shape):
    value = numbers(shape)
    array = jax.device_put(value, device)
    assert array.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(array), value)
    # A result of one program is an argument of another one.
    np.testing.assert_array_equal(np.asarray(-(array + array)), -(value + value))


def test_transposed_arrays_of_the_host(device):
    value = numbers((30, 7)).T
    np.testing.assert_array_equal(np.asarray(jax.device_put(value, device) * 1), value)


def test_donation(device):
    value = numbers((1000,))
    array = jax.device_put(value, device)
    result = jax.jit(lambda x: x + 0.1, donate_argnums=0)(array)
    assert array.is_deleted()
    np.testing.assert_array_equal(np.asarray(result), value + 0.1)


def test_callbacks():
    # Callbacks run in a thread of their own, which has the process's configuration.
    with jax.enable_x64(False):
        before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        value = numbers((127, 3))
        like = jax.ShapeDtypeStruct(value.shape, value.dtype)
        result = jax.jit(lambda x: jax.pure_callback(lambda x: np.asarray(x) * 2, like, x + x) * 2)(value)
        np.testing.assert_array_equal(np.asarray(result), value * 8)
    finally:
        jax.config.update("jax_enable_x64", before)


def test_a_python_scalar_is_an_argument(device):
    np.testing.assert_array_equal(np.asarray(jax.jit(lambda x, y: x * y)(numbers((5,)), 0.1)), numbers((5,)) * 0.1)


FUNCTIONS = {
    "linspace": lambda x, a: jnp.linspace(0, 1, 50),
    "sum": lambda x, a: jnp.sum(x),
    "statistics": lambda x, a: (jnp.mean(x), jnp.std(a, 0), jnp.median(x), jnp.percentile(x, 30.0)),
    "softmax": lambda x, a: jax.nn.softmax(a),
    "hyperbolic": lambda x, a: (jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arccosh(1 + abs(x)), jnp.arctanh(x / 9)),
    "inverse": lambda x, a: (jnp.arcsin(x / 9), jnp.arccos(x / 9), jnp.arctan(x), jnp.log2(abs(x)), jnp.exp2(x)),
    "modulo": lambda x, a: (jnp.mod(x, 0.37), jnp.floor_divide(x, 0.1), jnp.fmod(x, 0.7)),
    "powers": lambda x, a: (jnp.power(abs(x), 2.5), x**3, jnp.hypot(x, x + 1), jnp.logaddexp(x, 2 * x)),
    "uniform": lambda x, a: jax.random.uniform(jax.random.key(3), (100,), jnp.float64),
    "gradient": lambda x, a: jax.grad(lambda x: jnp.sum(jnp.sin(x) * jnp.exp(-x * x)))(x),
    "products": lambda x, a: (a @ a.T, x @ x, jnp.outer(x[:9], x[:7]), jnp.einsum("ij,kj->ik", a, a)),
    "norm": lambda x, a: jnp.linalg.norm(a),
    "cholesky": lambda x, a: jnp.linalg.cholesky(a @ a.T + jnp.eye(9)),
    "triangular": lambda x, a: jax.scipy.linalg.solve_triangular(a + 9 * jnp.eye(9), a[:, :2], lower=True),
    "solve": lambda x, a: (jnp.linalg.solve(a, a[:, :3] + 1), jnp.linalg.inv(a), jnp.linalg.det(a)),
    "qr": lambda x, a: jnp.abs(jnp.linalg.qr(a)[1]),
    "scan": lambda x, a: jax.lax.scan(lambda s, y: (s * 0.5 + y, s), 0.0, x)[1],
    # jaxlib expands it.
    "erf": lambda x, a: jax.scipy.special.erf(x),
    "sort": lambda x, a: (jnp.sort(x), jnp.argsort(x), jnp.argmax(x), jax.lax.top_k(x, 5)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(on_cpu, name):
    args = numbers((100,)), numbers((9, 9), 1)
    results = jax.tree.leaves(jax.jit(FUNCTIONS[name])(*args))
    wanted = jax.tree.leaves(on_cpu(lambda *args: jax.jit(FUNCTIONS[name])(*args), *args))
    for result, want in zip(results, wanted, strict=True):
        assert result.dtype == want.dtype
        np.testing.assert_allclose(np.asarray(result), np.asarray(want), rtol=1e-12, atol=1e-13)
