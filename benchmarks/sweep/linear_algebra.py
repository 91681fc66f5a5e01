"""How the public functions of jnp.linalg, jnp.fft, jax.lax.linalg and jax.scipy.linalg are called.

Matrices are conditioned well where the result of a function depends on that. Factorizations are unique up to signs
or phases of vectors at most, so they return the product of their factors, and the factors' values that are unique.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import jax.scipy.linalg
from jax import lax

from sweep.arguments import call, index, plain, unit

scipy = jax.scipy.linalg
SQUARE, TALL, WIDE = plain(4, 4), plain(5, 3), plain(3, 7)


def of_one_type(function):
    """A call without arrays whose type does not depend on the sweep's."""
    return call(function, [], dtypes=("f32", "f64"))


def adjoint(x):
    return jnp.conj(x.mT)


def symmetric(x):
    return x + adjoint(x)


def regular(x):
    """`x` with a large diagonal."""
    return x + 9 * jnp.eye(x.shape[-1], dtype=x.dtype)


def definite(x):
    return regular(x @ adjoint(x))


def of(condition, function, *cases):
    """`function` of a conditioned matrix, and of other arrays."""
    return call(lambda x, *others: function(condition(x), *others), *cases)


def eigen(values, vectors):
    """Eigenvalues and the matrix."""
    return values, (vectors * values[..., None, :].astype(vectors.dtype)) @ adjoint(vectors)


def singular(u, values, v):
    """Singular values and the matrix."""
    return values, (u * values[..., None, :].astype(u.dtype)) @ v


def of_pivots(lu):
    """The product of the factors that `lu` has in one matrix. LAPACK measures pivots of complex numbers by the sum of
    their parts, XLA by their magnitude: rows are in another order, so these are sorted by magnitude."""
    size = min(lu.shape)
    lower = jnp.tril(lu, -1)[:, :size] + jnp.eye(lu.shape[0], size, dtype=lu.dtype)
    return jnp.sort(jnp.abs(lower @ jnp.triu(lu)[:size]), axis=0)


def product(factors):
    """The product of the factors of a matrix, the first of which is unitary, and the size of the second."""
    q, r = factors[:2]
    return q @ r, jnp.abs(r)


FFT = {
    **{name: call(getattr(jnp.fft, name), plain(7), plain(129), plain(3, 8), plain(2, 1))
       for name in ("fft", "ifft", "rfft", "ihfft")},
    # Not of one element, from which none would come.
    **{name: call(getattr(jnp.fft, name), plain(7), plain(65), plain(3, 8), plain(2, 2))
       for name in ("irfft", "hfft")},
    **{name: call(getattr(jnp.fft, name), plain(3, 5), plain(2, 8, 7))
       for name in ("fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn")},
    "fftfreq": of_one_type(lambda: jnp.fft.fftfreq(7)), "rfftfreq": of_one_type(lambda: jnp.fft.rfftfreq(7)),
}  # fmt: skip

LINALG = {
    "cholesky": of(definite, jnp.linalg.cholesky, SQUARE, plain(2, 7, 7)),
    "cond": of(regular, jnp.linalg.cond, SQUARE),
    "cross": call(jnp.linalg.cross, [plain(5, 3), plain(5, 3)]),
    "det": of(regular, jnp.linalg.det, plain(2, 2), plain(2, 3, 3), plain(7, 7)),
    "eig": of(regular, jnp.linalg.eig, SQUARE), "eigvals": of(regular, jnp.linalg.eigvals, SQUARE),
    "eigh": of(symmetric, lambda x: eigen(*jnp.linalg.eigh(x)), SQUARE, plain(2, 3, 3)),
    # No eigenvalue is zero, which rounding alone would move.
    "eigvalsh": of(lambda x: symmetric(regular(x)), jnp.linalg.eigvalsh, SQUARE),
    "inv": of(regular, jnp.linalg.inv, SQUARE, plain(2, 7, 7)),
    "lstsq": call(lambda x, y: jnp.linalg.lstsq(x, y)[0], [TALL, plain(5, 2)]),
    "matmul": call(jnp.linalg.matmul, [plain(3, 5), plain(5, 7)], [plain(2, 3, 129), plain(129, 5)]),
    "matrix_power": call(lambda x: [jnp.linalg.matrix_power(x, n) for n in (0, 3)], SQUARE),
    "matrix_rank": of(regular, jnp.linalg.matrix_rank, SQUARE),
    **{name: call(getattr(jnp.linalg, name), TALL, plain(3, 5)) for name in ("matrix_norm", "norm", "vector_norm")},
    "multi_dot": call(lambda *x: jnp.linalg.multi_dot(x), [plain(3, 5), plain(5, 7), plain(7, 2)]),
    "outer": call(jnp.linalg.outer, [plain(3), plain(129)]),
    "pinv": call(jnp.linalg.pinv, TALL),
    "qr": call(lambda x: product(jnp.linalg.qr(x)), TALL, WIDE, plain(2, 4, 4)),
    "slogdet": of(regular, jnp.linalg.slogdet, SQUARE, plain(2, 3, 3)),
    "solve": of(regular, jnp.linalg.solve, [SQUARE, plain(4)], [plain(2, 7, 7), plain(2, 7, 3)]),
    "svd": call(lambda x: singular(*jnp.linalg.svd(x, full_matrices=False)), TALL, WIDE),
    "svdvals": call(jnp.linalg.svdvals, TALL),
    "tensordot": call(jnp.linalg.tensordot, [plain(2, 3, 5), plain(3, 5, 7)]),
    "tensorinv": call(jnp.linalg.tensorinv, plain(2, 3, 6)),
    "tensorsolve": call(jnp.linalg.tensorsolve, [plain(2, 3, 6), plain(2, 3)]),
    "trace": call(jnp.linalg.trace, plain(4, 5)),
    "vecdot": call(jnp.linalg.vecdot, [plain(3, 5), plain(3, 5)]),
}  # fmt: skip

