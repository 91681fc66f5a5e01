"""Cholesky and LU factors, triangular systems, and JAX's functions built on them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Factors and solutions have to be exact for a matrix that differs by a few units in the last place of
the multiplied elements, times the number of operations on an element (Higham, Accuracy and
Stability of Numerical Algorithms, theorems 8.5, 9.3 and 10.3), element by element.
"""

import subprocess

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import ml_dtypes
import numpy as np
import pytest

from bounds import F32
from systole_cli import BIN, load_results, save_args, systole, systole_run
from test_factorizations import ROUNDING, for_tpu, matrix

SIZES = [1, 2, 7, 8, 127, 128, 129, 300]


def check_product(x, y, expected):
    """Checks x y against the expected product, up to roundings of the products."""
    x, y, expected = (np.asarray(each, np.float64) for each in (x, y, expected))
    bound = 4 * (x.shape[-1] + 2) * ROUNDING * (np.abs(x) @ np.abs(y) + np.abs(expected))
    assert (np.abs(x @ y - expected) <= bound).all()


def definite(*shape, condition=1e3):
    """Symmetric, with eigenvalues from 1 to the condition."""
    vectors = np.linalg.qr(matrix(*shape).astype(np.float64))[0]
    x = (vectors * np.geomspace(1, condition, shape[-1])) @ vectors.swapaxes(-2, -1)
    return ((x + x.swapaxes(-2, -1)) / 2).astype(F32)


def triangle(*shape):
    """Of a factor, which is conditioned as triangles are that somebody solves with."""
    return np.linalg.cholesky(definite(*shape).astype(np.float64)).astype(F32)


def cholesky(x, lower, tmp_path, dtype="f32"):
    sizes = "x".join(map(str, x.shape))
    text = f"""
func.func @main(%x: tensor<{sizes}x{dtype}>) -> tensor<{sizes}x{dtype}> {{
  %r = stablehlo.cholesky %x, lower = {str(lower).lower()} : tensor<{sizes}x{dtype}>
  return %r : tensor<{sizes}x{dtype}>
}}
"""
    (factor,) = systole_run(text, [x], tmp_path, precision="default")
    return factor


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_cholesky(n, lower, tmp_path):
    x = definite(n, n)
    # The other triangle is not read.
    other = np.triu(np.ones_like(x), 1) if lower else np.tril(np.ones_like(x), -1)
    factor = cholesky(np.where(other, np.nan, x).astype(F32), lower, tmp_path)
    factor = factor if lower else factor.T
    assert (np.triu(factor, 1) == 0).all() and (np.diag(factor) > 0).all()
    check_product(factor, factor.T, x)


@pytest.mark.parametrize("shape", [(3, 5, 5), (2, 0, 4, 4), (0, 0), (2, 1, 129, 129)], ids=str)
def test_cholesky_of_batches(shape, tmp_path):
    x = definite(*shape) if 0 not in shape else np.zeros(shape, F32)
    factor = cholesky(x, True, tmp_path)
    check_product(factor, factor.swapaxes(-2, -1), x)


def test_indefinite_matrices_of_a_batch_have_nan_factors(tmp_path):
    x = np.stack([definite(140, 140) for _ in range(5)])
    x[1] -= 2 * np.eye(140, dtype=F32)
    x[2] = 0
    x[3, 139, 0] = np.nan
    factor = cholesky(x, True, tmp_path)
    assert np.isnan(factor[1:4]).all()
    for each in (0, 4):
        check_product(factor[each], factor[each].T, x[each])


def test_cholesky_of_narrow_elements(tmp_path):
    x = definite(9, 9, condition=4.0).astype(ml_dtypes.bfloat16)
    factor = np.float64(cholesky(x, True, tmp_path, "bf16"))
    expected = np.linalg.cholesky(np.float64(x))
    np.testing.assert_allclose(factor, expected, rtol=2**-7, atol=2**-8)


def solve(a, b, tmp_path, left=True, lower=True, unit=False, transpose="NO_TRANSPOSE"):
    types = [f"tensor<{'x'.join(map(str, each.shape))}xf32>" for each in (a, b)]
    flags = f"left_side = {left}, lower = {lower}, unit_diagonal = {unit}".lower()
    text = f"""
func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[1]} {{
  %x = "stablehlo.triangular_solve"(%a, %b) <{{{flags}, transpose_a = #stablehlo<transpose {transpose}>}}>
      : ({types[0]}, {types[1]}) -> {types[1]}
  return %x : {types[1]}
}}
"""
    (x,) = systole_run(text, [a, b], tmp_path, precision="default")
    return x


