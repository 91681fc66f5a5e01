"""Kernels that are divided along arrays of whole rows: masks of few elements, and reshapes between rows and columns.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from plans import bits_of, fused, run_bits, with_random_plans
from systole_cli import systole_run

PLANS = 4  # for each function


def weights(scores, mask):
    """Of attention: the positions that the mask leaves out have the weight 0."""
    return jax.nn.softmax(jnp.where(mask[:, None, None, :], -1e9, scores))


def normalized(x, mask):
    """Also with the features along rows, as a product of gradients reads it."""
    y = jnp.where(mask[:, :, None], 0, x - x.mean(2, keepdims=True))
    return y, y.reshape(-1, x.shape[2]).T.astype(jnp.bfloat16), y.transpose(2, 0, 1).reshape(2, -1, 256) + 1


CASES = [
    (weights, (8, 3, 128, 128), (8, 128)),
    (weights, (5, 2, 64, 130), (5, 130)),
    (normalized, (8, 128, 256), (8, 128)),
    (normalized, (6, 128, 384), (6, 128)),
]


@pytest.mark.parametrize(("function", "shape", "mask"), CASES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_whole_rows(function, shape, mask, tmp_path):
    rng = np.random.default_rng(sum(shape))
    args = [rng.standard_normal(shape).astype(np.float32), rng.random(mask) < 0.3]
    fusions = fused(jax.jit(function).lower(*args).as_text())
    results = systole_run(fusions, args, tmp_path, target="v3", options=("--from", "fusion"))
    # In f64, since sums of f32 on the CPU depend on its vectors.
    with jax.enable_x64(True):
        leaves = jax.tree.leaves(jax.jit(function)(args[0].astype(np.float64), args[1]))
    for result, expected in zip(results, leaves, strict=True):
        tolerance = 2e-6 if result.dtype == np.float32 else 2**-7  # of bf16 one rounded up, not down
        np.testing.assert_allclose(np.float32(result), np.float32(expected), rtol=tolerance, atol=2e-6)
    for seed in range(PLANS):
        assert run_bits(with_random_plans(fusions, seed), args, tmp_path) == bits_of(results)
