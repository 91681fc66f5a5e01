"""Runs that are stopped and continued in another process give the same bits, cycles and statistics.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from systole_cli import BIN, ROOT

sys.path[:0] = [str(ROOT / "benchmarks")]

from snapshots import check  # noqa: E402


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / 8) @ v


def steps(w, x):
    """A loop with a product, and carried state."""

    def step(state, row):
        state = jnp.tanh(state @ w + row)
        return state, state.sum()

    return jax.lax.scan(step, jnp.zeros_like(x[0]), x)


def integers(w, x):
    """Products of 8-bit integers, and a sort."""
    return jnp.sort(jnp.dot(w, x, preferred_element_type=jnp.int32), axis=-1)


def normal(*shape, dtype=jnp.float32):
    return np.random.default_rng(5).normal(size=shape).astype(dtype)


PROGRAMS = {
    "attention": (attention, [normal(100, 64), normal(90, 64), normal(90, 200, dtype=jnp.bfloat16)]),
    "scan": (steps, [normal(64, 64), normal(7, 3, 64)]),
    "int8": (integers, [np.arange(-50, 50, dtype=np.int8).reshape(10, 10), np.full((10, 7), 3, np.int8)]),
}


@pytest.mark.parametrize("target", ["v2", "v6e"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_continues_in_another_process(name, target):
    function, args = PROGRAMS[name]
    text = jax.jit(function).lower(*args).as_text()
    stops, wrong = check(SimpleNamespace(systole=BIN / "systole", cycles=6), name, text, args, target)
    assert stops == 6
    assert wrong == []
