"""QR factorizations in the form that JAX requests of a TPU's compiler, and properties of the
factors.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Factors have errors that are small beside the matrix, whatever its condition (Higham, Accuracy and
Stability of Numerical Algorithms, theorem 19.4): Q R is the matrix and Q' Q the identity within a
few units in the last place times the number of operations on an element.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from bounds import F32
from systole_cli import systole_run
from test_elementwise import generator

ROUNDING = 2.0**-24
TARGETS = ("Qr", "ProductOfElementaryHouseholderReflectors", "LuDecomposition")


def for_tpu(function, *args):
    """JAX asks LAPACK on the CPU, but the compiler on a TPU."""
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in TARGETS]
    exported = export.export(jax.jit(function), platforms=["tpu"], disabled_checks=checks)
    return exported(*args).mlir_module()


def matrix(*shape):
    return generator("qr", shape).standard_normal(shape).astype(F32)


def check_factors(q, r, x):
    q, r, x = (np.asarray(each, np.float64) for each in (q, r, x))
    m, n = x.shape[-2:]
    bound = 4 * ROUNDING * max(m, 1) * np.sqrt(max(n, 1))
    size = np.linalg.norm(x, axis=(-2, -1))
    assert (np.linalg.norm(q @ r - x, axis=(-2, -1)) <= bound * size).all()
    excess = np.linalg.norm(q.swapaxes(-2, -1) @ q - np.eye(q.shape[-1]), axis=(-2, -1))
    assert (excess <= bound).all()
    assert (np.tril(r, -1) == 0).all()


SHAPES = [
    *[(1, 1), (2, 2), (7, 7), (8, 3), (3, 8), (1, 5), (5, 1), (130, 129), (9, 200), (300, 17)],
    *[(2, 5, 3), (3, 1, 8, 8), (2, 0, 4, 3), (0, 3), (3, 0)],
]


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_factors(shape, mode, tmp_path):
    x = matrix(*shape)
    text = for_tpu(lambda x: jnp.linalg.qr(x, mode=mode), x)
    q, r = systole_run(text, [x], tmp_path, precision="default")
    columns = shape[-2] if mode == "complete" else min(shape[-2:])
    assert q.shape == (*shape[:-1], columns) and r.shape == (*shape[:-2], columns, shape[-1])
    check_factors(q, r, x)
    # The signs are LAPACK's.
    expected = np.linalg.qr(np.float64(x), mode=mode)
    for ours, theirs in zip((q, r), expected):
        if mode == "reduced" and x.size:
            np.testing.assert_allclose(ours, theirs, atol=2e-5 * max(1, np.abs(x).max() * len(x)))


SPECIAL = {
    "zeros": np.zeros((5, 4)),
    "triangular": np.triu(np.arange(1.0, 26).reshape(5, 5)),
    "negative_diagonal": -np.eye(4),
    "one_direction": np.outer(np.arange(1.0, 7), [1, -2, 3]),
    "huge": np.array([[3e38, 1e38], [2e38, -3e38], [-1e38, 1e38]]) / 2,
    "tiny": np.array([[3e-30, 1e-25], [2e-33, -3e-30], [-1e-30, 1e-36]]),
    "mixed": np.array([[1e-20, 1e20], [1.0, 1e-10], [1e10, 1.0]]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_matrices(name, tmp_path):
    x = SPECIAL[name].astype(F32)
    q, r = systole_run(for_tpu(jnp.linalg.qr, x), [x], tmp_path, precision="default")
    check_factors(q, r, x)


@pytest.mark.parametrize("shape", [(3, 0), (0, 0), (2, 3, 0), (0, 3)], ids=str)
def test_packed_factors_of_nothing(shape, tmp_path):
    text = for_tpu(lambda x: jnp.linalg.qr(x, mode="raw"), np.zeros(shape, F32))
    packed, taus = systole_run(text, [np.zeros(shape, F32)], tmp_path)
    assert packed.shape == (*shape[:-2], shape[-1], shape[-2])
    assert taus.shape == (*shape[:-2], min(shape[-2:]))


def test_no_reflectors_are_the_identity(tmp_path):
    text = """
