"""Operands and results of f64: NumPy's, which are those of IEEE 754.

XLA on the CPU is no reference: it flushes subnormal numbers of f64.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import ml_dtypes
import mpmath
import numpy as np
from jax import lax

F32 = np.float32

# Around limits of f64, of what other types represent, and of what is an integer.
EDGES = np.array(
    [0.0, 0.5, 1, 1.5, 2, 2.5, 3, np.inf, np.nan, 5e-324, 2.0**-1022, np.finfo(float).max, 1 + 2.0**-52, 1 - 2.0**-53]
    + [2.0**p for p in (-1074 + 52, -1023, -150, -149, -126, -24, 23, 24, 31, 32, 51, 52, 53, 63, 64, 1023)]
    + [2.0**p - 2.0 ** (p - 53) for p in (-1021, -126, 8, 31, 32, 52, 53, 63, 64)]
    + [2.0**p + 2.0 ** (p - 52) for p in (-1022, -126, -25, 31, 32, 51, 52)]
    + [2.0**52 + 0.5, 2.0**51 + 0.5, 65504, 65519.99, 65520, float(np.finfo(F32).max), 3.4028235677973366e38, 7e-46]
)  # fmt: skip


def operands(count, seed):
    """Of all bits, of moderate exponents, subnormal, of few bits, halves of integers, and edges."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, count, dtype=np.uint64)
    sign, fraction = bits & np.uint64(1 << 63), bits & np.uint64((1 << 52) - 1)
    exponent = rng.integers(1000, 1090, count).astype(np.uint64) << np.uint64(52)
    few = fraction & rng.integers(0, 2**64, count, dtype=np.uint64) & rng.integers(0, 2**64, count, dtype=np.uint64)
    edges = rng.choice(EDGES, count).view(np.uint64) ^ sign
    halves = (rng.integers(-(2**33), 2**33, count) / 2).view(np.uint64)
    kinds = [bits, sign | exponent | fraction, sign | fraction, sign | exponent | few, halves, edges]
    return np.choose(rng.integers(0, len(kinds), count), kinds).view(np.float64)


def pairs(count, seed):
    """Independent ones, and some that almost cancel."""
    x, y = operands(count, 2 * seed), operands(count, 2 * seed + 1)
    rng = np.random.default_rng(seed)
    near = np.where(rng.random(count) < 0.5, x, -x)
    with np.errstate(all="ignore"):
        near = near * (1 + rng.integers(-3, 4, count) * 2.0**-52) * 2.0 ** rng.integers(-1, 2, count)
    return x, np.where(rng.random(count) < 0.2, near, y)


def same(result, wanted):
    """Whether elements have the same bits, or both are NaN."""
    assert result.dtype == wanted.dtype and result.shape == wanted.shape, (result.dtype, wanted.dtype)
    if result.dtype.kind in "iub":
        return result == wanted
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[result.dtype.itemsize]
    result, wanted = np.ascontiguousarray(result), np.ascontiguousarray(wanted)
    return (result.view(bits) == wanted.view(bits)) | (np.isnan(result) & np.isnan(wanted))


def extreme(pick, zero):
    """NumPy's minimum or maximum, with -0 below 0."""
    return lambda x, y: np.where((x == 0) & (y == 0), np.where(np.signbit(x) == zero, x, y), pick(x, y))


def saturated(x, dtype):
    info = np.iinfo(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0.0, x))
    inside = (whole >= float(info.min)) & (whole < float(info.max) + (float(info.max) < 2**53))
    clipped = np.where(whole < 0, info.min, info.max).astype(dtype)
    return np.where(inside, np.where(inside, whole, 0).astype(dtype), clipped)


def to_bf16(x):
    """Rounded once: to f32 towards odd, then to bf16, whose subnormal numbers the machine flushes."""
    narrow = x.astype(F32)
    towards = np.where((np.abs(narrow) > np.abs(x)) & np.isfinite(x), np.nextafter(narrow, F32(0)), narrow)
    odd = np.where((towards != x) & ~np.isnan(x), (towards.view(np.uint32) | 1).view(F32), towards)
    result = odd.astype(ml_dtypes.bfloat16)
    return np.where(np.abs(result.astype(F32)) < F32(2.0**-126), np.copysign(F32(0), odd), result).astype(result.dtype)


