"""f32 programs under jax_enable_x64, whose scalars and random bits are f64.

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


X = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)


def key():
    return jax.random.key(7)


EQUAL = {
    "clip": lambda x: jnp.clip(x, -0.1, 0.3),
    "where": lambda x: jnp.where(x > 0.1, x, 0.1),
    "median": jnp.median,
    "quantile": lambda x: jnp.quantile(x, np.float32(0.3)),
    "isclose": lambda x: jnp.isclose(x, x.T.reshape(x.shape), 0.3),
    "dropout": lambda x: jnp.where(jax.random.bernoulli(key(), 0.7, x.shape), x, 0),
    "categorical": lambda x: jax.random.categorical(key(), x),
    "bernoulli_of_f32": lambda x: jax.random.bernoulli(key(), np.float32(0.3), (400,)),
    "bernoulli_of_f64": lambda x: jax.random.bernoulli(key(), 0.3, (400,)),
    "negative_bounds": lambda x: jax.random.uniform(key(), (400,), minval=-1.3, maxval=0.7) > -0.3,
    "decreasing": lambda x: -3 * jax.random.uniform(key(), (400,), minval=-1.3) >= 0.3,
    "above_a_tenth": lambda x: x.astype(jnp.float64) * 1.7 - 0.3 < 0.1,
    "constant_first": lambda x: 0.1 >= 0.3 - x.astype(jnp.float64) / 0.7,
    "clamped": lambda x: jnp.clip(x.astype(jnp.float64), -0.1, 0.2).astype(jnp.float32),
}
NEAR = {
    "std": jnp.std,
    "var": lambda x: jnp.var(x, 0, ddof=1),
    "layer_norm": lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5),
    "linspace": lambda x: jnp.linspace(0.1, 1.3, 7, dtype=jnp.float32),
    "uniform": lambda x: jax.random.uniform(key(), (50,), jnp.float32, 0.1, 0.7),
    "gumbel": lambda x: jax.random.gumbel(key(), (50,), jnp.float32),
    "truncated_normal": lambda x: jax.random.truncated_normal(key(), -2.0, 2.0, (40,), jnp.float32),
    "glorot": lambda x: jax.nn.initializers.glorot_uniform()(key(), (4, 5), jnp.float32),
    "elu": lambda x: jax.nn.elu(x, 0.3),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(device, on_cpu, name):
    function = jax.jit(EQUAL[name])
    result = np.asarray(function(X))
    expected = on_cpu(function, X)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", NEAR)
def test_near(device, on_cpu, name):
    function = jax.jit(NEAR[name])
    result = np.asarray(function(X))
    expected = on_cpu(function, X)
    assert result.dtype == expected.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_integers(device, dtype):
    """Against NumPy, which computes in f64, too."""
    function = jax.jit(lambda n: n.astype(jnp.float64) * 0.1 <= 0.3)
    numbers = np.array([0, 1, 2, 3, 4, 100, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    np.testing.assert_array_equal(np.asarray(function(numbers)), numbers * np.float64(0.1) <= 0.3)


@pytest.mark.parametrize("limit", [-np.inf, -1.5, -0.0, 0.0, 5e-324, 2.5, np.inf])
@pytest.mark.parametrize("relation", ["less", "less_equal", "greater", "greater_equal"])
def test_bits(device, relation, limit):
    """Against NumPy: the CPU takes numbers as small as 5e-324 for zero."""
    numbers = np.array([0, 5e-324, 1, 2.4999, 2.5, 3, np.inf, np.nan])
    numbers = np.concatenate([numbers, -numbers, [-1.5, -1.4]])

    @jax.jit
    def function(bits):
        return getattr(jnp, relation)(lax.bitcast_convert_type(bits, jnp.float64), limit)

    result = np.asarray(function(numbers.view(np.uint64)))
    np.testing.assert_array_equal(result, getattr(np, relation)(numbers, limit))


def test_weak_argument(device, on_cpu):
    function = jax.jit(lambda x, scale: jnp.where(x > scale, x, scale) * scale)
    np.testing.assert_array_equal(np.asarray(function(X, 0.1)), on_cpu(function, X, 0.1))


def test_arithmetic_in_between(device):
    result = jax.jit(lambda x: (x.astype(jnp.float64) * 0.1 + 1e-9).astype(jnp.float32))(X)
    np.testing.assert_array_equal(np.asarray(result), (X.astype(np.float64) * 0.1 + 1e-9).astype(np.float32))
