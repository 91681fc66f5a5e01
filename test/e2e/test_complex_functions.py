"""Functions of complex numbers, against NumPy in a wider format.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from jax import lax

from complex_numbers import C64, C128, run_text


@pytest.fixture(params=[C64, C128], ids=["c64", "c128"])
def kind(request):
    return request.param


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


def test_the_logistic_function_beside_its_poles(kind, tmp_path):
    """The divisor, one and a power near minus one, keeps its digits."""
    sizes, turns = 2.0 ** np.arange(-12, 0), np.exp(2j * np.pi * (np.arange(12) + 0.5) / 12)
    beside = np.outer(sizes, turns).ravel()
    x = np.concatenate([beside + 1j * np.pi, beside - 3j * np.pi]).astype(kind.dtype)
    (result,) = run_text(unary(kind, "logistic", x.size), [x], tmp_path)
    with mpmath.workprec(200):
        wanted = [complex(1 / (1 + mpmath.exp(-mpmath.mpc(complex(z))))) for z in x]
    kind.close(result, np.array(wanted, kind.wide), 6)


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
