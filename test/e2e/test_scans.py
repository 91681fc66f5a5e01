"""Cumulative operations along each axis, in both directions, against NumPy.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import exact_value
from check import check_all
from systole_cli import systole_run
from test_elementwise import generator
from verify import lower


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("shape", [(17,), (128,), (129,), (3, 1000), (16500,), (9, 30, 5), (1001, 77)], ids=str)
def test_scans(shape, reverse, tmp_path):
    """Sums, products and extremes of integers along each axis, by blocks and blocks of blocks."""
    x = generator("scan", str(shape)).integers(-4, 5, shape).astype(np.int32)
    scans = {lax.cumsum: np.add, lax.cumprod: np.multiply, lax.cummax: np.maximum, lax.cummin: np.minimum}

    def function(x):
        return [scan(x, d, reverse=reverse) for scan in scans for d in range(x.ndim)]

    def accumulated(ufunc, d):
        flipped = np.flip(x, d) if reverse else x
        result = ufunc.accumulate(flipped, d, dtype=np.int32)
        return np.flip(result, d) if reverse else result

    results = systole_run(lower(function, [x]).as_text(), [x], tmp_path)
    check_all(results, [exact_value(accumulated(ufunc, d)) for ufunc in scans.values() for d in range(x.ndim)])


def test_sums_of_floats_are_accurate(tmp_path):
    """Blocks are added as trees: errors are those of some twenty additions, not of 20,000."""
    x = generator("float scan").standard_normal(20_000).astype(np.float32)
    (result,) = systole_run(lower(jnp.cumsum, [x]).as_text(), [x], tmp_path)
    exact, scale = np.cumsum(x.astype(np.float64)), np.cumsum(np.abs(x.astype(np.float64)))
    assert np.all(np.abs(result - exact) <= 24 * 2.0**-24 * scale)
