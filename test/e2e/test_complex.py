"""Complex numbers, as pairs of planes: against NumPy in twice the precision, and JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from systole_cli import load_results, save_args, systole

SHAPES = [(), (0,), (1,), (7,), (127,), (129,), (1000,), (0, 3), (3, 130), (2, 5, 7)]
C64 = np.complex64
EPSILON = 2.0**-23


def numbers(shape, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    parts = rng.standard_normal((2, *shape)) * scale
    return np.asarray(parts[0] + 1j * parts[1], C64)


def magnitudes(shape, seed=0, exponents=(-60, 60)):
    """Of both parts, independently of each other."""
    rng = np.random.default_rng(seed)
    parts = rng.standard_normal((2, *shape)) * 2.0 ** rng.uniform(*exponents, (2, *shape))
    return np.asarray(parts[0] + 1j * parts[1], C64)


def run(function, args, directory, *options):
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    return run_text(lowered.as_text(), jax.tree.leaves(args), directory, *options)


def run_text(text, args, directory, *options, name="program.mlir"):
    program, inputs, outputs = (directory / n for n in (name, "args.npz", "out.npz"))
    program.write_bytes(text) if isinstance(text, bytes) else program.write_text(text)
    save_args(inputs, args)
    done = systole("run", program, "--args", inputs, "--out", outputs, "--precision", "highest", *options)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(outputs)


def close(result, wanted, ulps=16, atol=0.0):
    """Whether the distance of complex numbers is small beside their magnitude."""
    assert result.shape == wanted.shape
    wanted = np.asarray(wanted, np.complex128 if np.iscomplexobj(result) else np.float64)
    with np.errstate(all="ignore"):
        error = np.abs(result - wanted) - atol
        size = np.maximum(np.abs(wanted), 2.0**-126)
    assert (error <= ulps * EPSILON * size).all(), (np.max(error / size) / EPSILON, np.argmax(error / size))


def same(result, wanted):
    """Bit for bit, but for NaN."""
    assert result.dtype == wanted.dtype and result.shape == wanted.shape
    np.testing.assert_array_equal(result, wanted)
    signs = np.signbit(result.view(np.float32)) ^ np.signbit(np.asarray(wanted).view(np.float32))
    assert not (signs & ~np.isnan(result.view(np.float32))).any()


# Movement
# --------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arguments_and_results(shape, tmp_path):
    x, y = numbers(shape), numbers(shape, 1)
    results = run(lambda x, y: (y, x, x + y, -x, jnp.conj(x), x.real, y.imag), (x, y), tmp_path)
    for result, wanted in zip(results, (y, x, x + y, -x, np.conj(x), x.real, y.imag), strict=True):
        np.testing.assert_array_equal(result, wanted)
        assert result.dtype == wanted.dtype


def test_movement(tmp_path):
    def function(x, y, i, mask):
        return (
            x.T, x.reshape(39, -1)[::2, 1:], x[:, ::-1], jnp.pad(x, ((1, 2), (0, 3)), constant_values=1j),
            jnp.concatenate([x, y]), lax.dynamic_slice(x, (i[0], i[1]), (2, 100)), x.at[i[0]].set(y[1]),
            lax.dynamic_update_slice(x, y[:1], (i[0], 0)), x[i], jnp.where(mask, x, y), jnp.take_along_axis(x, i[None, :], 1),
            jnp.broadcast_to(x[:, :1], (3, 40)), lax.pad(x, C64(2j), ((0, 0, 1), (-1, 0, 0))),
            lax.optimization_barrier((x, y))[1], jnp.roll(x, 5, 1),
        )  # fmt: skip

    x, y = numbers((3, 130)), numbers((3, 130), 1)
    args = (x, y, np.int32([1, 2, 0]), np.random.default_rng(2).random((3, 130)) < 0.5)
    for result, wanted in zip(run(function, args, tmp_path), jax.jit(function)(*args), strict=True):
        same(result, np.asarray(wanted))


def test_constants_of_all_kinds(tmp_path):
    table = numbers((5, 3), 4)
    special = C64([complex(np.inf, -0.0), complex(np.nan, 1), 0, complex(-0.0, 2)])

    def function(x):
        return x * 1, table, special, jnp.full((4,), 3 - 2j, C64), jnp.arange(5).astype(C64), lax.iota(C64, 6)

    args = (numbers((5, 3)),)
    for result, wanted in zip(run(function, args, tmp_path), jax.jit(function)(*args), strict=True):
        same(result, np.asarray(wanted))


def test_scatters(tmp_path):
    def function(x, i, u):
        return x.at[i].add(u), x.at[i].multiply(u), x.at[i].set(u, unique_indices=True)

    args = numbers((50,)), np.int32([3, 40, 9, 17]), numbers((4,), 1)
    for result, wanted in zip(run(function, args, tmp_path), jax.jit(function)(*args), strict=True):
        close(result, np.asarray(wanted), 4)


# Functions
# ---------


def hard_pairs():
    x, y = magnitudes((3000,), 1), magnitudes((3000,), 2)
    return np.concatenate([x, numbers((1000,), 3)]), np.concatenate([y, numbers((1000,), 4)])


def test_arithmetic(tmp_path):
    x, y = hard_pairs()
    sums, products, quotients = run(lambda x, y: (x - y, x * y, x / y), (x, y), tmp_path)
    a, b = x.astype(np.complex128), y.astype(np.complex128)
    same(sums, x - y)
    close(products, a * b, 4)
    close(quotients, a / b, 6)


def test_division_at_the_limits(tmp_path):
    """Nothing overflows or vanishes in between."""
    big, small = 3e38, 2e-38
    x = C64([complex(big, big), complex(big, small), complex(small, small), 1, 1j, complex(1, small), complex(-big, 1)])
    x, y = (grid.ravel() for grid in np.meshgrid(x, x))
    (result,) = run(lambda x, y: x / y, (x, y), tmp_path)
    wanted = x.astype(np.complex128) / y.astype(np.complex128)
    fits = np.maximum(np.abs(wanted.real), np.abs(wanted.imag)) < 3.4e38
    close(result[fits], wanted[fits], 6, atol=2.0**-126)  # denormals are zeros
    assert (np.isinf(result[~fits].real) | np.isinf(result[~fits].imag)).all()


def test_division_by_zero_and_infinity(tmp_path):
    inf = np.inf
    pairs = [
        (1 + 2j, 0),
        (0, 0),
        (complex(inf, 1), 2 + 1j),
        (1 + 1j, complex(inf, -1)),
        (complex(inf, inf), complex(0, 1)),
    ]
    pairs += [(complex(-inf, 0), complex(1, 0)), (2, complex(-inf, inf)), (complex(np.nan, 0), complex(1, 1))]
    x, y = (C64([pair[i] for pair in pairs]) for i in range(2))
    (result,) = run(lambda x, y: x / y, (x, y), tmp_path)
    wanted = np.asarray(jax.jit(lambda x, y: x / y)(x, y))
    np.testing.assert_array_equal(
        np.isinf(result.real) | np.isinf(result.imag), np.isinf(wanted.real) | np.isinf(wanted.imag)
    )
    np.testing.assert_array_equal(np.isnan(result), np.isnan(wanted))
    np.testing.assert_array_equal(result == 0, wanted == 0)


def ladder():
    """Along all directions, of many sizes, real and imaginary numbers among them."""
    size = 2.0 ** np.arange(-30, 31, 1.5)
    turns = np.exp(2j * np.pi * np.arange(48) / 48)
    grid = np.outer(size, turns)
    grid[:, ::12] = np.where(np.abs(grid.real) > np.abs(grid.imag), grid.real, 1j * grid.imag)[:, ::12]
    return grid.ravel().astype(C64)


def wide(function):
    return lambda x: function(x.astype(np.complex128))


FUNCTIONS = {
    # Name: (JAX's, NumPy's, units in the last place, the largest argument, absolute error)
    "abs": (jnp.abs, np.abs, 3, 1e9, 0),
    "sign": (jnp.sign, lambda x: x / np.abs(x), 4, 1e9, 0),
    "sqrt": (jnp.sqrt, np.sqrt, 6, 1e9, 0),
    "rsqrt": (lax.rsqrt, lambda x: 1 / np.sqrt(x), 8, 1e9, 0),
    "exp": (jnp.exp, np.exp, 8, 60, 0),
    "expm1": (jnp.expm1, np.expm1, 8, 60, 2e-7),
    "log": (jnp.log, np.log, 6, 1e9, 2e-7),
    "log1p": (jnp.log1p, np.log1p, 6, 1e9, 2e-7),
    "square": (jnp.square, np.square, 4, 1e9, 0),
    "reciprocal": (jnp.reciprocal, np.reciprocal, 6, 1e9, 0),
    "logistic": (lax.logistic, lambda x: np.where(x.real < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x))), 32, 30, 0),
    "sin": (jnp.sin, np.sin, 12, 40, 0),
    "cos": (jnp.cos, np.cos, 12, 40, 2e-7),
    "tan": (jnp.tan, np.tan, 64, 30, 0),
    "sinh": (jnp.sinh, np.sinh, 12, 40, 0),
    "cosh": (jnp.cosh, np.cosh, 12, 40, 2e-7),
    "tanh": (jnp.tanh, np.tanh, 64, 30, 0),
    "asin": (jnp.arcsin, np.arcsin, 16, 1e9, 0),
    "acos": (jnp.arccos, np.arccos, 16, 1e9, 4e-7),
    "atan": (jnp.arctan, np.arctan, 16, 1e9, 0),
    "asinh": (jnp.arcsinh, np.arcsinh, 16, 1e9, 0),
    "acosh": (lambda x: lax.acosh(x), np.arccosh, 16, 1e9, 4e-7),
    "atanh": (jnp.arctanh, np.arctanh, 16, 1e9, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, tmp_path):
    function, reference, ulps, largest, atol = FUNCTIONS[name]
    x = ladder()
    x = x[np.abs(x) <= largest]
    (result,) = run(function, (x,), tmp_path)
    with np.errstate(all="ignore"):
        wanted = wide(reference)(x)
    poles = ~np.isfinite(wanted)
    assert poles.sum() <= 2 and not np.isfinite(result[poles]).any()
    close(result[~poles], wanted[~poles], ulps, atol)


OPERATIONS = {
    # Of StableHLO, for which JAX has formulas of its own.
    "sine": ("sin", np.sin),
    "cosine": ("cos", np.cos),
    "logistic": ("logistic", FUNCTIONS["logistic"][1]),
    "cbrt": ("log", lambda x: np.exp(np.log(x) / 3)),
}


def unary(operation, count, dialect="stablehlo"):
    kind = f"tensor<{count}xcomplex<f32>>"
    signature = kind if dialect == "stablehlo" else f"{kind} -> {kind}"
    return f"""func.func @main(%x: {kind}) -> {kind} {{
      %r = {dialect}.{operation} %x : {signature}
      return %r : {kind}
    }}"""


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, tmp_path):
    limits, reference = OPERATIONS[name]
    _, _, ulps, largest, atol = FUNCTIONS[limits]
    x = ladder()
    x = x[np.abs(x) <= largest]
    (result,) = run_text(unary(name, x.size), [x], tmp_path)
    close(result, wide(reference)(x), ulps, atol)


def test_angles_between_complex_numbers(tmp_path):
    x, y = numbers((300,)), numbers((300,), 1)
    kind = "tensor<300xcomplex<f32>>"
    text = f"""func.func @main(%y: {kind}, %x: {kind}) -> {kind} {{
      %r = stablehlo.atan2 %y, %x : {kind}
      return %r : {kind}
    }}"""
    (result,) = run_text(text, [y, x], tmp_path)
    a, b = x.astype(np.complex128), y.astype(np.complex128)
    np.testing.assert_allclose(result, -1j * np.log((a + 1j * b) / np.sqrt(a * a + b * b)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["exponential", "sine", "cosine", "cosh", "sinh"])
def test_results_beside_overflow(name, tmp_path):
    """e^x overflows, but not its product with a small cosine; and what does overflow is infinite."""
    angle = np.float32(np.pi / 2)
    x = C64([complex(90, angle), complex(90, 1), complex(-100, 1), complex(89, -angle), complex(200, 2)])
    x = x if name not in ("sine", "cosine") else x * 1j
    reference = {"exponential": np.exp, "sine": np.sin, "cosine": np.cos, "cosh": np.cosh, "sinh": np.sinh}[name]
    dialect = "chlo" if name in ("cosh", "sinh") else "stablehlo"
    (result,) = run_text(unary(name, x.size, dialect), [x], tmp_path)
    with np.errstate(all="ignore"):
        wanted = reference(x.astype(np.complex128))
    for got, exact in ((result.real, wanted.real), (result.imag, wanted.imag)):
        fits = (np.abs(exact) < 3.4e38) & (np.abs(exact) > 1e-37)
        np.testing.assert_allclose(got[fits], exact[fits], rtol=1e-5)
        over = np.abs(exact) > 3.5e38
        np.testing.assert_array_equal(got[over], np.sign(exact[over]) * np.inf)


def test_powers(tmp_path):
    x, y = numbers((500,)), numbers((500,), 1) * 3
    cubes, halves, powers, zeros = run(lambda x, y: (x**3, x**0.5, x**y, (0 * x) ** abs(y)), (x, y), tmp_path)
    a, b = x.astype(np.complex128), y.astype(np.complex128)
    close(cubes, a**3, 8)
    close(halves, a**0.5, 16)
    close(powers, a**b, 128)
    np.testing.assert_array_equal(zeros, 0)


SPECIAL = [complex(a, b) for a in (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf) for b in (0.0, -0.0, 1.0, np.inf, -np.inf)]


@pytest.mark.parametrize("name", ["abs", "sqrt", "exp", "log", "square"])
def test_special_values(name, tmp_path):
    """Zeros of both signs and infinities, by C's Annex G, as NumPy has them."""
    x = C64(SPECIAL)
    function, reference = FUNCTIONS[name][:2]
    (result,) = run(function, (x,), tmp_path)
    with np.errstate(all="ignore"):
        wanted = reference(x)
    if name in ("exp", "square"):  # of infinities the reference is C's library, whose NaN are signs of choice
        known = np.isfinite(x)
        result, wanted = result[known], wanted[known]
    np.testing.assert_allclose(result.real, wanted.real, rtol=3e-7)
    if np.iscomplexobj(wanted):
        np.testing.assert_allclose(result.imag, wanted.imag, rtol=3e-7)
        np.testing.assert_array_equal(np.signbit(result.imag), np.signbit(wanted.imag))


