"""Eigenvalues, singular values and factorizations of complex matrices, in the form that JAX requests of a
TPU's compiler, against NumPy and properties of the factors.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Jacobi's method has errors of some units in the last place of the matrix's norm for each sweep (Demmel and
Veselic, Jacobi's method is more accurate than QR), of which there are fewer than ten.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from bounds import F32
from systole_cli import systole, systole_run
from test_elementwise import generator

ROUNDING = {np.dtype(name): 2.0**-bits for name, bits in (("f4", 24), ("c8", 24), ("f8", 53))}
TARGETS = ("Eigh", "Qr", "ProductOfElementaryHouseholderReflectors", "LuDecomposition")


def run(function, args, folder):
    """The results of a function as JAX writes it for a TPU."""
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in TARGETS]
    with jax.enable_x64(any(np.asarray(x).dtype.itemsize == 8 and np.isrealobj(x) for x in args)):
        exported = export.export(jax.jit(function), platforms=["tpu"], disabled_checks=checks)
        text = exported(*args).mlir_module()
    return systole_run(text, list(args), folder, precision="default")


def matrix(shape, dtype):
    draw = generator("eigh", shape).standard_normal
    x = draw(shape) + 1j * draw(shape) if np.dtype(dtype).kind == "c" else draw(shape)
    return x.astype(dtype)


def hermitian(shape, dtype):
    x = matrix((*shape, shape[-1]), dtype)
    return (x + x.conj().swapaxes(-2, -1)) / 2


def adjoint(x):
    return x.conj().swapaxes(-2, -1)


def wide(x):
    return np.asarray(x, np.complex128 if np.iscomplexobj(x) else np.float64)


def check_eigenpairs(vectors, values, x):
    dtype, n = x.dtype, x.shape[-1]
    vectors, values, x = wide(vectors), wide(values), wide(x)
    size = np.linalg.norm(x, axis=(-2, -1)).max(initial=0)
    bound = 16 * ROUNDING[dtype] * np.sqrt(max(n, 1))
    expected = np.linalg.eigvalsh(x)
    assert np.abs(values - expected).max(initial=0) <= bound * size
    residual = x @ vectors - vectors * values[..., None, :]
    assert np.abs(residual).max(initial=0) <= bound * size
    assert np.abs(adjoint(vectors) @ vectors - np.eye(n)).max(initial=0) <= 4 * bound


def eigh(x, lower=True, sort_eigenvalues=True):
    return jax.lax.linalg.eigh(x, lower=lower, symmetrize_input=False, sort_eigenvalues=sort_eigenvalues)


SHAPES = [(1,), (2,), (3,), (7,), (8,), (2, 5), (3, 1, 4), (2, 0, 3), (33,), (129,)]


@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_eigenpairs(shape, dtype, tmp_path):
    x = hermitian(shape, dtype)
    vectors, values = run(eigh, [x], tmp_path)
    check_eigenpairs(vectors, values, x)


def test_eigenpairs_of_doubles(tmp_path):
    x = hermitian((5,), "f8")
    vectors, values = run(eigh, [x], tmp_path)
    check_eigenpairs(vectors, values, x)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("lower", [True, False])
def test_other_triangle_is_not_read(lower, dtype, tmp_path):
    x = hermitian((5,), dtype)
    stored = np.tril(x) if lower else np.triu(x)
    unread = np.triu(np.full_like(x, np.nan), 1)
    vectors, values = run(
        lambda x: eigh(x, lower), [stored + np.nan_to_num(unread.T if not lower else unread, nan=7)], tmp_path
    )
    check_eigenpairs(vectors, values, x)


def test_eigenvalues_need_not_be_sorted(tmp_path):
    x = hermitian((6,), "f4")
    vectors, values = run(lambda x: eigh(x, sort_eigenvalues=False), [x], tmp_path)
    order = np.argsort(values)
    check_eigenpairs(vectors[:, order], values[order], x)


SPECIAL = {
    "zeros": np.zeros((4, 4)),
    "identity": np.eye(5),
    "diagonal": np.diag([3.0, -1, 2, 0]),
    "ones": np.ones((6, 6)),
    "exchanged": np.eye(6)[::-1],
    "huge": np.array([[3e38, 1e38], [1e38, -3e38]]) / 2,
    "tiny": np.array([[3e-30, 1e-31], [1e-31, 2e-33]]),
    "graded": np.array([[1.0, 1e-10, 1e-20], [1e-10, 1e-15, 1e-25], [1e-20, 1e-25, 1e-30]]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_matrices(name, tmp_path):
    x = SPECIAL[name].astype(F32)
    vectors, values = run(eigh, [x], tmp_path)
    check_eigenpairs(vectors, values, x)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_values_stay_in_their_matrix(bad, tmp_path):
    x = hermitian((3, 4), "f4")
    x[1, 2, 1] = bad
    vectors, values = run(eigh, [x], tmp_path)
    check_eigenpairs(vectors[[0, 2]], values[[0, 2]], x[[0, 2]])
    assert np.isnan(values[1]).all() and np.isnan(vectors[1]).all()


@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (2, 6, 4)], ids=str)
def test_singular_values(shape, dtype, tmp_path):
    x = matrix(shape, dtype)
    u, values, adjoined = run(lambda x: jnp.linalg.svd(x, full_matrices=False), [x], tmp_path)
    bound = 32 * ROUNDING[x.dtype] * np.linalg.norm(wide(x), axis=(-2, -1)).max()
    assert np.abs(values - np.linalg.svd(wide(x), compute_uv=False)).max() <= bound
    assert np.abs((wide(u) * values[..., None, :]) @ wide(adjoined) - x).max() <= bound
    for factor in (wide(u), adjoint(wide(adjoined))):
        assert np.abs(adjoint(factor) @ factor - np.eye(values.shape[-1])).max() <= 64 * ROUNDING[x.dtype]


def check_singular_values(factors, x):
    """Within the backward error of stable algorithms, n units in the last place of the norm."""
    u, values, adjoined = (wide(factor) for factor in factors)
    x, n = wide(x), x.shape[-1]
    bound = n * 2 * ROUNDING[np.dtype("f4")]
    assert np.linalg.norm((u * values) @ adjoined - x, 2) <= bound * np.linalg.norm(x, 2)
    assert np.abs(values - np.linalg.svd(x, compute_uv=False)).max() <= bound * np.linalg.norm(x, 2)
    for factor in (u, adjoint(adjoined)):
        assert np.linalg.norm(adjoint(factor) @ factor - np.eye(n), 2) <= bound


@pytest.mark.parametrize("n", [96, 130])
def test_singular_values_of_panels(n, tmp_path):
    """Polar factors by QR and Cholesky factors of one panel and of two."""
    x = matrix((n, n), "f4")
    check_singular_values(run(jnp.linalg.svd, [x], tmp_path), x)


@pytest.mark.parametrize("target", ["v2", "v5e"])
def test_pseudoinverse_of_1024_rows_compiles(target, tmp_path):
    """Beside the calls of some 900 kernels there is room for each of them in the instruction memory."""
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in TARGETS]
    shape = jax.ShapeDtypeStruct((1024, 1024), F32)
    exported = export.export(jax.jit(jnp.linalg.pinv), platforms=["tpu"], disabled_checks=checks)
    program = tmp_path / "pinv.mlir"
    program.write_text(exported(shape).mlir_module())
    done = systole("compile", program, "-o", tmp_path / "pinv.sysx", "--target", target)
    assert done.returncode == 0, done.stderr


def test_least_squares(tmp_path):
    a, b = matrix((9, 4), "f4"), matrix((9,), "f4")
    (x,) = run(lambda a, b: jnp.linalg.lstsq(a, b)[0], [a, b], tmp_path)
    np.testing.assert_allclose(x, np.linalg.lstsq(wide(a), wide(b))[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 3), (3, 5), (2, 7, 4), (130, 129)], ids=str)
def test_orthogonal_factors_of_complex_matrices(shape, tmp_path):
    x = matrix(shape, "c8")
    q, r = (wide(part) for part in run(jnp.linalg.qr, [x], tmp_path))
    bound = 8 * ROUNDING[x.dtype] * max(shape[-2:]) * np.sqrt(max(shape[-2:]))
    assert np.linalg.norm(q @ r - x) <= bound * np.linalg.norm(x)
    assert np.linalg.norm(adjoint(q) @ q - np.eye(q.shape[-1]), axis=(-2, -1)).max() <= bound
    assert (np.tril(r, -1) == 0).all()
    # The signs are LAPACK's: the diagonal is real.
    assert (np.diagonal(r, axis1=-2, axis2=-1)[..., : min(shape[-2:]) - 1].imag == 0).all()


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 3), (3, 5), (2, 7, 4), (150, 140)], ids=str)
def test_triangular_factors_of_complex_matrices(shape, tmp_path):
    x = matrix(shape, "c8")
    packed, _, order = run(jax.lax.linalg.lu, [x], tmp_path)
    count = min(shape[-2:])
    lower = np.tril(wide(packed)[..., :count], -1) + np.eye(shape[-2], count)
    upper = np.triu(wide(packed)[..., :count, :])
    permuted = np.take_along_axis(wide(x), np.int64(order)[..., None], -2)
    bound = 4 * ROUNDING[x.dtype] * max(shape[-2:]) * np.sqrt(max(shape[-2:]))
    assert np.linalg.norm(lower @ upper - permuted) <= bound * np.linalg.norm(x)
    assert np.abs(lower).max() <= np.sqrt(2)


def test_a_complex_system(tmp_path):
    a, b = matrix((6, 6), "c8"), matrix((6, 2), "c8")
    (x,) = run(jnp.linalg.solve, [a, b], tmp_path)
    np.testing.assert_allclose(x, np.linalg.solve(wide(a), wide(b)), rtol=1e-4, atol=1e-5)
