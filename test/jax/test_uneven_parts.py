"""Intermediate arrays whose dimensions are not divided evenly among the devices of a slice: parts have padding.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Arguments are divided evenly, and slices of 11 of their 16 rows are what is not. JAX allows uneven shardings of
constraints, but not of arguments and results.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


def convolution(images, filters):
    return lax.conv_general_dilated(images, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalized(x):
    return (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1)


X = numbers(16, 8)
W = numbers(8, 12, seed=1)
IMAGES, FILTERS = numbers(16, 5, 6, 4), numbers(3, 3, 4, 8, seed=1)
ROWS = np.array([1, 5, 10, 3, 0, 2, 9, 10])
PLACES = np.random.default_rng(3).integers(0, 16, 16).astype(np.int32)

ONE = {
    "elementwise": lambda x: jnp.exp(x / 8) + 1,
    "division by zero": lambda x: 1 / x,
    "sum": lambda x: jnp.sum(1 / (x + 20), 0),
    "maximum": lambda x: jnp.max(-x - 9, 0),
    "minimum": lambda x: jnp.min(x + 9, 0),
    "product": lambda x: jnp.prod(x / 4, 0),
    "sum of complex numbers": lambda x: jnp.sum((x * 1j + x) ** 2, 0),
    "product of complex numbers": lambda x: jnp.prod(x * 0.1 + 0.5j, 0),
    "sum of integers": lambda x: jnp.sum(x.astype(jnp.int32) // 3, 0),
    "any": lambda x: (x > 5).any(0),
    "all": lambda x: (x > -8).all(0),
    "argmax": lambda x: jnp.argmax(x, 0),
    "mean and variance": lambda x: (x.mean(0), x.var(0)),
    "contraction": lambda x: x.T @ x,
    "contraction with infinities": lambda x: (1 / x).T @ x,
    "attention": lambda x: jax.nn.softmax(x @ x.T / 8) @ x,
    "sort along a whole dimension": lambda x: jnp.sort(x, 1),
    "sort along the divided dimension": lambda x: jnp.sort(x, 0),
    "running sum": lambda x: jnp.cumsum(x, 0),
    "reshape that keeps the dimension": lambda x: x.reshape(11, 2, 4) * 2,
    "reshape that merges the dimension": lambda x: x.reshape(88) * 2,
    "concatenation": lambda x: jnp.concatenate([x, x], 1) * 2,
    "concatenation along the divided dimension": lambda x: jnp.concatenate([x, x[:3]], 0) * 2,
    "reverse": lambda x: x[::-1] + 1,
    "loop": lambda x: lax.scan(lambda c, _: (jnp.sin(c), c.sum()), x / 8, None, length=3),
    "loop with a condition": lambda x: lax.while_loop(lambda c: c.sum() < 1000, lambda c: c + 5, x),
    "branches": lambda x: lax.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, x),
    "gather of rows": lambda x: x[ROWS],
    "gradient of a gather": lambda x: jax.grad(lambda t: jnp.sum(t[ROWS] ** 2))(x),
    "update of rows": lambda x: x.at[ROWS[:7]].set(1),
    "trace": lambda x: jnp.trace(x),
    "random numbers": lambda x: x + jax.random.uniform(jax.random.key(0), x.shape),
}


def check(mesh, on_cpu, function, arrays, specs):
    placed = [jax.device_put(x, NamedSharding(mesh, spec)) for x, spec in zip(arrays, specs)]
    ours, theirs = jax.jit(function)(*placed), on_cpu(jax.jit(function), *arrays)
    for own, expected in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        np.testing.assert_allclose(np.asarray(own), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("spec", [P("x"), P("y", "x"), P(("y", "x"))], ids=str)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(mesh, on_cpu, name, spec):
    check(mesh, on_cpu, lambda x: ONE[name](x[:11]), [X], [spec])


@pytest.mark.parametrize("rows", [7, 9, 13])
def test_products_and_their_gradients(mesh, on_cpu, rows):
    def loss(w, x):
        return jnp.sum(jnp.tanh(x[:rows] @ w / 8))

    check(mesh, on_cpu, jax.value_and_grad(loss), [W, X], [P(None, "y"), P("x")])


@pytest.mark.parametrize("rows", [9, 15])
def test_convolutions_and_their_gradients(mesh, on_cpu, rows):
    def loss(filters, images):
        return jnp.sum(jnp.tanh(normalized(convolution(images[:rows], filters)) / 8))

    check(mesh, on_cpu, jax.value_and_grad(loss), [FILTERS, IMAGES], [P(None, None, None, "y"), P("x")])


def test_scattered_sums_of_rows(mesh, on_cpu):
    def function(places, x):
        return jnp.zeros((16, 8)).at[places[:11]].add(2 * x[:11])

    check(mesh, on_cpu, function, [PLACES, X], [P("x"), P("x")])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 127, 129, 1000])
def test_constraints_of_all_sizes(mesh, on_cpu, size):
    def function(x):
        y = lax.with_sharding_constraint(2 * x, NamedSharding(mesh, P("x")))
        return y.sum(), lax.with_sharding_constraint(y + 1, NamedSharding(mesh, P(None, ("y", "x")))) * y

    check(mesh, on_cpu, function, [numbers(size, size)], [P()])


def test_uneven_intermediates_are_divided(mesh):
    x = jax.ShapeDtypeStruct((16, 8), jnp.float32, sharding=NamedSharding(mesh, P("x")))
    text = jax.jit(lambda x: jnp.exp(x[:11]).sum(0)).lower(x).compile().as_text()
    assert "f32[3,8]{1,0} exponential(" in text
