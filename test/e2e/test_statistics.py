"""Statistics of rows that the same kernel broadcasts along them: softmax, norms, rows of few and of many
elements.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from systole_cli import systole_run
from test_elementwise import generator

SHAPES = [(9, 127), (1000, 7), (33, 3, 300), (5, 129), (2, 17, 64), (16, 1024), (37, 2305)]


def softmax(x):
    return jax.nn.softmax(x)


def layer_norm(x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-6)


def ranges(x):
    low, high = x.min(-1, keepdims=True), x.max(-1, keepdims=True)
    return (x - low) / (high - low)


def share_of_largest(x):
    return jnp.where(jnp.arange(x.shape[-1]) == x.argmax(-1)[..., None], 0, x) / jnp.abs(x).sum(-1, keepdims=True)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("function", [softmax, layer_norm, ranges, share_of_largest])
def test_statistics_of_rows(function, shape, tmp_path):
    x = generator(f"statistics {shape}").standard_normal(shape).astype(np.float32)
    text = jax.jit(function).lower(x).as_text()
    (result,) = systole_run(text, [x], tmp_path)
    expected = np.asarray(jax.jit(function)(x.astype(np.float32)))
    # Sums of up to 2,305 terms in another order, and transcendentals of 2 units.
    np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-6)


def test_extremes_of_integers(tmp_path):
    def function(x):
        return x - x.max(-1, keepdims=True) + x.min(-1, keepdims=True)

    x = generator("integers").integers(-1000, 1000, (50, 130)).astype(np.int32)
    (result,) = systole_run(jax.jit(function).lower(x).as_text(), [x], tmp_path)
    np.testing.assert_array_equal(result, function(x))


def test_non_finite_rows_stay_apart(tmp_path):
    x = generator("non-finite").standard_normal((24, 130)).astype(np.float32)
    x[3, 7], x[11, 129], x[20] = np.nan, np.inf, -np.inf
    (result,) = systole_run(jax.jit(softmax).lower(x).as_text(), [x], tmp_path)
    np.testing.assert_allclose(result, np.asarray(softmax(x)), rtol=1e-5, atol=1e-7)
