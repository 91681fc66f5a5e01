"""CHLO operations as JAX writes them: special functions to a few units in the last place.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import typing

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jaxlib.mlir.dialects import _chlo_ops_gen as generated
from scipy import special

from systole_cli import MLIR_NAMES, systole_run

F32, BF16, F16 = np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)
LEAST = 2.0**-126  # the least normal number: smaller ones count as zero
LARGEST = 3.4028234e38
SPECIALS = [0.0, -0.0, np.nan, np.inf, -np.inf, 2.0**-149, -(2.0**-127), LEAST, -LEAST, LARGEST]
ORDINARY = [1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 8.0, 10.0, 40.0, 88.72, 89.0, 89.5, 1e-20, 1e20]


def erf_inv(x):
    """Near 1 from the complement, which is exact."""
    size = np.abs(x)
    result = np.where(size > 0.5, special.erfcinv(1 - size), special.erfinv(size))
    return np.where(size > 1, np.nan, np.copysign(result, x))


def digamma(x):
    """Not a number where there is a pole, as JAX has it."""
    return np.where((x <= 0) & (x == np.floor(x)), np.nan, special.digamma(x))


def lgamma(x):
    return np.where(x == -np.inf, np.inf, special.gammaln(x))


@dataclasses.dataclass(frozen=True)
class Function:
    exact: typing.Callable  # in f64
    ulps: float  # that an f32 result may be off
    low: float  # the magnitudes that are tried
    high: float
    negative: bool = True


# Errors measured on 120,000 numbers each, rounded up.
FUNCTIONS = {
    "acos": Function(np.arccos, 1.5, 1e-30, 1.0),
    "asin": Function(np.arcsin, 2, 1e-30, 1.0),
    "atan": Function(np.arctan, 0.6, 1e-30, LARGEST),
    "acosh": Function(np.arccosh, 2, 1.0, LARGEST),
    "asinh": Function(np.arcsinh, 2, 1e-30, LARGEST),
    "atanh": Function(np.arctanh, 2, 1e-30, 1.0),
    "cosh": Function(np.cosh, 2, 1e-30, 89.4),
    "sinh": Function(np.sinh, 2, 1e-30, 89.4),
    "tan": Function(np.tan, 0.6, 1e-30, 1e6),
    "bessel_i1e": Function(special.i1e, 3, 1e-30, LARGEST),
    "digamma": Function(digamma, 5, 1e-30, 1e37, negative=False),
    "erf": Function(special.erf, 2, 1e-30, 20.0),
    "erf_inv": Function(erf_inv, 3, 1e-30, 1.0),
    "erfc": Function(special.erfc, 5, 1e-30, 12.0),
    "lgamma": Function(lgamma, 7, 1e-30, 4e36, negative=False),
    "square": Function(np.square, 0.5, 1e-15, 1e18),
}


def between(low, high, count):
    """f32 numbers that are equally far apart as bit patterns: as many for each binade."""
    first, last = np.array([low, high], F32).view(np.int32).astype(np.int64)
    return np.unique(np.linspace(first, last, count).astype(np.int32)).view(F32)


def flushed(x):
    return np.where(np.abs(x) < LEAST, np.copysign(0, x), x)


def spacing(value, dtype):
    """The distance of numbers around f64 values."""
    info = ml_dtypes.finfo(dtype)
    _, exponent = np.frexp(value)
    return np.ldexp(1.0, np.maximum(exponent, int(info.minexp) + 1) - 1 - int(info.nmant))


def errors(got, exact, dtype):
    """In units of the last place; 0 where a result is as special as it should be."""
    wide = got.astype(np.float64)
    with np.errstate(all="ignore"):
        rounded = flushed(exact).astype(dtype).astype(np.float64)
        ulps = np.abs(wide - exact) / spacing(np.where(np.isfinite(exact), exact, 1.0), dtype)
    tiny = float(ml_dtypes.finfo(dtype).smallest_normal)
    special_case = (wide == rounded) & ~np.isfinite(rounded)
    special_case |= np.isnan(wide) & np.isnan(exact)
    special_case |= (np.abs(exact) < tiny) & (np.abs(wide) <= tiny)
    return np.where(special_case, 0.0, np.where(np.isnan(ulps), np.inf, ulps))


def evaluate(name, x, directory):
    element = MLIR_NAMES.get(x.dtype, "f16")
    kind = f"tensor<{x.size}x{element}>"
    text = (
        f"func.func @main(%x: {kind}) -> {kind} {{\n"
        f"  %r = chlo.{name} %x : {kind} -> {kind}\n  return %r : {kind}\n}}\n"
    )
    (result,) = systole_run(text, [x], directory)
    return result


def check(name, x, allowed, directory, exact=None):
    exact = exact or FUNCTIONS[name].exact
    got = evaluate(name, x, directory)
    with np.errstate(all="ignore"):
        wanted = exact(flushed(x.astype(np.float64)))
    off = errors(got, wanted, x.dtype)
    worst = int(np.argmax(off))
    assert off[worst] <= allowed, f"{name}({x[worst]!r}) is {got[worst]!r}, not {wanted[worst]!r}: {off[worst]:.2f} ulp"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_f32(name, tmp_path):
    function = FUNCTIONS[name]
    x = between(function.low, function.high, 20_000)
    more = np.array([n for n in SPECIALS + ORDINARY if function.negative or not n < 0], F32)
    x = np.concatenate([x, -x, more] if function.negative else [x, more])
    check(name, x, function.ulps, tmp_path)


@pytest.mark.parametrize("dtype", [BF16, F16], ids=["bf16", "f16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_narrow(name, dtype, tmp_path):
    """Computed in f32 and rounded once: an ulp at most, whatever the f32 result's error."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    infinity = np.array(np.inf, dtype).view(np.uint16)
    patterns = patterns[(patterns & 0x7FFF) <= infinity].view(dtype)
    patterns = np.append(patterns, np.array(np.nan, dtype))
    wide = np.abs(patterns.astype(np.float64))
    function = FUNCTIONS[name]
    inside = ((wide >= 2.0**-14) & (wide <= min(function.high, 60000.0))) | ~np.isfinite(wide)
    x = patterns[inside & (function.negative | ~np.signbit(patterns))]
    check(name, x, 0.51, tmp_path)


