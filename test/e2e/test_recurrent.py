"""Recurrent loops: sums behind loops, products of all trips at once, parts of arrays in place.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value
from check import check_all
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import I8, generator
from verify import lower, verify


def numbers(name, shape, dtype=F32):
    return np.asarray(generator(name).integers(-8, 9, shape) / 16).astype(dtype)


def run(function, args, directory, **options):
    return systole_run(lower(function, args).as_text(), jax.tree.leaves(args), directory, **options)


def exact(function, args, directory):
    """Compares with JAX on the CPU, exactly; the bytes that the run moved in HBM."""
    report = directory / "report.json"
    results = run(function, args, directory, options=("--report", "json", "--report-file", report))
    expected = jax.tree.leaves(jax.jit(function)(*args))
    check_all(results, [exact_value(np.asarray(x)) for x in expected])
    numbers = json.loads(report.read_text())
    return numbers["hbm_read_bytes"] + numbers["hbm_write_bytes"]


def recurrence(reverse):
    """Gradients of a recurrent layer for its weights, bias and inputs."""

    def layer(weights, inputs, bias, x):
        def step(h, x_t):
            h = jnp.clip(h @ weights + x_t @ inputs + bias, -1, 1)
            return h, h

        start = jnp.zeros((x.shape[1], weights.shape[0]), x.dtype)
        return jnp.sum(lax.scan(step, start, x, reverse=reverse)[1] * 0.125)

    return jax.grad(layer, (0, 1, 2, 3))


@pytest.mark.parametrize("precision", ["default", "highest"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("trips", "batch", "units", "features"),
    [(2, 8, 128, 128), (3, 7, 129, 5), (5, 16, 127, 130), (1, 8, 128, 128), (9, 1, 24, 3)],
)
def test_gradients_of_a_recurrent_layer(trips, batch, units, features, reverse, precision, tmp_path):
    args = [
        numbers("weights", (units, units)) / np.float32(8),
        numbers("inputs", (features, units)),
        numbers("bias", (units,)),
        numbers("x", (trips, batch, features)),
    ]
    verify(recurrence(reverse), args, tmp_path, precision=precision)


SPECIAL = [np.inf, -np.inf, np.nan, 3.39e38, -3.4028235e38, 1e-40, 1.00390625, 1.01171875, 0.0, -0.0]


def test_operands_rounded_in_front_of_a_loop_give_the_bits_of_products(tmp_path):
    """What the MXU rounds at each product of one pass, the vector unit rounds once: one loop of five
    trips, and five products one after the other."""

    def looped(w, x):
        return lax.scan(lambda h, x_t: (h, x_t @ w), x[0], x)[1]

    def apart(w, x):
        return jnp.stack([x[i] @ w for i in range(5)])

    def chained(w, x):
        return lax.fori_loop(0, 5, lambda _, h: jnp.clip(h @ w, -2, 2), x[0])

    def unrolled(w, x):
        h = x[0]
        for _ in range(5):
            h = jnp.clip(h @ w, -2, 2)
        return h

    w = np.asarray(generator("w").normal(0, 0.1, (130, 130)), F32)
    x = np.asarray(generator("x").normal(0, 1, (5, 9, 130)), F32)
    special = w.copy()
    special[: len(SPECIAL), 0] = SPECIAL
    for one, other in ((looped, apart), (chained, unrolled)):
        for weights in (w, special):
            results = [run(f, [weights, x], tmp_path, precision="default")[0] for f in (one, other)]
            np.testing.assert_array_equal(results[0].view(np.uint32), results[1].view(np.uint32))


@pytest.mark.parametrize("dtype", [F32, BF16, I8], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "shape", [(5, 8, 128), (5, 16, 200), (4, 7, 130), (3, 2, 8, 129), (6, 1000), (1, 8, 128)], ids=str
)
def test_rows_that_a_scan_reads_and_stacks(shape, reverse, dtype, tmp_path):
    def function(x, y):
        def step(carry, x_t):
            return carry + x_t, (x_t, carry, jnp.maximum(x_t, carry))

        return lax.scan(step, y, x, reverse=reverse)

    args = [numbers("x", shape, F32) * 16, numbers("y", shape[1:], F32) * 16]
    exact(function, [np.asarray(a, F32).astype(dtype) for a in args], tmp_path)


@pytest.mark.parametrize("first", [0, 2])
def test_rows_that_no_trip_writes_keep_the_initial_value(first, tmp_path):
    def function(x):
        def body(i, rows):
            return lax.dynamic_update_index_in_dim(rows, x[i] + 1, i, 0)

        return lax.fori_loop(first, 5, body, jnp.full_like(x, 7))

    exact(function, [numbers("x", (6, 8, 128))], tmp_path)


def test_an_array_that_its_loop_reads_is_filled(tmp_path):
    def function(x):
        def body(i, rows):
            before = lax.dynamic_index_in_dim(rows, jnp.maximum(i - 1, 0), 0, keepdims=False)
            return lax.dynamic_update_index_in_dim(rows, x[i] + before, i, 0)

        return lax.fori_loop(0, 6, body, jnp.full_like(x, 3))

    exact(function, [numbers("x", (6, 8, 128))], tmp_path)


@pytest.mark.parametrize("start", [-(2**31), -1, 0, 3, 4, 2**31 - 1])
def test_positions_are_clamped(start, tmp_path):
    """A part of an array, and one that replaces a part, begin where the slice fits."""

    def function(x, y, start):
        def body(i, state):
            total, rows = state
            part = lax.dynamic_slice_in_dim(x, start + i, 2, 0)
            return total + part, lax.dynamic_update_slice_in_dim(rows, part * 2, start - i, 0)

        return lax.fori_loop(0, 3, body, (jnp.zeros((2, 8, 128), F32), y))

    args = [numbers("x", (6, 8, 128)), numbers("y", (6, 8, 128)), np.asarray(start, np.int32)]
    exact(function, args, tmp_path)


def test_rows_of_many_positions_in_one_kernel(tmp_path):
    """More rows than a kernel takes as scalars are copied first."""

    def function(x, starts):
        def body(i, total):
            parts = [lax.dynamic_index_in_dim(x, starts[k] + i, 0, keepdims=False) for k in range(7)]
            return total + sum(parts)

        return lax.fori_loop(0, 4, body, jnp.zeros(x.shape[1:], F32))

    exact(function, [numbers("x", (12, 8, 128)), np.arange(7, dtype=np.int32)], tmp_path)


def test_only_rows_move(tmp_path):
    """A scan over 64 rows of 64 KiB reads and writes each once: no fill, no copy at each trip."""

    def function(x, y):
        return lax.scan(lambda carry, row: (carry, row * carry), y, x)[1]

    row, trips = 128 * 128 * 4, 64
    args = [numbers("x", (trips, 128, 128)), numbers("y", (128, 128))]
    assert exact(function, args, tmp_path) <= 3 * trips * row + 4 * row
