"""Arguments for functions of arrays: the structure of a call, and the values of its arrays.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import zlib
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

DTYPES = {
    "f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16,
    "i32": jnp.int32, "bool": jnp.bool_, "u8": jnp.uint8, "i8": jnp.int8, "u32": jnp.uint32,
    "i16": jnp.int16, "u16": jnp.uint16, "c64": jnp.complex64,
    "f64": np.float64, "i64": np.int64, "u64": np.uint64, "c128": np.complex128,
}  # fmt: skip
# Those that need jax_enable_x64.
WIDE = ("f64", "i64", "u64", "c128")


@dataclasses.dataclass(frozen=True)
class Of:
    """An array of a kind of its own, whatever the sweep's type is.

    `kind`: "any" values of the sweep's type, special ones too; "plain" moderate ones; "positive"
    ones; "unit" between 0 and 1; "index" i32 from `low` to below `high`;
    "bool"; "f32", plain ones of that type; "sorted" plain ones.
    """

    kind: str
    shape: tuple = ()
    low: int = 0
    high: int = 0


def plain(*shape):
    return Of("plain", shape)


def positive(*shape):
    return Of("positive", shape)


def unit(*shape):
    return Of("unit", shape)


def index(low, high, *shape):
    return Of("index", shape, low, high)


def flags(*shape):
    return Of("bool", shape)


KEY = Of("key")


@dataclasses.dataclass(frozen=True)
class Call:
    """A function of arrays and the arguments of each of its cases.

    A tuple of integers stands for an array of that shape with any values. A function that takes the
    element type has it as its first argument.
    """

    function: Callable
    cases: tuple
    takes_dtype: bool = False
    dtypes: tuple = tuple(DTYPES)


def call(function, *cases, **kwargs):
    """A Call whose cases are argument lists, or one shape for all of a case's arguments."""
    return Call(function, tuple(cases), **kwargs)


SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, 30.0, -30.0, 1e-3)


def rounded(values, dtype):
    """Reals as elements of a type, those of at most 32 bits through f32."""
    return np.asarray(values).astype(np.float64 if dtype in (np.float64, np.complex128) else np.float32).astype(dtype)


def any_values(rng, shape, dtype):
    """Values of all kinds; in small arrays of each kind a few. Complex numbers are finite: what
    functions of others are differs between libraries."""
    if jnp.issubdtype(dtype, jnp.complexfloating):
        parts = any_values(rng, (2, *shape), np.finfo(dtype).dtype)
        parts = np.where(np.isfinite(parts), parts, parts.dtype.type(2.5))
        return (parts[0] + dtype(1j) * parts[1]).astype(dtype)
    size = int(np.prod(shape))
    if dtype == jnp.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)
        values = rng.integers(max(info.min, -20), min(info.max, 20), size, endpoint=True).astype(dtype)
        extremes = [info.min, info.max, 0, 1]
        places = rng.permutation(size)[: min(size // 4, 4)]
        values[places] = extremes[: len(places)]
        return values.reshape(shape)
    values = rng.normal(0, 3, size)
    places = rng.permutation(size)[: min(size // 2, len(SPECIAL_FLOATS))]
    values[places] = SPECIAL_FLOATS[: len(places)]
    return rounded(values.reshape(shape), dtype)


def make(spec, dtype, rng):
    """The array that a specification describes."""
    if isinstance(spec, tuple):
        return any_values(rng, spec, dtype)
    if not isinstance(spec, Of):
        return spec
    if spec.kind == "key":
        return np.asarray(jax.random.key_data(jax.random.key(int(rng.integers(1000)))))
    if spec.kind == "index":
        return rng.integers(spec.low, spec.high, spec.shape).astype(np.int32)
    if spec.kind == "bool":
        return rng.integers(0, 2, spec.shape).astype(bool)
    if spec.kind == "f32":
        return rng.normal(0, 1, spec.shape).astype(np.float32)
    if dtype == jnp.bool_:
        return rng.integers(0, 2, spec.shape).astype(bool)
    integral = jnp.issubdtype(dtype, jnp.integer)
    if spec.kind == "unit":
        values = rng.uniform(0.05, 0.95, spec.shape)
    elif spec.kind == "positive":
        values = rng.integers(1, 9, spec.shape) if integral else rng.uniform(0.3, 5, spec.shape)
    else:
        low = 0 if integral and jnp.iinfo(dtype).min == 0 else -9
        values = rng.integers(low, 9, spec.shape) if integral else rng.normal(0, 1.5, spec.shape)
    if spec.kind == "sorted":
        values = np.sort(values)
    elif jnp.issubdtype(dtype, jnp.complexfloating):
        return (rounded(values, dtype) + dtype(1j) * rounded(rng.normal(0, 1, spec.shape), dtype)).astype(dtype)
    return values.astype(dtype) if integral else rounded(values, dtype)


def arguments(name, dtype, case, number):
    """The arrays of a case; the same in every run."""
    specs = case if isinstance(case, list) else [case]
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    return [make(spec, DTYPES[dtype], rng) for spec in specs]