LAX_LINALG = {
    "cholesky": of(definite, lax.linalg.cholesky, SQUARE),
    "cholesky_update": call(lambda x, w: lax.linalg.cholesky_update(jnp.linalg.cholesky(definite(x)).mT, w),
                            [SQUARE, plain(4)]),
    "eig": of(regular, lax.linalg.eig, SQUARE),
    "eigh": of(symmetric, lambda x: eigen(*lax.linalg.eigh(x)[::-1]), SQUARE),
    "hessenberg": call(lax.linalg.hessenberg, SQUARE),
    "householder_product": call(lax.linalg.householder_product, [TALL, unit(3)]),
    "lu": call(lambda x: of_pivots(lax.linalg.lu(x)[0]), SQUARE, TALL, WIDE),
    "lu_pivots_to_permutation": call(lambda p: lax.linalg.lu_pivots_to_permutation(p, 7), [index(0, 7, 5)],
                                     dtypes=("i32",)),
    "ormqr": call(lax.linalg.ormqr, [TALL, unit(3), plain(5, 2)]),
    "qdwh": of(regular, lambda x: lax.linalg.qdwh(x)[:2], SQUARE),
    "qr": call(lambda x: product(lax.linalg.qr(x)), TALL, WIDE),
    "schur": call(lax.linalg.schur, SQUARE),
    "svd": call(lambda x: singular(*lax.linalg.svd(x, full_matrices=False)), TALL),
    "symmetric_product": call(lambda a, c: lax.linalg.symmetric_product(a, symmetric(c), symmetrize_output=True),
                              [plain(4, 5), SQUARE]),
    "triangular_solve": call(lambda a, b: lax.linalg.triangular_solve(regular(a), b, left_side=True),
                             [SQUARE, plain(4, 3)]),
    "tridiagonal": of(symmetric, lax.linalg.tridiagonal, SQUARE),
    "tridiagonal_solve": call(lambda dl, d, du, b: lax.linalg.tridiagonal_solve(dl, d + 9, du, b),
                              [plain(7), plain(7), plain(7), plain(7, 2)]),
}  # fmt: skip

SCIPY_LINALG = {
    "block_diag": call(scipy.block_diag, [plain(2, 3), plain(3, 1)]),
    "cho_factor": of(definite, lambda x: jnp.triu(scipy.cho_factor(x)[0]), SQUARE),
    "cho_solve": of(definite, lambda x, b: scipy.cho_solve(scipy.cho_factor(x), b), [SQUARE, plain(4, 2)]),
    "cholesky": of(definite, scipy.cholesky, SQUARE),
    "companion": call(lambda x: scipy.companion(x + 9), plain(5)),
    "convolution_matrix": call(lambda x: scipy.convolution_matrix(x, 5), plain(3)),
    "det": of(regular, scipy.det, SQUARE),
    "dft": of_one_type(lambda: scipy.dft(7)),
    "eigh": of(symmetric, lambda x: eigen(*scipy.eigh(x)), SQUARE),
    "eigh_tridiagonal": call(lambda d, e: scipy.eigh_tridiagonal(d, e, eigvals_only=True), [plain(5), plain(4)]),
    "expm": call(scipy.expm, SQUARE),
    "expm_frechet": call(scipy.expm_frechet, [plain(3, 3), plain(3, 3)]),
    "funm": of(regular, lambda x: scipy.funm(x, jnp.exp)[0], SQUARE),
    "hadamard": call(lambda dtype: scipy.hadamard(8, dtype), [], takes_dtype=True),
    "hankel": call(scipy.hankel, plain(5)),
    "helmert": of_one_type(lambda: scipy.helmert(5)), "hilbert": of_one_type(lambda: scipy.hilbert(5)),
    "hessenberg": call(scipy.hessenberg, SQUARE),
    "inv": of(regular, scipy.inv, SQUARE),
    "invhilbert": of_one_type(lambda: scipy.invhilbert(4)), "invpascal": of_one_type(lambda: scipy.invpascal(4)),
    "leslie": call(scipy.leslie, [plain(4), plain(3)]),
    "lu": call(lambda x: jnp.matmul(*scipy.lu(x, permute_l=True)), SQUARE, TALL),
    "lu_factor": call(lambda x: of_pivots(scipy.lu_factor(x)[0]), SQUARE),
    "lu_solve": of(regular, lambda x, b: scipy.lu_solve(scipy.lu_factor(x), b), [SQUARE, plain(4, 2)]),
    "pascal": of_one_type(lambda: scipy.pascal(5)),
    "polar": of(regular, scipy.polar, SQUARE),
    "qr": call(lambda x: product(scipy.qr(x)), TALL),
    "qr_multiply": call(lambda x, c: jnp.abs(scipy.qr_multiply(x, c)[1]), [TALL, plain(2, 5)]),
    "rsf2csf": call(lambda t, z: scipy.rsf2csf(jnp.triu(t), z), [SQUARE, SQUARE]),
    "schur": call(scipy.schur, SQUARE),
    "solve": of(regular, scipy.solve, [SQUARE, plain(4, 2)]),
    "solve_sylvester": of(definite, scipy.solve_sylvester, [SQUARE, SQUARE, SQUARE]),
    "solve_triangular": of(regular, scipy.solve_triangular, [SQUARE, plain(4)]),
    "sqrtm": of(definite, scipy.sqrtm, SQUARE),
    "svd": call(lambda x: singular(*scipy.svd(x, full_matrices=False)), TALL),
    "toeplitz": call(scipy.toeplitz, plain(5)),
}  # fmt: skip