UNARY = {
    "neg": (lambda x: -x, lambda x: -x),
    "abs": (jnp.abs, np.abs),
    "sign": (lax.sign, lambda x: np.where((x == 0) | np.isnan(x), x, np.copysign(1.0, x))),
    "sqrt": (lax.sqrt, np.sqrt),
    "floor": (lax.floor, np.floor),
    "ceil": (lax.ceil, np.ceil),
    "to_even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), np.rint),
    "away": (
        lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
        lambda x: np.copysign(np.trunc(np.abs(x)) + (np.abs(x) - np.trunc(np.abs(x)) >= 0.5), x),
    ),
    "is_finite": (lax.is_finite, np.isfinite),
    "to_f32": (lambda x: x.astype(F32), lambda x: x.astype(F32)),
    "to_f16": (lambda x: x.astype(np.float16), lambda x: x.astype(np.float16)),
    "to_bf16": (lambda x: x.astype(jnp.bfloat16), to_bf16),
    "to_bool": (lambda x: x.astype(bool), lambda x: x != 0),
    "bits": (lambda x: lax.bitcast_convert_type(x, jnp.uint64), lambda x: x.view(np.uint64)),
} | {
    f"to_{np.dtype(t).name}": (lambda x, t=t: x.astype(t), lambda x, t=t: saturated(x, t))
    for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
}

BINARY = {
    "add": (lambda x, y: x + y, np.add),
    "subtract": (lambda x, y: x - y, np.subtract),
    "multiply": (lambda x, y: x * y, np.multiply),
    "divide": (lambda x, y: x / y, np.divide),
    "min": (lax.min, extreme(np.minimum, True)),
    "max": (lax.max, extreme(np.maximum, False)),
    "lt": (lambda x, y: x < y, np.less),
    "le": (lambda x, y: x <= y, np.less_equal),
    "eq": (lambda x, y: x == y, np.equal),
    "ne": (lambda x, y: x != y, np.not_equal),
}


def wanted(reference, *args):
    with np.errstate(all="ignore"):
        return reference(*args)


def magnitudes(count, low, high, rng):
    """Of either sign, with exponents between the limits."""
    return rng.choice([-1.0, 1.0], count) * 2.0 ** rng.uniform(low, high, count)


def positive(function):
    return lambda count, rng: np.abs(function(count, rng))


def spread(*limits):
    """Magnitudes for each pair of limits of exponents."""
    return lambda count, rng: np.concatenate([magnitudes(count, *pair, rng) for pair in limits])


def near_multiples(count, rng):
    return np.concatenate([spread((-1074, 3), (0, 1023))(count, rng), rng.integers(-(10**6), 10**6, count) * np.pi / 2])


def around_one(count, rng):
    return np.concatenate([magnitudes(count, -1074, 1023, rng), 1 + magnitudes(count, -52, -1, rng)])


def uniform(*limits):
    """As many numbers between each pair of limits."""
    return lambda count, rng: np.concatenate([rng.uniform(*pair, count) for pair in limits])


def together(*draws):
    return lambda count, rng: np.concatenate([draw(count, rng) for draw in draws])


def signed(draw):
    def both(count, rng):
        x = draw(count, rng)
        return x * rng.choice([-1.0, 1.0], x.size)

    return both


def near(point, low, high):
    return lambda count, rng: point + magnitudes(count, low, high, rng)


def below_one(count, rng):
    """Down to the last number, as many in each binade of the distance."""
    return np.concatenate([1 - np.abs(magnitudes(count, -53, -1, rng)), magnitudes(count, -1074, 0, rng)])


def from_one(count, rng):
    return np.concatenate([1 + np.abs(magnitudes(count, -52, 10, rng)), np.abs(magnitudes(count, 1, 1023, rng))])


def more_exactly(function, singular=np.nan):
    """A function of mpmath as one of arrays in 64 bits, where it is defined."""

    def one(x):
        if np.isnan(x):
            return np.longdouble(np.nan)
        with mpmath.workprec(200):
            try:
                exact = function(mpmath.mpf(float(x)))
            except ValueError:
                return np.longdouble(singular)
            if not mpmath.isfinite(exact):
                return np.longdouble(float(exact))
            mantissa, exponent = mpmath.frexp(exact)
            upper = float(mantissa)
            return np.ldexp(np.longdouble(upper) + np.longdouble(float(mantissa - upper)), int(exponent))

    return np.vectorize(one, otypes=[np.longdouble])


def log_gamma(x):
    return mpmath.inf if mpmath.isinf(x) else mpmath.re(mpmath.loggamma(x))


def digamma(x):
    if mpmath.isinf(x):
        return x if x > 0 else mpmath.nan
    return mpmath.digamma(x)


