"""Whether two devices agree.

Integers are equal. Floats are within ULPS units in the last place of the element type, which are
the 16 of XLA's functions on the CPU (test/e2e/bounds.py) and the 2 of ours, or within FACTOR times
the noise of the function at these arguments: the change of its results on the CPU if the arguments
change by a unit in the last place, and the distance of these results from those in float64, or, of
64-bit and complex types, from those of its operations with an error each (rounding.py). An element
with a larger difference may also equal the result of JAX's operations executed one by one on the
CPU. Numbers below the smallest normal one of f32 (f64 in its results) count as zero. Parts of
complex numbers are compared in units of the magnitude.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np

from sweep import rounding

ULPS, FACTOR, PLACES = 18, 4, 8
# For noise that one element has and another, by chance, has not.
MOST_SHARED_ULPS = 256
MOST_BY_THEMSELVES = 4


def is_float(array):
    return jnp.issubdtype(array.dtype, jnp.inexact)


def smallest_normal(dtype):
    return 2.0**-1022 if dtype in (np.float64, np.complex128) else 2.0**-126


def widened(array):
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def unit(array):
    """The distance of floats around each element."""
    info = jnp.finfo(array.dtype)
    magnitude = np.maximum(np.abs(widened(array)), float(info.tiny))
    with np.errstate(invalid="ignore"):
        exponent = np.floor(np.log2(np.where(np.isfinite(magnitude), magnitude, 1.0)))
    return 2.0 ** (exponent - info.nmant)


def distance(a, b):
    """The distance of elements: 0 for equal infinities and for two NaN, infinite for other
    non-finite values."""
    if np.iscomplexobj(b):
        return np.maximum(distance(a.real, b.real), distance(a.imag, b.imag))
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def noise(run, run_otherwise, args, expected):
    """For each result, the distance from `expected` that rounding alone may cause in each element.
    `run_otherwise` is the function with other roundings."""
    worst = [np.zeros(array.shape) for array in expected]
    floats = [i for i, array in enumerate(expected) if is_float(array)]
    if not floats:
        return worst

    def add(args):
        try:
            arrays, others = run(args), run_otherwise(args)
        except Exception:  # not every function has such a form
            return
        for i in floats:
            if arrays[i].shape == others[i].shape:
                off = distance(arrays[i], others[i])
                # A single element may be exact by chance while its neighbours are not.
                units = off / unit(expected[i])
                shared = min(units[np.isfinite(units)].max(initial=0), MOST_SHARED_ULPS)
                worst[i] = np.maximum(worst[i], np.maximum(off, shared * unit(expected[i])))

    def measure(args):
        with contextlib.suppress(Exception):  # functions of integers alone have no noise
            for _ in range(PLACES):
                beside = jax.tree.map(lambda leaf: rounding.moved(leaf, rng), args)
                there = run(beside)
                for i in floats:
                    worst[i] = np.maximum(worst[i], distance(there[i], expected[i]))
                add(beside)
        add(args)

    rng = np.random.default_rng(1)
    measure(args)
    if not any(is_float(leaf) for leaf in jax.tree.leaves(args)):
        # Functions of reals convert integers first.
        real = np.float64 if jax.config.jax_enable_x64 else np.float32
        measure(jax.tree.map(lambda leaf: np.asarray(leaf, real), args))
    return worst


def is_as_by_itself(element, compute):
    """Whether an element equals the result of `compute`; false if it cannot be computed alone."""
    with contextlib.suppress(Exception):  # not every function works element by element
        other = compute()
        return other.shape == () and bool(distance(element, other) <= ULPS * unit(other))
    return False


def disagreement(actual, expected, measure_noise, by_itself):
    """The first difference of results, as text; None if they agree. `measure_noise` is only called
    if they differ by more than single functions do, `by_itself(result, place)` for the few elements
    beyond that noise."""
    if len(actual) != len(expected):
        return f"{len(actual)} results instead of {len(expected)}"
    allowed = None
    for number, (a, b) in enumerate(zip(actual, expected, strict=True)):
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"{a.dtype}{list(a.shape)} instead of {b.dtype}{list(b.shape)}"
        if not is_float(b):
            bad = a != b
        else:
            apart, bound = distance(a, b), ULPS * unit(b) + smallest_normal(b.dtype)
            bad = apart > bound
            if bad.any():
                allowed = measure_noise() if allowed is None else allowed
                bad = np.array(apart > bound + FACTOR * allowed[number])
            if 0 < bad.sum() <= MOST_BY_THEMSELVES:
                for place in map(tuple, np.argwhere(bad)):
                    bad[place] = not is_as_by_itself(a[place], functools.partial(by_itself, number, place))
        if bad.any():
            place = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(bad)))
            got, wanted = np.atleast_1d(a)[place], np.atleast_1d(b)[place]
            return f"result {number} {list(place)}: {got} instead of {wanted} ({bad.sum()} differ)"
    return ""
