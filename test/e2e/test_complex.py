"""Complex numbers, as planes of their parts: against NumPy in a wider format, and JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from systole_cli import load_results, save_args, systole

SHAPES = [(), (0,), (1,), (7,), (127,), (129,), (1000,), (0, 3), (3, 130), (2, 5, 7)]


@dataclass(frozen=True)
class Kind:
    """complex<f32> or complex<f64>, and types for references."""

    dtype: type
    part: type
    wide: type
    wide_part: type
    exponents: int  # of numbers whose squares are in range

    @property
    def name(self):
        return f"complex<f{8 * np.dtype(self.part).itemsize}>"

    @property
    def limits(self):
        return np.finfo(self.part)

    @property
    def epsilon(self):
        return float(self.limits.eps)

    @property
    def scale(self):
        """The unit in the last place beside that of f32, for which tolerances are stated."""
        return self.epsilon / 2.0**-23

    def numbers(self, shape, seed=0, scale=1.0):
        rng = np.random.default_rng(seed)
        parts = rng.standard_normal((2, *shape)) * scale
        return np.asarray(parts[0] + 1j * parts[1], self.dtype)

    def magnitudes(self, shape, seed=0):
        """Of both parts, independently of each other."""
        rng = np.random.default_rng(seed)
        exponents = rng.uniform(-self.exponents, self.exponents, (2, *shape))
        parts = rng.standard_normal((2, *shape)) * 2.0**exponents
        return np.asarray(parts[0] + 1j * parts[1], self.dtype)

    def jitted(self, function):
        """On the CPU, with elements of this width."""

        def call(*args):
            with jax.enable_x64(self is C128):
                return jax.jit(function)(*args)

        return call

    def text(self, function, *args, **options):
        with jax.enable_x64(self is C128):
            return jax.jit(function, keep_unused=True).trace(*args).lower(**options).as_text()

    def run(self, function, args, directory, **options):
        return run_text(self.text(function, *args, **options), jax.tree.leaves(args), directory)

    def close(self, result, wanted, ulps=16, atol=0.0):
        """Whether the distance of complex numbers is small beside their magnitude."""
        assert result.shape == wanted.shape
        wanted = np.asarray(wanted, self.wide if np.iscomplexobj(result) else self.wide_part)
        with np.errstate(all="ignore"):
            error = np.abs(result - wanted) - atol
            size = np.maximum(np.abs(wanted), self.limits.tiny)
        assert (error <= ulps * self.epsilon * size).all(), (
            np.max(error / size) / self.epsilon,
            np.argmax(error / size),
        )

    def same(self, result, wanted):
        """Bit for bit, but for NaN."""
        assert result.dtype == wanted.dtype and result.shape == wanted.shape
        np.testing.assert_array_equal(result, wanted)
        if result.dtype == self.dtype:
            result, wanted = result.view(self.part), np.asarray(wanted).view(self.part)
        if result.dtype == self.part:
            assert not ((np.signbit(result) ^ np.signbit(wanted)) & ~np.isnan(result)).any()


C64 = Kind(np.complex64, np.float32, np.complex128, np.float64, 60)
C128 = Kind(np.complex128, np.float64, np.clongdouble, np.longdouble, 500)


@pytest.fixture(params=[C64, C128], ids=["c64", "c128"])
def kind(request):
    return request.param


def run_text(text, args, directory, *options, name="program.mlir"):
    program, inputs, outputs = (directory / n for n in (name, "args.npz", "out.npz"))
    program.write_bytes(text) if isinstance(text, bytes) else program.write_text(text)
    save_args(inputs, args)
    command = ["run", program, "--args", inputs, "--out", outputs, "--precision", "highest", *options]
    done = systole(*command, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(outputs)


# Movement
# --------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arguments_and_results(kind, shape, tmp_path):
    x, y = kind.numbers(shape), kind.numbers(shape, 1)
    results = kind.run(lambda x, y: (y, x, x + y, -x, jnp.conj(x), x.real, y.imag), (x, y), tmp_path)
    for result, wanted in zip(results, (y, x, x + y, -x, np.conj(x), x.real, y.imag), strict=True):
        np.testing.assert_array_equal(result, wanted)
        assert result.dtype == wanted.dtype


def test_movement(kind, tmp_path):
    def function(x, y, i, mask):
        return (
            x.T, x.reshape(39, -1)[::2, 1:], x[:, ::-1], jnp.pad(x, ((1, 2), (0, 3)), constant_values=1j),
            jnp.concatenate([x, y]), lax.dynamic_slice(x, (i[0], i[1]), (2, 100)), x.at[i[0]].set(y[1]),
            lax.dynamic_update_slice(x, y[:1], (i[0], i[2])), x[i], jnp.where(mask, x, y), jnp.take_along_axis(x, i[None, :], 1),
            jnp.broadcast_to(x[:, :1], (3, 40)), lax.pad(x, kind.dtype(2j), ((0, 0, 1), (-1, 0, 0))),
            lax.optimization_barrier((x, y))[1], jnp.roll(x, 5, 1),
        )  # fmt: skip

    x, y = kind.numbers((3, 130)), kind.numbers((3, 130), 1)
    args = (x, y, np.int32([1, 2, 0]), np.random.default_rng(2).random((3, 130)) < 0.5)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.same(result, np.asarray(wanted))


def test_constants_of_all_kinds(kind, tmp_path):
    table = kind.numbers((5, 3), 4)
    special = kind.dtype([complex(np.inf, -0.0), complex(np.nan, 1), 0, complex(-0.0, 2)])

    def function(x):
        return (
            x * 1,
            table,
            special,
            jnp.full((4,), 3 - 2j, kind.dtype),
            jnp.arange(5).astype(kind.dtype),
            lax.iota(kind.dtype, 6),
        )

    args = (kind.numbers((5, 3)),)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.same(result, np.asarray(wanted))


def test_scatters(kind, tmp_path):
    def function(x, i, u):
        return x.at[i].add(u), x.at[i].multiply(u), x.at[i].set(u, unique_indices=True)

    args = kind.numbers((50,)), np.int32([3, 40, 9, 17]), kind.numbers((4,), 1)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        kind.close(result, np.asarray(wanted), 4)


# Functions
# ---------


def hard_pairs(kind):
    x, y = kind.magnitudes((3000,), 1), kind.magnitudes((3000,), 2)
    return np.concatenate([x, kind.numbers((1000,), 3)]), np.concatenate([y, kind.numbers((1000,), 4)])


def test_arithmetic(kind, tmp_path):
    x, y = hard_pairs(kind)
    sums, products, quotients = kind.run(lambda x, y: (x - y, x * y, x / y), (x, y), tmp_path)
    a, b = x.astype(kind.wide), y.astype(kind.wide)
    kind.same(sums, x - y)
    kind.close(products, a * b, 4)
    kind.close(quotients, a / b, 6)


def test_division_at_the_limits(kind, tmp_path):
    """Nothing overflows or vanishes in between."""
    big, small = float(kind.limits.max) * 0.9, float(kind.limits.tiny) * 2
    x = kind.dtype(
        [complex(big, big), complex(big, small), complex(small, small), 1, 1j, complex(1, small), complex(-big, 1)]
    )
    x, y = (grid.ravel() for grid in np.meshgrid(x, x))
    (result,) = kind.run(lambda x, y: x / y, (x, y), tmp_path)
    wanted = x.astype(kind.wide) / y.astype(kind.wide)
    fits = np.maximum(np.abs(wanted.real), np.abs(wanted.imag)) < kind.limits.max
    # Denormals of f32 are zeros.
    kind.close(result[fits], wanted[fits], 6, atol=kind.limits.tiny if kind is C64 else kind.limits.smallest_subnormal)
    assert (np.isinf(result[~fits].real) | np.isinf(result[~fits].imag)).all()


def test_division_by_zero_and_infinity(kind, tmp_path):
    inf = np.inf
    pairs = [
        (1 + 2j, 0),
        (0, 0),
        (complex(inf, 1), 2 + 1j),
        (1 + 1j, complex(inf, -1)),
        (complex(inf, inf), complex(0, 1)),
    ]
    pairs += [(complex(-inf, 0), complex(1, 0)), (2, complex(-inf, inf)), (complex(np.nan, 0), complex(1, 1))]
    x, y = (kind.dtype([pair[i] for pair in pairs]) for i in range(2))
    (result,) = kind.run(lambda x, y: x / y, (x, y), tmp_path)
    wanted = np.asarray(kind.jitted(lambda x, y: x / y)(x, y))
    np.testing.assert_array_equal(
        np.isinf(result.real) | np.isinf(result.imag), np.isinf(wanted.real) | np.isinf(wanted.imag)
    )
    np.testing.assert_array_equal(np.isnan(result), np.isnan(wanted))
    np.testing.assert_array_equal(result == 0, wanted == 0)


def ladder(kind):
    """Along all directions, of many sizes, real and imaginary numbers among them."""
    size = 2.0 ** np.arange(-30, 31, 1.5)
    turns = np.exp(2j * np.pi * np.arange(48) / 48)
    grid = np.outer(size, turns)
    grid[:, ::12] = np.where(np.abs(grid.real) > np.abs(grid.imag), grid.real, 1j * grid.imag)[:, ::12]
    return grid.ravel().astype(kind.dtype)


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
def test_functions(kind, name, tmp_path):
    function, reference, ulps, largest, atol = FUNCTIONS[name]
    x = ladder(kind)
    x = x[np.abs(x) <= largest]
    (result,) = kind.run(function, (x,), tmp_path)
    with np.errstate(all="ignore"):
        wanted = reference(x.astype(kind.wide))
    poles = ~np.isfinite(wanted)
    assert poles.sum() <= 2 and not np.isfinite(result[poles]).any()
    kind.close(result[~poles], wanted[~poles], ulps, atol * kind.scale)


OPERATIONS = {
    # Of StableHLO, for which JAX has formulas of its own.
    "sine": ("sin", np.sin),
    "cosine": ("cos", np.cos),
    "logistic": ("logistic", FUNCTIONS["logistic"][1]),
    "cbrt": ("log", lambda x: np.exp(np.log(x) / 3)),
}


def unary(kind, operation, count, dialect="stablehlo"):
    tensor = f"tensor<{count}x{kind.name}>"
    signature = tensor if dialect == "stablehlo" else f"{tensor} -> {tensor}"
    return f"""func.func @main(%x: {tensor}) -> {tensor} {{
      %r = {dialect}.{operation} %x : {signature}
      return %r : {tensor}
    }}"""


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(kind, name, tmp_path):
    limits, reference = OPERATIONS[name]
    _, _, ulps, largest, atol = FUNCTIONS[limits]
    x = ladder(kind)
    x = x[np.abs(x) <= largest]
    (result,) = run_text(unary(kind, name, x.size), [x], tmp_path)
    kind.close(result, reference(x.astype(kind.wide)), ulps, atol * kind.scale)


def test_angles_between_complex_numbers(kind, tmp_path):
    x, y = kind.numbers((300,)), kind.numbers((300,), 1)
    tensor = f"tensor<300x{kind.name}>"
    text = f"""func.func @main(%y: {tensor}, %x: {tensor}) -> {tensor} {{
      %r = stablehlo.atan2 %y, %x : {tensor}
      return %r : {tensor}
    }}"""
    (result,) = run_text(text, [y, x], tmp_path)
    a, b = x.astype(kind.wide), y.astype(kind.wide)
    np.testing.assert_allclose(
        result, -1j * np.log((a + 1j * b) / np.sqrt(a * a + b * b)), rtol=1e-4 * kind.scale, atol=1e-5 * kind.scale
    )


@pytest.mark.parametrize("name", ["exponential", "sine", "cosine", "cosh", "sinh"])
def test_results_beside_overflow(kind, name, tmp_path):
    """e^x overflows, but not its product with a small cosine; and what does overflow is infinite."""
    angle = kind.part(np.pi / 2)
    most = float(np.log(kind.limits.max))
    x = kind.dtype([complex(most + a, b) for a, b in ((1.3, angle), (1.3, 1), (0.3, -angle), (0.65 * most, 2))])
    x = np.concatenate([x, kind.dtype([complex(-1.13 * most, 1)])])
    x = x if name not in ("sine", "cosine") else x * 1j
    reference = {"exponential": np.exp, "sine": np.sin, "cosine": np.cos, "cosh": np.cosh, "sinh": np.sinh}[name]
    dialect = "chlo" if name in ("cosh", "sinh") else "stablehlo"
    (result,) = run_text(unary(kind, name, x.size, dialect), [x], tmp_path)
    with np.errstate(all="ignore"):
        wanted = reference(x.astype(kind.wide))
    for got, exact in ((result.real, wanted.real), (result.imag, wanted.imag)):
        fits = (np.abs(exact) < kind.limits.max * 0.99) & (np.abs(exact) > 10 * kind.limits.tiny)
        np.testing.assert_allclose(got[fits], exact[fits], rtol=1e-5 * kind.scale)
        over = np.abs(exact) * 0.99 > kind.limits.max
        np.testing.assert_array_equal(got[over], np.sign(exact[over]) * np.inf)


def test_powers(kind, tmp_path):
    x, y = kind.numbers((500,)), kind.numbers((500,), 1) * 3
    cubes, halves, powers, zeros = kind.run(lambda x, y: (x**3, x**0.5, x**y, (0 * x) ** abs(y)), (x, y), tmp_path)
    a, b = x.astype(kind.wide), y.astype(kind.wide)
    kind.close(cubes, a**3, 8)
    kind.close(halves, a**0.5, 16)
    kind.close(powers, a**b, 128)
    np.testing.assert_array_equal(zeros, 0)


SPECIAL = [complex(a, b) for a in (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf) for b in (0.0, -0.0, 1.0, np.inf, -np.inf)]


@pytest.mark.parametrize("name", ["abs", "sqrt", "exp", "log", "square"])
def test_special_values(kind, name, tmp_path):
    """Zeros of both signs and infinities, by C's Annex G, as NumPy has them."""
    x = kind.dtype(SPECIAL)
    function, reference = FUNCTIONS[name][:2]
    (result,) = kind.run(function, (x,), tmp_path)
    with np.errstate(all="ignore"):
        wanted = reference(x)
    if name in ("exp", "square"):  # of infinities the reference is C's library, whose NaN are signs of choice
        known = np.isfinite(x)
        result, wanted = result[known], wanted[known]
    np.testing.assert_allclose(result.real, wanted.real, rtol=3e-7 * kind.scale)
    if np.iscomplexobj(wanted):
        np.testing.assert_allclose(result.imag, wanted.imag, rtol=3e-7 * kind.scale)
        np.testing.assert_array_equal(np.signbit(result.imag), np.signbit(wanted.imag))