def check_solution(a, b, tmp_path, left=True, lower=True, unit=False, transpose="NO_TRANSPOSE"):
    # Elements outside of the triangle are not read, nor is a diagonal of ones.
    t = np.tril(a, -1) if lower else np.triu(a, 1)
    diagonal = np.eye(a.shape[-1], dtype=F32) * (1 if unit else a)
    is_read = np.tril(np.ones_like(a), -unit) if lower else np.triu(np.ones_like(a), unit)
    x = solve(np.where(is_read, a, np.nan).astype(F32), b, tmp_path, left, lower, unit, transpose)
    t = t + diagonal
    if transpose != "NO_TRANSPOSE":
        t = t.swapaxes(-2, -1)
    check_product(*((t, x) if left else (x, t)), b)


@pytest.mark.parametrize("columns", [1, 5, 130])
@pytest.mark.parametrize("n", SIZES)
def test_triangular_systems(n, columns, tmp_path):
    check_solution(triangle(n, n), matrix(n, columns), tmp_path)


@pytest.mark.parametrize("transpose", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("n", [5, 140])
def test_sides_and_triangles(n, left, lower, unit, transpose, tmp_path):
    a = triangle(n, n) / (8 if unit else 1)
    a = a if lower else a.T.copy()
    b = matrix(n, 3) if left else matrix(3, n)
    check_solution(a, b, tmp_path, left, lower, unit, transpose)


def test_many_right_hand_sides_of_one_panel(tmp_path):
    check_solution(triangle(40, 40), matrix(40, 700), tmp_path)


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 6), (2, 0, 6), (0, 3), (2, 150)], ids=str)
def test_batches_of_systems(shape, tmp_path):
    *outer, n = shape
    a = triangle(*outer, n, n) if 0 not in shape else np.zeros((*outer, n, n), F32)
    check_solution(a, matrix(*outer, n, 2), tmp_path)
    check_solution(a, matrix(*outer, 0, n), tmp_path, left=False)


def test_substitution_in_an_ill_conditioned_panel(tmp_path):
    """A random triangle has a condition of 2^64: the solution is exact for a matrix close to it."""
    check_solution(np.tril(matrix(64, 64)), matrix(64, 4), tmp_path)


def test_systems_whose_inverse_is_beyond_f32(tmp_path):
    a = ((np.eye(200) - 1.05 * np.eye(200, k=-1)) * 2e-38).astype(F32)
    b = (1e-8 * matrix(200, 3)).astype(F32)
    x = solve(a, b, tmp_path)
    expected = np.linalg.solve(np.float64(a), b)
    np.testing.assert_allclose(x, expected, atol=1e-5 * np.abs(expected).max())


def lu(x, tmp_path):
    text = for_tpu(lambda x: jax.lax.linalg.lu(x), x)
    return systole_run(text, [x], tmp_path, precision="default")


def check_lu(packed, pivots, order, x):
    m, n = x.shape
    size = min(m, n)
    assert packed.shape == (m, n) and pivots.shape == (size,) and order.shape == (m,)
    lower = np.tril(packed[:, :size], -1) + np.eye(m, size)
    assert (np.abs(lower) <= 1).all()
    check_product(lower, np.triu(packed[:size]), x[order])
    expected = np.arange(m)
    for j, p in enumerate(pivots):
        assert j <= p < m
        expected[[j, p]] = expected[[p, j]]
    np.testing.assert_array_equal(order, expected)


RECTANGLES = [(1, 5), (5, 1), (3, 8), (8, 3), (130, 129), (300, 140), (100, 300), (200, 260), (513, 257)]


@pytest.mark.parametrize("shape", [*[(n, n) for n in SIZES], *RECTANGLES], ids=str)
def test_lu(shape, tmp_path):
    x = matrix(*shape)
    check_lu(*lu(x, tmp_path), x)


@pytest.mark.parametrize(
    "shape", [(3, 4, 6), (2, 2, 130, 130), (0, 3, 3), (2, 0, 3), (3, 0), (0, 5, 129), (2, 0, 300)], ids=str
)
def test_lu_of_batches(shape, tmp_path):
    x = matrix(*shape)
    packed, pivots, order = lu(x, tmp_path)
    assert packed.shape == shape and pivots.shape == (*shape[:-2], min(shape[-2:]))
    assert order.shape == shape[:-1]
    for index in np.ndindex(*shape[:-2]):
        check_lu(packed[index], pivots[index], order[index], x[index])


def test_pivots_are_the_first_of_the_largest(tmp_path):
    x = np.array([[1, 2, 3], [-4, 5, 6], [4, 8, 9], [4, 1, 1]], F32)
    packed, pivots, order = lu(x, tmp_path)
    check_lu(packed, pivots, order, x)
    assert pivots[0] == 1


def test_lu_of_matrices_without_rank(tmp_path):
    x = np.outer(np.arange(1, 6), np.arange(2, 8)).astype(F32)
    x = np.stack([x, np.zeros_like(x)])
    packed, pivots, order = lu(x, tmp_path)
    for each in range(2):
        check_lu(packed[each], pivots[each], order[each], x[each])


