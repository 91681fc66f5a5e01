"""approx_max_k and approx_min_k as JAX writes them for a TPU, whose recall is a target.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
import pytest
from jax import export, lax

from bounds import F32
from systole_cli import systole_run
from test_elementwise import generator


def run(function, x, folder):
    checks = [export.DisabledSafetyCheck.custom_call("ApproxTopK")]
    exported = export.export(jax.jit(function), platforms=["tpu"], disabled_checks=checks)
    return systole_run(exported(x).mlir_module(), [x], folder, precision="default")


CASES = [((7,), 3, 0), ((1,), 1, 0), ((3, 1000), 5, 1), ((5000, 3), 7, 0), ((2, 600), 600, 1), ((40000,), 10, 0)]


@pytest.mark.parametrize("name", ["approx_max_k", "approx_min_k"])
@pytest.mark.parametrize("shape, k, dim", CASES, ids=str)
def test_neighbours(shape, k, dim, name, tmp_path):
    search = getattr(lax, name)
    x = generator("approx", shape, name).standard_normal(shape).astype(F32)
    values, indices = run(lambda x: search(x, k, reduction_dimension=dim), x, tmp_path)
    np.testing.assert_array_equal(np.take_along_axis(x, indices, dim), values)
    steps = np.diff(values, axis=dim)
    assert (steps <= 0).all() if name == "approx_max_k" else (steps >= 0).all()
    expected = np.sort(x, axis=dim).take(range(k) if name == "approx_min_k" else range(-k, 0), axis=dim)
    # The target of 95 percent is an expectation; of few elements three may be missed.
    missed = expected.size - np.isin(values, expected).sum()
    assert missed <= 0.05 * expected.size + 3 * np.sqrt(0.05 * expected.size)
    if 2 * 128 > shape[dim]:
        assert missed == 0


def test_the_first_of_each_bin(tmp_path):
    x = generator("bins").standard_normal((3, 1000)).astype(F32)
    values, indices = run(lambda x: lax.approx_max_k(x, 5, aggregate_to_topk=False), x, tmp_path)
    bins = values.shape[1]
    padded = np.pad(x, ((0, 0), (0, -x.shape[1] % bins)), constant_values=-np.inf)
    np.testing.assert_array_equal(values, padded.reshape(3, -1, bins).max(1))
    np.testing.assert_array_equal(np.take_along_axis(x, indices, 1), values)