def inverse_error(x):
    """By Newton's method on the complement, which is exact near 1, but has no digits of tiny numbers."""
    if abs(x) > 1:
        return mpmath.nan
    if abs(x) < 0.5:
        return mpmath.erfinv(x)
    if abs(x) == 1:
        return x * mpmath.inf
    rest = 1 - abs(x)
    guess = mpmath.erfinv(mpmath.mpf(min(abs(x), 0.9)))
    if rest < 0.1:
        guess = mpmath.sqrt(-mpmath.log(rest * mpmath.sqrt(mpmath.pi * -mpmath.log(rest))))
    for _ in range(12):
        slope = 2 / mpmath.sqrt(mpmath.pi) * mpmath.exp(-(guess**2))
        guess += (mpmath.erfc(guess) - rest) / slope
    return mpmath.sign(x) * guess


def bessel_i1e(x):
    return mpmath.mpf(0) if mpmath.isinf(x) else mpmath.besseli(1, x) * mpmath.exp(-abs(x))


# Functions of one number in JAX, exactly, and their operands.
FUNCTIONS = {
    "exp": (jnp.exp, np.exp, spread((-60, -2), (-2, 9.47))),
    "expm1": (jnp.expm1, np.expm1, spread((-1074, -2), (-3, 9.47))),
    "log": (jnp.log, np.log, positive(around_one)),
    "log1p": (jnp.log1p, np.log1p, lambda n, rng: np.maximum(around_one(n, rng), -1)),
    "tanh": (jnp.tanh, np.tanh, spread((-1074, -2), (-3, 5))),
    "rsqrt": (lax.rsqrt, lambda x: 1 / np.sqrt(x), positive(around_one)),
    "cbrt": (jnp.cbrt, np.cbrt, around_one),
    "sin": (jnp.sin, np.sin, near_multiples),
    "cos": (jnp.cos, np.cos, near_multiples),
    "tan": (jnp.tan, np.tan, near_multiples),
    "acos": (jnp.arccos, np.arccos, signed(below_one)),
    "asin": (jnp.arcsin, np.arcsin, signed(below_one)),
    "atan": (jnp.arctan, np.arctan, around_one),
    "acosh": (jnp.arccosh, np.arccosh, from_one),
    "asinh": (jnp.arcsinh, np.arcsinh, spread((-1074, 0), (-4, 10), (0, 1023))),
    "atanh": (jnp.arctanh, np.arctanh, signed(below_one)),
    "cosh": (jnp.cosh, np.cosh, spread((-60, -2), (-2, 9.47))),
    "sinh": (jnp.sinh, np.sinh, spread((-1074, -2), (-2, 9.47))),
    "erf": (lax.erf, more_exactly(mpmath.erf), together(spread((-1074, 0)), uniform((-1, 1), (-6, 6)))),
    "erfc": (
        lax.erfc,
        more_exactly(lambda x: mpmath.erfc(max(min(x, 100), -100))),
        together(spread((-1074, 0)), uniform((-6, 1), (1, 27.3))),
    ),
    "erf_inv": (lax.erf_inv, more_exactly(inverse_error), signed(below_one)),
    "lgamma": (
        lax.lgamma,
        more_exactly(log_gamma, np.inf),
        together(
            spread((-1074, 0)),
            near(1, -52, -1),
            near(2, -51, -1),
            uniform((-20, 0), (0, 20)),
            positive(spread((3, 1015))),
        ),
    ),
    "digamma": (
        lax.digamma,
        more_exactly(digamma),
        together(
            spread((-1020, 0)),
            near(1.4616321449683622, -52, -2),
            uniform((-20, 0), (0, 20)),
            positive(spread((3, 1023))),
        ),
    ),
    "bessel_i1e": (
        lax.bessel_i1e,
        more_exactly(bessel_i1e),
        together(spread((-1074, 0), (3, 1000)), uniform((-20, 20))),
    ),
}


def errors(result, reference, *args):
    """Distances in units in the last place from a function in 64 bits; 0 for two NaN and equal infinities."""
    with np.errstate(all="ignore"):
        exact = reference(*(a.astype(np.longdouble) for a in args))
        nearest = exact.astype(np.float64)
        unit = np.maximum(np.ldexp(1.0, np.frexp(nearest)[1] - 53), 5e-324).astype(np.longdouble)
        distance = np.abs(result.astype(np.longdouble) - exact) / unit
    both = (np.isnan(result) & np.isnan(nearest)) | (result == nearest)
    return np.where(np.isfinite(nearest) & np.isfinite(result), distance, np.where(both, 0, np.inf)).astype(np.float64)