def test_lu_keeps_nan_in_its_matrix(tmp_path):
    x = matrix(3, 5, 5)
    x[1, 2, 2] = np.nan
    packed, pivots, order = lu(x, tmp_path)
    for each in (0, 2):
        check_lu(packed[each], pivots[each], order[each], x[each])
    assert np.isnan(packed[1]).any() and sorted(order[1]) == list(range(5))


def test_lu_of_narrow_elements(tmp_path):
    x = matrix(9, 9).astype(ml_dtypes.bfloat16)
    packed, pivots, order = lu(x, tmp_path)
    lower, upper = np.tril(np.float64(packed), -1) + np.eye(9), np.triu(np.float64(packed))
    assert packed.dtype == x.dtype
    np.testing.assert_allclose(lower @ upper, np.float64(x)[order], atol=2**-6 * np.abs(upper).max())


def close(x, expected, condition):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(x, expected, rtol=0, atol=64 * ROUNDING * condition * scale)


@pytest.mark.parametrize("n", [3, 150])
def test_solvers_of_jax(n, tmp_path):
    x = matrix(n, n) + np.diag(np.full(n, np.sqrt(n), F32))
    b, d = matrix(n, 4), definite(n, n, condition=10.0)

    def function(x, b, d):
        cho = jsl.cho_solve(jsl.cho_factor(d, lower=True), b)
        sign, logarithm = jnp.linalg.slogdet(x)
        return jnp.linalg.solve(x, b), jnp.linalg.inv(x), cho, sign, logarithm, jnp.linalg.det(d / 3)

    # Products that JAX itself asks for are in full precision, too.
    results = systole_run(for_tpu(function, x, b, d), [x, b, d], tmp_path, precision="highest")
    x, b, d = map(np.float64, (x, b, d))
    sign, logarithm = np.linalg.slogdet(x)
    condition = np.linalg.cond(x)
    close(results[0], np.linalg.solve(x, b), condition)
    close(results[1], np.linalg.inv(x), condition)
    close(results[2], np.linalg.solve(d, b), 10)
    assert results[3] == sign
    np.testing.assert_allclose(results[4], logarithm, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(results[5], np.linalg.det(d / 3), rtol=1e-3)


def test_gradients_of_factors(tmp_path):
    x, b = definite(20, 20, condition=10.0), matrix(20)

    def loss(x, b):
        factor = jnp.linalg.cholesky(x)
        return jnp.sum(jnp.log(jnp.diag(factor))) + b @ jnp.linalg.solve(x, b)

    text = for_tpu(jax.grad(loss, (0, 1)), x, b)
    of_x, of_b = systole_run(text, [x, b], tmp_path, precision="highest")
    inverse = np.linalg.inv(np.float64(x))
    half = inverse @ b
    np.testing.assert_allclose(of_b, 2 * half, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(of_x, inverse / 2 - np.outer(half, half), rtol=1e-4, atol=1e-4)


def test_draws_of_a_normal_with_covariance(tmp_path):
    covariance = definite(6, 6, condition=5.0)

    def draw(seed, covariance):
        return jax.random.multivariate_normal(jax.random.key(seed), jnp.ones(6), covariance, (9,))

    arguments = [np.int32(5), covariance]
    (drawn,) = systole_run(for_tpu(draw, *arguments), arguments, tmp_path, precision="highest")
    np.testing.assert_allclose(drawn, draw(*arguments), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("version", ["1.0.0", "1.17.0"])
def test_artifacts_say_the_same(version, tmp_path):
    a, b = triangle(9, 9).T.copy(), matrix(2, 9)
    sizes = "tensor<9x9xf32>, tensor<2x9xf32>"
    text = f"""
func.func @main(%a: tensor<9x9xf32>, %b: tensor<2x9xf32>) -> ({sizes}) {{
  %l = stablehlo.cholesky %a, lower = true : tensor<9x9xf32>
  %x = "stablehlo.triangular_solve"(%a, %b) <{{left_side = false, lower = false, unit_diagonal = true,
      transpose_a = #stablehlo<transpose ADJOINT>}}> : ({sizes}) -> tensor<2x9xf32>
  return %l, %x : {sizes}
}}
"""
    source, artifact = tmp_path / "p.mlir", tmp_path / "p.mlirbc"
    source.write_text(text)
    subprocess.run([BIN / "systole-opt", f"--emit-portable-artifact={version}", source, "-o", artifact], check=True)
    save_args(tmp_path / "args.npz", [a, b])
    results = []
    for number, program in enumerate((source, artifact)):
        out = tmp_path / f"out{number}.npz"
        run = systole("run", program, "--args", tmp_path / "args.npz", "--out", out)
        assert run.returncode == 0, run.stderr
        results.append(load_results(out))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