@pytest.mark.parametrize("name, allowed", [("lgamma", 8 * 2.0**-24), ("digamma", 16 * 2.0**-24)])
def test_reflection(name, allowed, tmp_path):
    """Left of zero two terms may cancel: the error is relative to these."""
    x = -between(1e-20, 1e4, 20_000)
    x = np.concatenate([x, np.array([-1, -2, -170, -(2.0**24), -1e30, -np.inf], F32)])
    wide = x.astype(np.float64)
    got = evaluate(name, x, tmp_path).astype(np.float64)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name].exact(wide)
        angle = np.pi * (wide - np.rint(wide))
        if name == "lgamma":
            terms = np.abs(np.log(np.pi / np.abs(np.sin(angle)))) + np.abs(special.gammaln(1 - wide))
        else:
            terms = np.abs(np.pi / np.tan(angle)) + np.abs(special.digamma(1 - wide))
        off = np.abs(got - exact) / (1 + terms)
    same = (got == exact) | (np.isnan(got) & np.isnan(exact))
    off = np.where(same, 0, np.where(np.isfinite(off), off, np.inf))
    worst = int(np.argmax(off))
    assert off[worst] <= allowed, f"{x[worst]!r}: {got[worst]} not {exact[worst]}, {off[worst]}"


@pytest.mark.parametrize("dtype", [F32, BF16, F16], ids=["f32", "bf16", "f16"])
def test_next_after(dtype, tmp_path):
    tiny = [2.0**-149, -(2.0**-140)] if dtype == F32 else []
    some = [0.0, -0.0, *tiny, 1.0, -1.0, 1.5, 2.0**-13, np.inf, -np.inf, np.nan, 60000.0]
    x, y = (v.ravel() for v in np.meshgrid(np.array(some, dtype), np.array(some, dtype)))
    element = MLIR_NAMES.get(dtype, "f16")
    kind = f"tensor<{x.size}x{element}>"
    text = (
        f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{\n"
        f"  %r = chlo.next_after %x, %y : {kind}, {kind} -> {kind}\n  return %r : {kind}\n}}\n"
    )
    (got,) = systole_run(text, [x, y], tmp_path)
    wanted = np.where(x == y, y, np.nextafter(x, y))
    if dtype == BF16:  # whose denormals are f32's, and become zero when they are stored
        least = ml_dtypes.finfo(dtype).smallest_normal
        with np.errstate(invalid="ignore"):
            wanted = np.where(np.abs(wanted) < least, np.copysign(wanted * 0, wanted), wanted)
    np.testing.assert_array_equal(got.astype(np.float64), wanted.astype(np.float64))
    numbers = ~np.isnan(wanted.astype(np.float64))
    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(wanted)[numbers])