def test_comparisons(kind, tmp_path):
    x = kind.dtype([1 + 1j, 1 + 2j, complex(np.nan, 1), complex(0.0, -0.0), complex(-0.0, 0.0), 2 + 1j])
    y = kind.dtype([1 + 1j, 1 + 1j, complex(np.nan, 1), 0, 0, 1 + 1j])

    def function(x, y):
        return x == y, x != y, jnp.maximum(x, y), jnp.minimum(x, y), jnp.isnan(x), x.astype(bool)

    for result, wanted in zip(kind.run(function, (x, y), tmp_path), kind.jitted(function)(x, y), strict=True):
        np.testing.assert_array_equal(result, np.asarray(wanted))


def test_extremes_and_bounds_by_real_then_imaginary_parts(kind, tmp_path):
    text = f"""func.func @main(%x: tensor<4x{kind.name}>, %l: tensor<{kind.name}>, %y: tensor<4x{kind.name}>)
        -> (tensor<4x{kind.name}>, tensor<4x{kind.name}>, tensor<4x{kind.name}>) {{
      %0 = stablehlo.maximum %x, %y : tensor<4x{kind.name}>
      %1 = stablehlo.minimum %x, %y : tensor<4x{kind.name}>
      %2 = stablehlo.clamp %l, %x, %l
          : (tensor<{kind.name}>, tensor<4x{kind.name}>, tensor<{kind.name}>) -> tensor<4x{kind.name}>
      return %0, %1, %2 : tensor<4x{kind.name}>, tensor<4x{kind.name}>, tensor<4x{kind.name}>
    }}"""
    x, y = kind.dtype([1 + 5j, 2, 3 - 1j, 0]), kind.dtype([1 + 4j, 3, 3 - 2j, 1j])
    most, least, bounded = run_text(text, [x, kind.dtype(2 + 1j), y], tmp_path)
    np.testing.assert_array_equal(most, kind.dtype([1 + 5j, 3, 3 - 1j, 1j]))
    np.testing.assert_array_equal(least, kind.dtype([1 + 4j, 2, 3 - 2j, 0]))
    np.testing.assert_array_equal(bounded, kind.dtype([2 + 1j] * 4))


