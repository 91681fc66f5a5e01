"""Optimization barriers: values pass unchanged, and rematerialization saves memory.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import systole
from test_elementwise import I8, I32, generator
from verify import lower, verify


def test_values_pass(tmp_path):
    """Of odd shapes, none at all and rank 0; constants, iotas and rematerialized values; results
    that are arguments, and arguments that are read on both sides."""
    rng = generator("barriers")
    shapes = [((), F32), ((), I32), ((7,), I8), ((0, 3), F32), ((129, 3), BF16), ((1000, 3), F32)]
    args = [np.asarray(rng.integers(-9, 9, shape), dtype) for shape, dtype in shapes]

    def function(a, i, b, c, d, e):
        rows = jnp.broadcast_to(e[:, 0], (5, 1000))
        passed = lax.optimization_barrier((a, i, b, c, d, e, rows, jnp.ones(9), jnp.arange(7), e.reshape(3, 1000)))
        x, j, *_, rows, ones, count, shape = passed
        taken = lax.dynamic_index_in_dim(e, j, keepdims=False)
        return *passed, e + passed[5], x * ones, rows + rows, count + passed[2], taken, shape.T

    verify(function, args, tmp_path)


def test_values_that_loops_carry_pass(tmp_path):
    """A value that is updated in place in a loop and its value after a barrier are different values
    in one buffer."""
    rng = generator("barriers in loops")
    state, rows = (np.asarray(rng.integers(-9, 9, (40, 129)), F32) for _ in range(2))

    def function(state, rows):
        def body(i, carry):
            total, state = carry
            before, behind = lax.optimization_barrier((total, state))
            updated = lax.dynamic_update_index_in_dim(behind, rows[i] + before, i, 0)
            return before + state.sum(0), updated

        return lax.fori_loop(0, 40, body, (jnp.zeros(129), state))

    verify(function, [state, rows], tmp_path)


def test_branches_pass(tmp_path):
    x = np.arange(300, dtype=F32).reshape(3, 100)

    def function(flag, x):
        y = lax.optimization_barrier(x * 2)
        return lax.cond(flag, lambda v: lax.optimization_barrier(v) + 1, lambda v: v, y)

    verify(function, [np.array(True), x], tmp_path)


ROWS, WIDTH = 2048, 128
ARRAY, MATRIX = ROWS * WIDTH * 4, WIDTH * WIDTH * 4


def layer(x, weights):
    first, second = weights
    return jnp.tanh(jnp.tanh(x @ first) @ second)


def gradient(policy):
    """Of a chain of layers, each of which keeps two arrays for the way back."""

    def loss(weights, x):
        for pair in weights:
            x = policy(layer)(x, pair)
        return jnp.sum(x * x)

    return jax.grad(loss)


def peak(policy, layers, directory):
    shape = jax.ShapeDtypeStruct
    weights = [(shape((WIDTH, WIDTH), F32),) * 2] * layers
    text = lower(gradient(policy), [weights, shape((ROWS, WIDTH), F32)]).as_text()
    program, report = directory / "program.mlir", directory / "report.json"
    program.write_text(text)
    done = systole("run", program, "--timing-only", "--report", "json", "--report-file", report)
    assert done.returncode == 0, done.stderr
    figures = json.loads(report.read_text())
    live = max(step["live_bytes"] for step in figures["memory"]["steps"])
    # Little lies between the arrays.
    assert live <= figures["hbm_peak_bytes"] <= 1.1 * live
    return live


@pytest.mark.parametrize(
    "policy, kept",
    [(lambda f: f, 3), (jax.checkpoint, 1)],
    ids=["saved", "rematerialized"],
)
def test_memory_of_layers(policy, kept, tmp_path):
    """Another layer takes its weights and its saved activations: two of them, each also rounded to bf16 for
    products, or with rematerialization its input. Its gradients come to be when activations have gone."""
    more = peak(policy, 12, tmp_path) - peak(policy, 8, tmp_path)
    assert more == 4 * (2 * MATRIX + kept * ARRAY)


def test_rematerialized_gradients(tmp_path):
    rng = generator("rematerialized")
    weights = [tuple(np.asarray(rng.standard_normal((24, 24)) / 5, F32) for _ in range(2)) for _ in range(3)]
    x = np.asarray(rng.standard_normal((129, 24)), F32)
    verify(gradient(jax.checkpoint), [weights, x], tmp_path)