@pytest.mark.parametrize("width", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["i", "ui"])
def test_mulhi(sign, width, tmp_path):
    least, most = (0, 2**width - 1) if sign == "ui" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    dtype = np.dtype({2: ml_dtypes.int2, 4: ml_dtypes.int4}.get(width, f"int{width}"))
    if sign == "ui":
        dtype = np.dtype({2: ml_dtypes.uint2, 4: ml_dtypes.uint4}.get(width, f"uint{width}"))
    rng = np.random.default_rng(7)
    powers = [value for bit in range(width) for value in (2**bit, -(2**bit), 2**bit - 1) if least <= value <= most]
    drawn = [int.from_bytes(rng.bytes(8), "little") % (most - least + 1) + least for _ in range(20)]
    values = sorted({least, least + 1, 0, 1, most - 1, most, *powers[-60:], *drawn})
    pairs = [(x, y) for x in values for y in values]
    x, y = (np.array(side, object).astype(dtype) for side in zip(*pairs, strict=True))
    kind = f"tensor<{len(pairs)}x{sign}{width}>"
    text = (
        f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{\n"
        f"  %r = chlo.mulhi %x, %y : {kind}, {kind} -> {kind}\n  return %r : {kind}\n}}\n"
    )
    (got,) = systole_run(text, [x, y], tmp_path)
    assert got.view(dtype).astype(object).tolist() == [x * y >> width for x, y in pairs]


def test_predicates_and_broadcasts(tmp_path):
    """Cases that JAX does not emit: infinities by sign, constants, operands of several shapes."""
    x = np.array([[0.0, np.inf, -np.inf, np.nan], [1.0, -2.0, 3e38, -0.0]], F32)
    y = np.array([2.0, -3.0], F32)
    n = np.array([1, 2, 3, 40], np.int32)
    text = """
    func.func @main(%x: tensor<2x4xf32>, %y: tensor<2xf32>, %n: tensor<4xi32>)
        -> (tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>,
            tensor<3x4xi32>, tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) {
      %0 = chlo.is_inf %x : tensor<2x4xf32> -> tensor<2x4xi1>
      %1 = chlo.is_pos_inf %x : tensor<2x4xf32> -> tensor<2x4xi1>
      %2 = chlo.is_neg_inf %x : tensor<2x4xf32> -> tensor<2x4xi1>
      %3 = "chlo.constant_like"(%x) <{value = 2.5 : f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %4 = chlo.broadcast_subtract %y, %x {broadcast_dimensions = array<i64: 0>}
          : (tensor<2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      %m = stablehlo.constant dense<[[1], [2], [5]]> : tensor<3x1xi32>
      %5 = chlo.broadcast_shift_left %n, %m : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %6 = chlo.broadcast_compare %x, %c {comparison_direction = #chlo<comparison_direction GE>}
          : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi1>
      %z = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
      %7 = chlo.broadcast_select %z, %x, %c : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
      %8 = chlo.broadcast_next_after %x, %c : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
      return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x4xi1>, tensor<2x4xi1>, tensor<2x4xi1>,
          tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x4xi32>, tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>
    }"""
    got = systole_run(text, [x, y, n], tmp_path)
    with np.errstate(all="ignore"):
        wanted = [
            *(np.isinf(x), np.isposinf(x), np.isneginf(x), np.full_like(x, 2.5), y[:, None] - x),
            n << np.array([[1], [2], [5]], np.int32),
            x >= 1,
            np.where([True, False, True, False], x, F32.type(1)),
            np.nextafter(x, F32.type(1)),
        ]
    for result, value in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(result, value)


JAX_FUNCTIONS = {
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "log_ndtr_like": lambda x: jnp.log(0.5 * lax.erfc(-x / 2)),
    "gammas": lambda x: lax.lgamma(jnp.abs(x) + 0.25) - lax.digamma(jnp.abs(x) + 0.25),
    "inverses": lambda x: lax.asinh(x) + lax.atan(x) + lax.erf_inv(jnp.tanh(x) * 0.9),
    "in_a_loop": lambda x: lax.fori_loop(0, 3, lambda i, y: lax.square(jnp.sin(y)) + lax.erf(y), x),
    "next": lambda x: lax.nextafter(x, -x),
    "bessel": lambda x: lax.bessel_i1e(x) * lax.cosh(x) + lax.sinh(x),
}


@pytest.mark.parametrize("name", JAX_FUNCTIONS)
def test_as_jax_writes_them(name, tmp_path):
    """JAX on the CPU is a few ulps off itself; terms of these sums are below 100."""
    function = JAX_FUNCTIONS[name]
    x = np.linspace(-5, 5, 9 * 129, dtype=F32).reshape(9, 129)
    text = jax.jit(function).lower(x).as_text()
    assert "chlo." in text
    (got,) = systole_run(text, [x], tmp_path)
    np.testing.assert_allclose(got, jax.jit(function)(x), rtol=2e-5, atol=2e-6)


def within(got, exact, ulps):
    """Equal places of infinities and NaN, and elsewhere a relative error of so many units in the last place."""
    exact = exact.astype(np.float64)
    finite = np.isfinite(exact) & (np.abs(exact) < LARGEST)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(got[~finite], exact[~finite].astype(F32))
    normal = finite & (np.abs(exact) > 2 * LEAST)
    error = np.abs(got[normal].astype(np.float64) / exact[normal] - 1)
    assert error.max(initial=0) <= ulps * 2.0**-23, error.max()


# Errors measured on 40,000 pairs each, against SciPy in f64, rounded up.


def test_zeta(tmp_path):
    text = jax.jit(lax.zeta).trace(*[jax.ShapeDtypeStruct((4000,), F32)] * 2)
    text = text.lower(lowering_platforms=("tpu",)).as_text()
    assert "chlo.zeta" in text
    rng = np.random.default_rng(8)
    s = (1 + np.exp(rng.uniform(-4, 4, 4000))).astype(F32)
    q = np.exp(rng.uniform(-5, 6, 4000)).astype(F32)
    (got,) = systole_run(text, [s, q], tmp_path)
    within(got, special.zeta(s.astype(np.float64), q.astype(np.float64)), 8)


def test_zeta_at_poles_and_beyond(tmp_path):
    s = np.array([1, 0.5, -2, 2, 2.5, 3, 2, 4, np.nan, 2, 200], F32)
    q = np.array([3, 3, 3, -1, -1.5, -1.5, 0, -2.25, 1, np.nan, 0.25], F32)
    text = jax.jit(lax.zeta).trace(s, q).lower(lowering_platforms=("tpu",)).as_text()
    (got,) = systole_run(text, [s, q], tmp_path)
    # For negative q the sum of the first terms and that of all others from a positive one on.
    shifted = lambda s, q: sum((q + k) ** -s for k in range(4)) + special.zeta(s, q + 4)
    expected = np.array(
        [
            np.inf,
            np.nan,
            np.nan,
            np.inf,
            np.nan,
            shifted(3.0, -1.5),
            np.inf,
            shifted(4.0, -2.25),
            np.nan,
            np.nan,
            np.inf,
        ]
    )
    # The terms of numbers below zero cancel.
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-6)