# Products and regions
# --------------------


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 9, 5), (129, 127, 130), (0, 3, 2), (3, 0, 2), (200, 1, 1)], ids=str)
def test_products(kind, sizes, tmp_path):
    m, k, n = sizes
    x, y = kind.numbers((m, k)), kind.numbers((k, n), 1)
    (result,) = kind.run(jnp.matmul, (x, y), tmp_path)
    a, b = x.astype(kind.wide), y.astype(kind.wide)
    assert result.shape == (m, n)
    bound = np.abs(a) @ np.abs(b)
    assert (np.abs(result - a @ b) <= 16 * kind.epsilon * np.maximum(bound, 1e-30)).all()


def test_batched_products_and_convolutions(kind, tmp_path):
    def function(x, y, image, kernel):
        window = ("NHWC", "HWIO", "NHWC")
        return (
            jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.vdot(x, y), jnp.outer(x[0, 0], y[0, 0]),
            lax.conv_general_dilated(image, kernel, (2, 1), "SAME", dimension_numbers=window),
            jnp.convolve(x[0, 0], y[0, 0]),
        )  # fmt: skip

    args = (
        kind.numbers((2, 5, 9)),
        kind.numbers((2, 5, 9), 1),
        kind.numbers((1, 9, 8, 3), 2),
        kind.numbers((3, 3, 3, 4), 3),
    )
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale)


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (129,), (1000,), (5, 130)], ids=str)
def test_reductions(kind, shape, tmp_path):
    x = kind.numbers(shape)
    unit = np.asarray(x / np.maximum(np.abs(x), 1e-6), kind.dtype)
    total, product, mean = kind.run(lambda x, u: (x.sum(-1), u.prod(-1), x.mean(0)), (x, unit), tmp_path)
    a = x.astype(kind.wide)
    np.testing.assert_allclose(total, a.sum(-1), rtol=1e-5 * kind.scale, atol=1e-4 * kind.scale)
    np.testing.assert_allclose(product, unit.astype(kind.wide).prod(-1), rtol=2e-4 * kind.scale, atol=2e-5 * kind.scale)
    if shape[0]:
        np.testing.assert_allclose(mean, a.mean(0), rtol=1e-5 * kind.scale, atol=1e-6 * kind.scale)
    else:
        assert np.isnan(mean)