def test_comparisons(tmp_path):
    x = C64([1 + 1j, 1 + 2j, complex(np.nan, 1), complex(0.0, -0.0), complex(-0.0, 0.0), 2 + 1j])
    y = C64([1 + 1j, 1 + 1j, complex(np.nan, 1), 0, 0, 1 + 1j])

    def function(x, y):
        return x == y, x != y, jnp.maximum(x, y), jnp.minimum(x, y), jnp.isnan(x), x.astype(bool)

    for result, wanted in zip(run(function, (x, y), tmp_path), jax.jit(function)(x, y), strict=True):
        np.testing.assert_array_equal(result, np.asarray(wanted))


def test_extremes_and_bounds_by_real_then_imaginary_parts(tmp_path):
    text = """func.func @main(%x: tensor<4xcomplex<f32>>, %l: tensor<complex<f32>>, %y: tensor<4xcomplex<f32>>)
        -> (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
      %0 = stablehlo.maximum %x, %y : tensor<4xcomplex<f32>>
      %1 = stablehlo.minimum %x, %y : tensor<4xcomplex<f32>>
      %2 = stablehlo.clamp %l, %x, %l
          : (tensor<complex<f32>>, tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
      return %0, %1, %2 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
    }"""
    x, y = C64([1 + 5j, 2, 3 - 1j, 0]), C64([1 + 4j, 3, 3 - 2j, 1j])
    most, least, bounded = run_text(text, [x, C64(2 + 1j), y], tmp_path)
    np.testing.assert_array_equal(most, C64([1 + 5j, 3, 3 - 1j, 1j]))
    np.testing.assert_array_equal(least, C64([1 + 4j, 2, 3 - 2j, 0]))
    np.testing.assert_array_equal(bounded, C64([2 + 1j] * 4))


