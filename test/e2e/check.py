"""Compares results with the reference and reports where they differ.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from bounds import difference, flush, is_float


def check(result, expected, name="result"):
    """Fails unless each element of an array is within the bound of a Value: integers, booleans
    and whatever is defined bit for bit exactly, NaN and infinities in the same places."""
    assert result.dtype == expected.dtype, f"{name}: {result.dtype}, not {expected.dtype}"
    assert result.shape == expected.shape, f"{name}: shape {result.shape}, not {expected.shape}"
    if result.size == 0:
        return
    values = flush(result) if is_float(result.dtype) else result
    if expected.exact and np.array_equal(values, expected.data):
        return
    distance = difference(values.astype(np.float64), expected.data.astype(np.float64))
    bound = expected.errors()
    wrong = ~(distance <= bound)
    if wrong.any():
        raise AssertionError(f"{name}: {describe(result, expected, distance, bound, wrong)}")


def describe(result, expected, distance, bound, wrong):
    with np.errstate(all="ignore"):
        excess = np.where(wrong, distance / np.maximum(bound, 1e-300), 0)
    worst = np.unravel_index(np.argmax(excess), result.shape)
    place = ", ".join(str(int(i)) for i in worst)
    return (
        f"{int(wrong.sum())} of {result.size} elements of {result.dtype}{list(result.shape)} are "
        f"wrong; at [{place}] {result[worst]!r}, expected {expected.data[worst]!r} within "
        f"{bound[worst]:.3g}, differs by {distance[worst]:.3g}"
    )


def check_all(results, expected):
    """As `check`, for all results of a function in order."""
    assert len(results) == len(expected), f"{len(results)} results, not {len(expected)}"
    for number, (result, value) in enumerate(zip(results, expected)):
        check(result, value, f"out{number}")