def test_sorts_and_scans(kind, tmp_path):
    def function(x, k):
        return (
            jnp.sort(x), jnp.sort_complex(x), jnp.argsort(x), jnp.cumsum(x), jnp.cumprod(x / abs(x)), jnp.max(x), jnp.min(x),
            lax.sort((k, x), num_keys=1)[1], jnp.unique(x, size=20), jnp.any(x), jnp.all(x), jnp.count_nonzero(x),
        )  # fmt: skip

    x = np.concatenate([kind.numbers((90,)), kind.dtype([1 + 1j, 1, 1 - 1j, 0, 0])])
    args = x, np.random.default_rng(3).permutation(95).astype(np.int32)
    for result, wanted in zip(kind.run(lambda x, k: function(x + 1e-3, k), args, tmp_path),
                              kind.jitted(lambda x, k: function(x + 1e-3, k))(*args), strict=True):  # fmt: skip
        np.testing.assert_allclose(result, wanted, rtol=2e-4 * kind.scale, atol=2e-4 * kind.scale)


def test_windows(kind, tmp_path):
    def function(x):
        add = lax.reduce_window(x, kind.dtype(1j), lax.add, (3, 4), (2, 1), ((1, 1), (0, 3)))
        multiply = lax.reduce_window(x / abs(x), kind.dtype(1), lax.mul, (2, 3), (1, 2), "VALID")
        return add, multiply

    args = (kind.numbers((9, 40)),)
    for result, wanted in zip(kind.run(function, args, tmp_path), kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale)