# Products and regions
# --------------------


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 9, 5), (129, 127, 130), (0, 3, 2), (3, 0, 2), (200, 1, 1)], ids=str)
def test_products(sizes, tmp_path):
    m, k, n = sizes
    x, y = numbers((m, k)), numbers((k, n), 1)
    (result,) = run(jnp.matmul, (x, y), tmp_path)
    a, b = x.astype(np.complex128), y.astype(np.complex128)
    assert result.shape == (m, n)
    bound = np.abs(a) @ np.abs(b)
    assert (np.abs(result - a @ b) <= 16 * EPSILON * np.maximum(bound, 1e-30)).all()


def test_batched_products_and_convolutions(tmp_path):
    def function(x, y, image, kernel):
        window = ("NHWC", "HWIO", "NHWC")
        return (
            jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.vdot(x, y), jnp.outer(x[0, 0], y[0, 0]),
            lax.conv_general_dilated(image, kernel, (2, 1), "SAME", dimension_numbers=window),
            jnp.convolve(x[0, 0], y[0, 0]),
        )  # fmt: skip

    args = numbers((2, 5, 9)), numbers((2, 5, 9), 1), numbers((1, 9, 8, 3), 2), numbers((3, 3, 3, 4), 3)
    for result, wanted in zip(run(function, args, tmp_path), jax.jit(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (129,), (1000,), (5, 130)], ids=str)
