"""Values with a sound bound on the error of a conforming implementation.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The reference evaluates each operation as it is written: exactly (in float64), then
rounded to the element type, denormals flushed to zero. Operations that are defined
bit for bit (IEEE arithmetic, data movement, integers) give a bound of zero: there the
result must be equal. A bound arises where an implementation has a choice, that is in
contractions and sums (order of summation) and in transcendentals (2 ulp), and is carried
through what follows, which is running error analysis. Where a rounding or a step
function follows, the ends of the interval are rounded, so a bf16 result whose f32
interval holds no rounding boundary is again exact.
"""

import dataclasses

import ml_dtypes
import numpy as np

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
SMALLEST_NORMAL = 2.0**-126
UNIT = 2.0**-24  # unit roundoff of f32, in which every sum is accumulated


@dataclasses.dataclass(frozen=True)
class Model:
    """The tolerances of an implementation."""

    transcendental_ulps: float  # f32 ulps beyond the correctly rounded result
    division_ulps: float
    arithmetic_ulps: float  # 0: add, subtract and multiply are rounded one by one
    sum_factor: float  # multiple of the bound K * eps * sum|x|
    narrow_sums: bool  # a sum of bf16 may round to bf16 after each addition, not once at its end
    precision: str = "highest"  # of contractions of f32: default, high or highest


# The machine: every operation rounds as written, those that a reduction applies too;
# transcendentals and division within 2 ulp.
MACHINE = Model(2, 2, 0, 1, True)
# XLA on the CPU contracts a * b + c, and reassociates constants; its functions are looser.
XLA_CPU = Model(16, 2, 1, 2, True)


@dataclasses.dataclass
class Value:
    """An array and, elementwise, the largest difference from it of a conforming result.

    `err` is a float64 array of the shape of `data`, or 0.0 where all is exact. For
    booleans it is 0 or 1. Inf says that nothing is known about the element.
    """

    data: np.ndarray
    err: object = 0.0

    def __post_init__(self):
        self.data = np.asarray(self.data)  # NumPy makes scalars of arrays of rank 0
        err = np.asarray(self.err, np.float64)
        self.err = np.broadcast_to(err, self.data.shape) if err.any() else 0.0

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def shape(self):
        return self.data.shape

    @property
    def exact(self):
        """Whether every element is known exactly."""
        return not isinstance(self.err, np.ndarray)

    def errors(self):
        """The bound as an array."""
        return np.broadcast_to(self.err, self.shape)


def is_float(dtype):
    return dtype == F32 or dtype == BF16


def flush(x):
    """Denormals of f32 and bf16 (whose exponents are the same) to zero with their sign."""
    tiny = (np.abs(x) < SMALLEST_NORMAL) & (x != 0)
    return np.where(tiny, np.copysign(np.zeros((), x.dtype), x), x) if tiny.any() else x


def exact_value(array):
    """An input or a constant: known exactly, but for denormals, which count as zero."""
    array = np.asarray(array)
    return Value(flush(array) if is_float(array.dtype) else array)


def wide(value):
    """The data in float64, in which one operation on f32 is exact or innocuously rounded."""
    return value.data.astype(np.float64)


def to_type(x, dtype):
    """float64 to a float type: through f32, where the machine computes, then to bf16."""
    with np.errstate(over="ignore"):
        return flush(x.astype(np.float32)).astype(dtype)


def ulp(x):
    """The distance between f32 numbers at |x|, as float64."""
    with np.errstate(invalid="ignore"):
        exponent = np.frexp(np.where(np.isfinite(x), np.abs(x), 1.0))[1]
    return np.ldexp(1.0, np.maximum(exponent, -125) - 24)


def difference(a, b):
    """|a - b| where equal infinities and two NaN differ by 0, and a NaN from a number by inf."""
    with np.errstate(invalid="ignore"):
        distance = np.abs(a - b)
    if not np.isnan(distance).any():
        return distance
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))


def rounded(exact, dev, dtype):
    """The value of a float operation whose real result `exact` is uncertain by `dev`."""
    data = to_type(exact, dtype)
    if np.ndim(dev) == 0 and dev == 0:
        return Value(data)
    dev = np.broadcast_to(dev, data.shape)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = data.astype(np.float64)
        above = to_type(exact + dev, dtype).astype(np.float64)
        below = to_type(exact - dev, dtype).astype(np.float64)
    err = np.maximum(difference(above, middle), difference(middle, below))
    err = np.where(np.isfinite(dev), err, np.inf)
    err = np.where(np.isnan(exact) & (dev == 0), 0.0, err)
    return Value(data, err * (1 + 1e-9))


def quantum(x):
    """The largest power of two of which every element of a float64 array is a multiple."""
    nonzero = np.abs(x[(x != 0) & np.isfinite(x)])
    if nonzero.size == 0:
        return 1.0
    mantissa, exponent = np.frexp(nonzero)
    integer = (mantissa * 2.0**53).astype(np.int64)
    lowest = np.log2((integer & -integer).astype(np.float64))
    return 2.0 ** float((lowest + exponent - 53).min())


def sum_deviation(terms, magnitude, unit, model, narrow=False):
    """Bound on the error of summing `terms` numbers, whose absolute values sum to `magnitude`,
    in any order; 0 where every partial sum is a multiple of `unit` that the accumulator holds
    exactly. The accumulator is f32, or bf16 if `narrow`."""
    roundoff = 2.0**-8 if narrow else UNIT
    exact = magnitude < unit / roundoff
    with np.errstate(invalid="ignore"):  # no roundoff at all times an infinite magnitude
        bound = model.sum_factor * max(terms - 1, 0) * roundoff * magnitude * (1 + 1e-6)
    return np.where(exact, 0.0, bound)