def test_control_flow(kind, tmp_path):
    def function(z, n):
        loop = lax.fori_loop(0, n, lambda i, z: z * z + 0.3j, z)
        chosen = lax.cond(n > 3, lambda z: (z * 2, n), lambda z: (jnp.conj(z), -n), z)
        case = lax.switch(n % 3, [lambda z: z, lambda z: z * 1j, lambda z: -z], z)
        carried, stacked = lax.scan(lambda c, x: (c * 0.5 + x, c), z[0], z)
        until = lax.while_loop(lambda c: jnp.abs(c[0]) < 10, lambda c: (c[0] * (1.5 + 0.5j), c[1] + 1), (z[0], 0))
        return loop, chosen, case, carried, stacked, until

    args = kind.numbers((40,), scale=0.4), np.int32(5)
    wanted = jax.tree.leaves(kind.jitted(function)(*args))
    for result, each in zip(kind.run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=1e-5 * kind.scale, atol=1e-6 * kind.scale)


def test_gradients(kind, tmp_path):
    def function(z, w):
        loss = lambda z: jnp.sum(jnp.abs(jnp.tanh(z @ w) + jnp.exp(1j * z[:, :3]).sum(1, keepdims=True)) ** 2)
        return jax.value_and_grad(loss)(z), jax.grad(lambda z: jnp.exp(jnp.sin(z)), holomorphic=True)(z[0, 0])

    args = kind.numbers((5, 4), scale=0.5), kind.numbers((4, 6), 1, scale=0.5)
    wanted = jax.tree.leaves(kind.jitted(function)(*args))
    for result, each in zip(kind.run(function, args, tmp_path), wanted, strict=True):
        np.testing.assert_allclose(result, each, rtol=3e-5 * kind.scale, atol=1e-4 * kind.scale)