def test_reductions(shape, tmp_path):
    x = numbers(shape)
    unit = np.asarray(x / np.maximum(np.abs(x), 1e-6), C64)
    total, product, mean = run(lambda x, u: (x.sum(-1), u.prod(-1), x.mean(0)), (x, unit), tmp_path)
    a = x.astype(np.complex128)
    np.testing.assert_allclose(total, a.sum(-1), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(product, unit.astype(np.complex128).prod(-1), rtol=2e-4, atol=2e-5)
    if shape[0]:
        np.testing.assert_allclose(mean, a.mean(0), rtol=1e-5, atol=1e-6)
    else:
        assert np.isnan(mean)


def test_sorts_and_scans(tmp_path):
    def function(x, k):
        return (
            jnp.sort(x), jnp.sort_complex(x), jnp.argsort(x), jnp.cumsum(x), jnp.cumprod(x / abs(x)), jnp.max(x), jnp.min(x),
            lax.sort((k, x), num_keys=1)[1], jnp.unique(x, size=20), jnp.any(x), jnp.all(x), jnp.count_nonzero(x),
        )  # fmt: skip

    x = np.concatenate([numbers((90,)), C64([1 + 1j, 1, 1 - 1j, 0, 0])])
    args = x, np.random.default_rng(3).permutation(95).astype(np.int32)
    for result, wanted in zip(run(lambda x, k: function(x + 1e-3, k), args, tmp_path),
                              jax.jit(lambda x, k: function(x + 1e-3, k))(*args), strict=True):  # fmt: skip
        np.testing.assert_allclose(result, wanted, rtol=2e-4, atol=2e-4)


def test_windows(tmp_path):
    def function(x):
        add = lax.reduce_window(x, C64(1j), lax.add, (3, 4), (2, 1), ((1, 1), (0, 3)))
        multiply = lax.reduce_window(x / abs(x), C64(1), lax.mul, (2, 3), (1, 2), "VALID")
        return add, multiply

    args = (numbers((9, 40)),)
    for result, wanted in zip(run(function, args, tmp_path), jax.jit(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


def test_control_flow(tmp_path):
    def function(z, n):
        loop = lax.fori_loop(0, n, lambda i, z: z * z + 0.3j, z)
        chosen = lax.cond(n > 3, lambda z: (z * 2, n), lambda z: (jnp.conj(z), -n), z)
        case = lax.switch(n % 3, [lambda z: z, lambda z: z * 1j, lambda z: -z], z)
        carried, stacked = lax.scan(lambda c, x: (c * 0.5 + x, c), z[0], z)
        until = lax.while_loop(lambda c: jnp.abs(c[0]) < 10, lambda c: (c[0] * (1.5 + 0.5j), c[1] + 1), (z[0], 0))
        return loop, chosen, case, carried, stacked, until

    args = numbers((40,), scale=0.4), np.int32(5)
    wanted = jax.tree.leaves(jax.jit(function)(*args))
    for result, each in zip(run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=1e-5, atol=1e-6)


def test_gradients(tmp_path):
    def function(z, w):
        loss = lambda z: jnp.sum(jnp.abs(jnp.tanh(z @ w) + jnp.exp(1j * z[:, :3]).sum(1, keepdims=True)) ** 2)
        return jax.value_and_grad(loss)(z), jax.grad(lambda z: jnp.exp(jnp.sin(z)), holomorphic=True)(z[0, 0])

    args = numbers((5, 4), scale=0.5), numbers((4, 6), 1, scale=0.5)
    wanted = jax.tree.leaves(jax.jit(function)(*args))
    for result, each in zip(run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=3e-5, atol=1e-4)


@pytest.mark.parametrize("size", [0, 1, 5, 40])
def test_linear_algebra(size, tmp_path):
    def function(a, b):
        solve = partial(lax.linalg.triangular_solve, lower=True)
        return (
            jnp.linalg.cholesky(a), jnp.linalg.cholesky(a, upper=True), solve(a, b, left_side=True),
            solve(a, b, left_side=True, transpose_a=True, conjugate_a=True), solve(a, jnp.swapaxes(b, 1, 2)),
            solve(a, b, left_side=True, unit_diagonal=True, transpose_a=True),
        )  # fmt: skip

    root = numbers((2, size, size)) / size**0.5
    a = (root @ np.conj(root).swapaxes(1, 2) + 2 * np.eye(size)).astype(C64)
    args = a, numbers((2, size, 3), 1)
    lowered = jax.jit(function).trace(*args).lower(lowering_platforms=("tpu",))
    for result, wanted in zip(run_text(lowered.as_text(), args, tmp_path), jax.jit(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=3e-5, atol=3e-5)


# Input forms and errors
# ----------------------


def test_input_forms(tmp_path):
    """Text, a portable artifact, HLO as text and as a message."""
    x = numbers((3, 5))
    function = jax.jit(lambda x: jnp.exp(x) * (1 - 2j) + jnp.fft.fft(x))
    exported = jax.export.export(function, platforms=["tpu"])(jax.ShapeDtypeStruct(x.shape, x.dtype))
    hlo = function.lower(x).compiler_ir("hlo")
    forms = [("p.mlir", function.lower(x).as_text()), ("p.mlirbc", exported.mlir_module_serialized)]
    forms += [("p.txt", hlo.as_hlo_text(print_large_constants=True)), ("p.pb", hlo.as_serialized_hlo_module_proto())]
    for name, text in forms:
        (result,) = run_text(text, [x], tmp_path, name=name)
        np.testing.assert_allclose(result, np.exp(x) * (1 - 2j) + np.fft.fft(x), rtol=1e-5, atol=1e-5)


def test_results_are_printed(tmp_path):
    program = tmp_path / "p.mlir"
    program.write_text("""func.func @main() -> tensor<2xcomplex<f32>> {
      %0 = stablehlo.constant dense<[(1.5, -2.0), (0x7F800000, 3.0)]> : tensor<2xcomplex<f32>>
      return %0 : tensor<2xcomplex<f32>>
    }""")
    done = systole("run", program)
    assert "1.5-2.j" in done.stdout and "inf+3.j" in done.stdout


def test_wider_complex_numbers_are_refused(tmp_path):
    program = tmp_path / "p.mlir"
    program.write_text("""func.func @main(%x: tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>> {
      %0 = stablehlo.add %x, %x : tensor<2xcomplex<f64>>
      return %0 : tensor<2xcomplex<f64>>
    }""")
    done = systole("compile", program, "-o", tmp_path / "p.sysx")
    assert done.returncode != 0 and "p.mlir:2:" in done.stderr and "complex<f64>" in done.stderr


def test_a_chain_of_operations_is_one_kernel(tmp_path):
    def chain(x, y):
        for _ in range(3):
            x = x * y + jnp.conj(x) - 1j
        return jnp.exp(x / y)

    program = tmp_path / "p.mlir"
    program.write_text(jax.jit(chain).lower(*2 * [jax.ShapeDtypeStruct((256, 128), C64)]).as_text())
    done = systole("run", program, "--timing-only", "--report", "json")
    assert done.returncode == 0, done.stderr
    assert sum(kernel["calls"] for kernel in json.loads(done.stdout)["kernels"]) == 1


# Fourier transforms
# ------------------

LENGTHS = [1, 2, 3, 7, 8, 60, 127, 128, 129, 243, 1000, 2048]


def spectrum_close(result, wanted):
    """The error of a transform is a small part of the largest elements."""
    assert result.shape == wanted.shape
    if result.size:
        assert np.abs(result - wanted).max() <= 2e-6 * max(np.sqrt(np.mean(np.abs(wanted) ** 2)), 1e-20) * 4


@pytest.mark.parametrize("length", LENGTHS)
def test_transforms_of_any_length(length, tmp_path):
    def function(z, x):
        forward = jnp.fft.fft(z)
        return forward, jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z[:, : length // 2 + 1], length)

    z, x = numbers((3, length)), numbers((3, length), 1).real
    results = run(function, (z, x), tmp_path)
    half = z[:, : length // 2 + 1].astype(np.complex128)
    wanted = [np.fft.fft(z.astype(np.complex128)), np.fft.ifft(z.astype(np.complex128))]
    wanted += [np.fft.rfft(x.astype(np.float64)), np.fft.irfft(half, length)]
    for result, each in zip(results, wanted, strict=True):
        spectrum_close(result, each)


@pytest.mark.parametrize("length", [1031, 2062])
def test_transforms_of_large_primes(length, tmp_path):
    z = numbers((2, length))
    forward, back = run(lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z)), (z,), tmp_path)
    spectrum_close(forward, np.fft.fft(z.astype(np.complex128)))
    spectrum_close(back, np.fft.ifft(z.astype(np.complex128)))


def test_transforms_of_several_dimensions(tmp_path):
    def function(z, x):
        return (
            jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.rfftn(x), jnp.fft.irfft2(z, s=(6, 9)), jnp.fft.fft(z, axis=0),
            jnp.fft.hfft(z[0], 9), jnp.fft.ihfft(x[0]), jnp.fft.fftshift(z), jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape),
        )  # fmt: skip

    z, x = numbers((4, 6, 5)), numbers((4, 6, 5), 1).real
    a, b = z.astype(np.complex128), x.astype(np.float64)
    wanted = [np.fft.fft2(a), np.fft.ifftn(a), np.fft.rfftn(b), np.fft.irfft2(a, s=(6, 9)), np.fft.fft(a, axis=0)]
    wanted += [np.fft.hfft(a[0], 9), np.fft.ihfft(b[0]), np.fft.fftshift(a), b]
    for result, each in zip(run(function, (z, x), tmp_path), wanted, strict=True):
        spectrum_close(result, each)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 3)], ids=str)
def test_empty_transforms(shape, tmp_path):
    (result,) = run(lambda z: lax.fft(z, "FFT", (shape[-1],)), (numbers(shape),), tmp_path)
    assert result.shape == shape and result.dtype == C64


def test_gradients_of_transforms(tmp_path):
    def function(x):
        return jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 4))(x)

    x = numbers((30,)).real
    (result,) = run(function, (x,), tmp_path)
    np.testing.assert_allclose(result, jax.jit(function)(x), rtol=1e-4, atol=1e-2)
