"""Element types of StableHLO: how programs take and return them, random elements, and how far results may differ.

Programs take and return arrays of a carrier type that the reference interpreter's interface knows, and convert
from and to it; every element of a type is an element of its carrier.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

import ml_dtypes
import numpy as np


@dataclasses.dataclass(frozen=True)
class Element:
    """An element type. `kind` is one of p(redicate), s(igned), u(nsigned), f(loat), c(omplex), q(uantized)."""

    name: str
    kind: str
    dtype: np.dtype
    carrier: str

    @property
    def bits(self):
        return int("".join(c for c in self.name.split("E")[0] if c.isdigit()) or 1)

    @property
    def is_finite(self):
        """Whether the format has no infinities, and NaN at most."""
        return self.name[:2] in ("f4", "f6") or self.name == "f8E8M0FNU"


@dataclasses.dataclass(frozen=True)
class Quantized(Element):
    """A quantized type with one scale, or one for each position of a dimension. Its carrier holds real numbers."""

    storage: str
    scales: tuple
    zeros: tuple
    axis: int | None = None

    @property
    def range(self):
        count = 1 << int(self.storage[1:])
        return (0, count - 1) if self.storage[0] == "u" else (-count // 2, count // 2 - 1)

    @property
    def real(self):
        """f32 in its place, for programs that round to its numbers by arithmetic."""
        return dataclasses.replace(self, name="f32")

    def along(self, values, rank):
        """The scales or zero points of a shape, to be broadcast."""
        shape = [-1 if d == self.axis else 1 for d in range(rank)]
        return np.reshape(values, shape if self.axis is not None else ())


def quantized_element(storage, scales, zeros, axis=None):
    parameters = [f"{scale!r}:{zero}" for scale, zero in zip(scales, zeros, strict=True)]
    of_axis = f":{axis}, {{{', '.join(parameters)}}}" if axis is not None else f", {parameters[0]}"
    name = f"!quant.uniform<{storage}:f32{of_axis}>"
    return Quantized(name, "q", np.dtype(np.float32), "f32", storage, tuple(scales), tuple(zeros), axis)


def float_element(name, dtype, carrier="f32"):
    return Element(name, "f", np.dtype(dtype), carrier)


PREDICATE = Element("i1", "p", np.dtype(bool), "i32")
SIGNED = [
    Element(f"i{n}", "s", np.dtype(f"int{max(n, 8)}"), "i64" if n == 64 else "i32") for n in (2, 4, 8, 16, 32, 64)
]
UNSIGNED = [
    Element(f"ui{n}", "u", np.dtype(f"uint{max(n, 8)}"), "i64" if n >= 32 else "i32") for n in (2, 4, 8, 16, 32, 64)
]
SMALL_FLOATS = [
    float_element("f4E2M1FN", ml_dtypes.float4_e2m1fn),
    float_element("f6E2M3FN", ml_dtypes.float6_e2m3fn),
    float_element("f6E3M2FN", ml_dtypes.float6_e3m2fn),
    float_element("f8E3M4", ml_dtypes.float8_e3m4),
    float_element("f8E4M3", ml_dtypes.float8_e4m3),
    float_element("f8E4M3FN", ml_dtypes.float8_e4m3fn),
    float_element("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz),
    float_element("f8E4M3B11FNUZ", ml_dtypes.float8_e4m3b11fnuz),
    float_element("f8E5M2", ml_dtypes.float8_e5m2),
    float_element("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz),
    float_element("f8E8M0FNU", ml_dtypes.float8_e8m0fnu),
]
WIDE_FLOATS = [
    float_element("bf16", ml_dtypes.bfloat16),
    float_element("f16", np.float16),
    float_element("f32", np.float32),
    float_element("f64", np.float64, "f64"),
]
FLOATS = SMALL_FLOATS + WIDE_FLOATS
COMPLEX = [
    Element("complex<f32>", "c", np.dtype(np.complex64), "f32"),
    Element("complex<f64>", "c", np.dtype(np.complex128), "f64"),
]
QUANTIZED = [
    quantized_element("i4", [0.5], [1]),
    quantized_element("i8", [0.25], [-3]),
    quantized_element("u8", [0.05], [100]),
    quantized_element("i16", [0.001], [0]),
]
# Products have such on their right side.
SYMMETRIC = [quantized_element("i8", [0.25], [0]), quantized_element("i16", [0.01], [0])]
INTEGERS = SIGNED + UNSIGNED
ALL = [PREDICATE, *INTEGERS, *FLOATS, *COMPLEX]
CARRIERS = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def draw(element, shape, rng, low=None, high=None):
    """Random elements, as their carrier; of complex numbers both parts. Without bounds, edges are among them."""
    carrier = CARRIERS[element.carrier]
    if element.kind == "c":
        part = float_element("part", carrier, element.carrier)
        return [*draw(part, shape, rng, low, high), *draw(part, shape, rng, low, high)]
    if element.kind == "q":
        return [draw_quantized(element, shape, rng, low, high)]
    if element.kind == "p":
        return [rng.integers(0, 2, shape).astype(carrier)]
    if element.kind in "su":
        return [draw_integers(element, shape, rng, low, high).astype(carrier)]
    spread = (low, high) if low is not None else (-3.0, 3.0)
    if element.is_finite and low is None:
        # Neither NaN nor infinities, and of some formats no zero: results stay within the format.
        spread, low = (0.5, 4.0), 0.5
    values = np.asarray(rng.uniform(*spread, shape))
    if low is None and values.size > 6:
        values.flat[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
    with np.errstate(all="ignore"):
        return [values.astype(element.dtype).astype(carrier)]


def draw_quantized(element, shape, rng, low, high):
    """Numbers that the type has."""
    scales, zeros = (element.along(values, len(shape)) for values in (element.scales, element.zeros))
    least, most = element.range
    if low is not None:
        least = np.maximum(least, np.ceil(low / scales) + zeros).astype(int)
        most = np.minimum(most, np.floor(high / scales) + zeros).astype(int)
    stored = rng.integers(least, most, shape, endpoint=True)
    return np.asarray((stored - zeros).astype(np.float32) * np.float32(scales), np.float32)


def draw_ones(element, shape, rng):
    """Ones and zeros, of which few are ones: sums of products that every type has."""
    carrier = CARRIERS[element.carrier]
    ones = (rng.random(shape) < 1.5 / max(shape[-1] if shape else 1, 3)).astype(carrier)
    return [ones, np.zeros(shape, carrier)] if element.kind == "c" else [ones]


def draw_integers(element, shape, rng, low, high):
    signed = element.kind == "s"
    least = -(1 << (element.bits - 1)) if signed else 0
    most = (1 << (element.bits - signed)) - 1
    least, most = (max(least, low), min(most, high)) if low is not None else (least, most)
    values = np.asarray(rng.integers(least, most, shape, np.int64 if signed else np.uint64, endpoint=True))
    if low is None and values.size > 6:
        values.flat[:4] = [0, 1, most, least]
    return values.view(np.int64)


def order(values):
    """Floats as integers in their order, which differ by units in the last place. Zeros are equal."""
    bits = values.view(f"u{values.itemsize}").astype(np.int64)
    sign = np.int64(1) << (8 * values.itemsize - 1)
    return np.where(
        bits & sign if values.itemsize < 8 else bits < 0, -(bits & ~sign if values.itemsize < 8 else bits ^ sign), bits
    )


def same(element, result, expected, units, of_largest=False, least=0):
    """Whether results are the expected ones, up to so many units in the last place: of each complex number, or of the
    largest; below `least` up to units of that.
    """
    if element.kind == "c":
        return same_complex(element, result, expected, units, of_largest)
    (result,), (expected,) = result, expected
    if element.kind == "q":
        # NaN has no integer. Neighbours of a rounded number are those of its scale.
        steps = (result - expected) / np.float32(element.along(element.scales, expected.ndim))
        return bool((np.isnan(expected) | (np.abs(steps) < min(units, 1) + 0.5)).all())
    if element.name == "f8E8M0FNU":
        # Numbers that it has no power of two for, zero among them, have no defined form.
        with np.errstate(all="ignore"):
            expected = expected.astype(element.dtype).astype(np.float32)
        known = np.isfinite(expected) & (expected > 2.0**-126)
        return bool((~known | (result == expected)).all())
    if element.kind != "f":
        return np.array_equal(result, expected)
    with np.errstate(all="ignore"):
        result, expected = (x.astype(element.dtype) for x in (result, expected))
        nan = np.isnan(result.astype(np.float64)) & np.isnan(expected.astype(np.float64))
        near = np.abs(order(result) - order(expected)) <= units
        if least:
            distance = np.abs(result.astype(np.float64) - expected.astype(np.float64))
            near |= distance <= units * least * float(ml_dtypes.finfo(element.dtype).eps)
    return bool((nan | near | flushed(element, result, expected)).all())


def flushed(element, result, expected):
    """Subnormal numbers of formats with the exponents of f32, which arithmetic in f32 has as zero."""
    if element.name not in ("f32", "bf16"):
        return False
    tiny = np.finfo(np.float32).tiny
    return (result.astype(np.float64) == 0) & (np.abs(expected.astype(np.float64)) < tiny)


def same_complex(element, result, expected, units, of_largest):
    """Complex numbers are as far apart as the distance is beside the magnitude."""
    result, expected = (np.asarray(re) + 1j * np.asarray(im) for re, im in (result, expected))
    finite = np.isfinite(result) & np.isfinite(expected)
    magnitude = np.abs(np.where(finite, expected, 0))
    if of_largest:
        magnitude = magnitude.max(initial=0)
    allowed = 2 * units * np.finfo(element.dtype).eps * magnitude
    distance = np.abs(np.where(finite, result - expected, 0))
    return bool((distance <= allowed).all() and (np.isfinite(result) == np.isfinite(expected)).all())