@pytest.mark.parametrize(
    ("kind", "size"), [(C64, 0), (C64, 1), (C64, 5), (C64, 40)], ids=lambda v: getattr(v, "name", v)
)
def test_linear_algebra(kind, size, tmp_path):
    def function(a, b):
        solve = partial(lax.linalg.triangular_solve, lower=True)
        return (
            jnp.linalg.cholesky(a), jnp.linalg.cholesky(a, upper=True), solve(a, b, left_side=True),
            solve(a, b, left_side=True, transpose_a=True, conjugate_a=True), solve(a, jnp.swapaxes(b, 1, 2)),
            solve(a, b, left_side=True, unit_diagonal=True, transpose_a=True),
        )  # fmt: skip

    root = kind.numbers((2, size, size)) / size**0.5
    a = (root @ np.conj(root).swapaxes(1, 2) + 2 * np.eye(size)).astype(kind.dtype)
    args = a, kind.numbers((2, size, 3), 1)
    results = kind.run(function, args, tmp_path, lowering_platforms=("tpu",))
    for result, wanted in zip(results, kind.jitted(function)(*args), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=3e-5 * kind.scale, atol=3e-5 * kind.scale)


# Input forms and errors
# ----------------------


def test_input_forms(kind, tmp_path):
    """Text, a portable artifact, HLO as text and as a message."""
    x = kind.numbers((3, 5))
    function = jax.jit(lambda x: jnp.exp(x) * (1 - 2j) + jnp.fft.fft(x))
    with jax.enable_x64(kind is C128):
        exported = jax.export.export(function, platforms=["tpu"])(jax.ShapeDtypeStruct(x.shape, x.dtype))
        lowered = function.lower(x)
    hlo = lowered.compiler_ir("hlo")
    forms = [("p.mlir", lowered.as_text()), ("p.mlirbc", exported.mlir_module_serialized)]
    forms += [("p.txt", hlo.as_hlo_text(print_large_constants=True)), ("p.pb", hlo.as_serialized_hlo_module_proto())]
    for name, text in forms:
        (result,) = run_text(text, [x], tmp_path, name=name)
        np.testing.assert_allclose(
            result, np.exp(x) * (1 - 2j) + np.fft.fft(x), rtol=1e-5 * kind.scale, atol=1e-5 * kind.scale
        )


def test_results_are_printed(kind, tmp_path):
    program = tmp_path / "p.mlir"
    infinity = np.asarray(np.inf, kind.part).tobytes()[::-1].hex().upper()
    program.write_text(f"""func.func @main() -> tensor<2x{kind.name}> {{
      %0 = stablehlo.constant dense<[(1.5, -2.0), (0x{infinity}, 3.1)]> : tensor<2x{kind.name}>
      return %0 : tensor<2x{kind.name}>
    }}""")
    done = systole("run", program)
    assert "1.5-2.j" in done.stdout and "inf+3.1j" in done.stdout