def test_polygamma(tmp_path):
    rng = np.random.default_rng(9)
    n = rng.integers(0, 12, 4000).astype(F32)
    x = np.exp(rng.uniform(-2, 6, 4000)).astype(F32)
    n[:4], x[:4] = [-1, 0.5, np.nan, 2], [1, 1, 1, np.nan]
    text = jax.jit(lax.polygamma).trace(n, x).lower(lowering_platforms=("tpu",)).as_text()
    assert "chlo.polygamma" in text
    (got,) = systole_run(text, [n, x], tmp_path)
    assert np.isnan(got[:4]).all()
    with np.errstate(all="ignore"):
        exact = special.polygamma(n[4:].astype(int), x[4:].astype(np.float64))
    near = np.abs(exact) > 1e-3  # digamma has a zero
    within(got[4:][near], exact[near], 5)


@pytest.mark.parametrize("name", ["zeta", "polygamma"])
def test_broadcast_special_functions(name, tmp_path):
    text = f"""func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {{
      %r = chlo.broadcast_{name} %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }}"""
    x, y = np.array([2, 3, 4, 5], F32), np.float32(1.5)
    (got,) = systole_run(text, [x, y], tmp_path)
    expected = special.zeta(x, y) if name == "zeta" else special.polygamma(x.astype(int), y)
    np.testing.assert_allclose(got, expected, rtol=3e-6)


def test_operations_that_nothing_replaces():
    """Of those that jaxlib knows; whoever adds one finds it here."""
    names = {
        value.OPERATION_NAME
        for value in vars(generated).values()
        if isinstance(value, type) and hasattr(value, "OPERATION_NAME")
    }
    handled = {f"chlo.{name}" for name in FUNCTIONS} | {
        *("chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf", "chlo.constant_like", "chlo.conj"),
        *("chlo.next_after", "chlo.mulhi", "chlo.broadcast_compare", "chlo.broadcast_select"),
        *("chlo.polygamma", "chlo.zeta"),
    }
    left = {n for n in names if n not in handled and not n.startswith("chlo.broadcast_")}
    # In test_decompose.py, and sorts.
    assert left == {
        *("chlo._asin_acos_kernel", "chlo.constant", "chlo.ragged_dot", "chlo.scan", "chlo.top_k"),
    }