func.func @main(%x: tensor<3x2xf32>, %t: tensor<0xf32>) -> tensor<3x2xf32> {
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%x, %t)
      : (tensor<3x2xf32>, tensor<0xf32>) -> tensor<3x2xf32>
  return %q : tensor<3x2xf32>
}
"""
    (q,) = systole_run(text, [matrix(3, 2), np.zeros(0, F32)], tmp_path)
    np.testing.assert_array_equal(q, np.eye(3, 2))


def test_columns_before_a_non_finite_one_are_finite(tmp_path):
    """So are rows above its reflector: LAPACK leaves both alone, too."""
    x = matrix(4, 4)
    x[1, 2] = np.nan
    text = for_tpu(lambda x: jnp.linalg.qr(x, mode="raw"), x)
    packed, _ = systole_run(text, [x], tmp_path, precision="default")
    with np.errstate(invalid="ignore"):
        expected = np.linalg.qr(np.float64(x), mode="raw")[0]
    np.testing.assert_allclose(packed, expected, rtol=1e-4, atol=1e-6)
    assert np.isfinite(packed[:2]).all() and np.isnan(packed[2:]).any()
    (q,) = systole_run(for_tpu(lambda x: jnp.linalg.qr(x)[0], x), [x], tmp_path)
    np.testing.assert_allclose(q[:, :2], np.linalg.qr(np.float64(x[:, :2]))[0], rtol=1e-4, atol=1e-6)


def test_signs_do_not_depend_on_overflow_of_squares(tmp_path):
    x = np.array([[0.125, 0.25], [1e-25, 0.5]], F32)
    _, r = systole_run(for_tpu(jnp.linalg.qr, x), [x], tmp_path, precision="default")
    np.testing.assert_allclose(r, np.linalg.qr(np.float64(x))[1], rtol=1e-5, atol=1e-7)


def test_non_finite_values_stay_in_their_matrix(tmp_path):
    x = matrix(3, 4, 4)
    x[1, 2, 2] = np.nan
    q, r = systole_run(for_tpu(jnp.linalg.qr, x), [x], tmp_path, precision="default")
    check_factors(q[[0, 2]], r[[0, 2]], x[[0, 2]])
    assert np.isnan(r[1]).any() and np.isnan(q[1]).any()


PACKED = """
func.func @main(%x: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>) {
  %f:2 = stablehlo.custom_call @Qr(%x) : (tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4xf32>)
  %t = stablehlo.slice %f#1 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%f#0, %t)
      : (tensor<6x4xf32>, tensor<2xf32>) -> tensor<6x4xf32>
  return %f#0, %f#1, %q : tensor<6x4xf32>, tensor<4xf32>, tensor<6x4xf32>
}
"""


def test_packed_factors_and_the_product_of_the_first_reflectors(tmp_path):
    x = matrix(6, 4)
    packed, taus, product = systole_run(PACKED, [x], tmp_path, precision="default")
    expected, scalars = np.linalg.qr(np.float64(x), mode="raw")
    np.testing.assert_allclose(packed, expected.T, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(taus, scalars, rtol=1e-4)
    reflectors = []
    for j in range(2):
        v = np.where(np.arange(6) > j, expected.T[:, j], np.arange(6) == j)
        reflectors.append(np.eye(6) - scalars[j] * np.outer(v, v))
    np.testing.assert_allclose(product, (reflectors[0] @ reflectors[1])[:, :4], rtol=1e-4, atol=1e-6)


def test_orthogonal_initializer(tmp_path):
    """The initializer of recurrent weights of LSTM cells in Flax and Keras."""

    def draw(seed):
        return jax.nn.initializers.orthogonal()(jax.random.key(seed), (40, 24))

    (drawn,) = systole_run(for_tpu(draw, np.int32(3)), [np.int32(3)], tmp_path, precision="default")
    np.testing.assert_allclose(drawn, draw(3), atol=1e-5)
    np.testing.assert_allclose(drawn.T @ drawn, np.eye(24), atol=1e-5)