def test_a_chain_of_operations_is_one_kernel(tmp_path):
    def chain(x, y):
        for _ in range(3):
            x = x * y + jnp.conj(x) - 1j
        return jnp.exp(x / y)

    program = tmp_path / "p.mlir"
    program.write_text(C64.text(chain, *2 * [jax.ShapeDtypeStruct((256, 128), C64.dtype)]))
    done = systole("run", program, "--timing-only", "--report", "json")
    assert done.returncode == 0, done.stderr
    assert sum(kernel["calls"] for kernel in json.loads(done.stdout)["kernels"]) == 1


# Fourier transforms
# ------------------

LENGTHS = [1, 2, 3, 7, 8, 60, 127, 128, 129, 243, 1000, 2048]


def spectrum_close(kind, result, wanted):
    """The error of a transform is a small part of the largest elements."""
    assert result.shape == wanted.shape
    if result.size:
        assert (
            np.abs(result - wanted).max() <= 2e-6 * kind.scale * max(np.sqrt(np.mean(np.abs(wanted) ** 2)), 1e-20) * 4
        )


# Transforms of complex<f64> take seconds to compile.
TRANSFORMS = [(C64, length) for length in LENGTHS] + [(C128, length) for length in (1, 2, 7, 60, 129)]


@pytest.mark.parametrize(("kind", "length"), TRANSFORMS, ids=[f"{k.name}-{length}" for k, length in TRANSFORMS])
def test_transforms_of_any_length(kind, length, tmp_path):
    def function(z, x):
        forward = jnp.fft.fft(z)
        return forward, jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z[:, : length // 2 + 1], length)

    z, x = kind.numbers((3, length)), kind.numbers((3, length), 1).real
    results = kind.run(function, (z, x), tmp_path)
    half = z[:, : length // 2 + 1].astype(kind.wide)
    wanted = [np.fft.fft(z.astype(kind.wide)), np.fft.ifft(z.astype(kind.wide))]
    wanted += [np.fft.rfft(x.astype(kind.wide_part)), np.fft.irfft(half, length)]
    for result, each in zip(results, wanted, strict=True):
        spectrum_close(kind, result, each)


@pytest.mark.parametrize("length", [1031, 2062])
def test_transforms_of_large_primes(length, tmp_path):
    kind = C64
    z = kind.numbers((2, length))
    forward, back = kind.run(lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z)), (z,), tmp_path)
    spectrum_close(kind, forward, np.fft.fft(z.astype(kind.wide)))
    spectrum_close(kind, back, np.fft.ifft(z.astype(kind.wide)))


def test_transforms_of_several_dimensions(kind, tmp_path):
    def function(z, x):
        return (
            jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.rfftn(x), jnp.fft.irfft2(z, s=(6, 9)), jnp.fft.fft(z, axis=0),
            jnp.fft.hfft(z[0], 9), jnp.fft.ihfft(x[0]), jnp.fft.fftshift(z), jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape),
        )  # fmt: skip

    z, x = kind.numbers((4, 6, 5)), kind.numbers((4, 6, 5), 1).real
    a, b = z.astype(kind.wide), x.astype(kind.wide_part)
    wanted = [np.fft.fft2(a), np.fft.ifftn(a), np.fft.rfftn(b), np.fft.irfft2(a, s=(6, 9)), np.fft.fft(a, axis=0)]
    wanted += [np.fft.hfft(a[0], 9), np.fft.ihfft(b[0]), np.fft.fftshift(a), b]
    for result, each in zip(kind.run(function, (z, x), tmp_path), wanted, strict=True):
        spectrum_close(kind, result, each)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 3)], ids=str)
def test_empty_transforms(kind, shape, tmp_path):
    (result,) = kind.run(lambda z: lax.fft(z, "FFT", (shape[-1],)), (kind.numbers(shape),), tmp_path)
    assert result.shape == shape and result.dtype == kind.dtype


def test_gradients_of_transforms(kind, tmp_path):
    def function(x):
        return jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 4))(x)

    x = kind.numbers((30,)).real
    (result,) = kind.run(function, (x,), tmp_path)
    np.testing.assert_allclose(result, kind.jitted(function)(x), rtol=1e-4 * kind.scale, atol=1e-2 * kind.scale)
