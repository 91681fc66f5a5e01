"""Arrays whose rows lie side by side, two of 64 or four of 32 elements: as arguments, results and carried values,
through every kind of operation, against JAX; and the HBM that they take.

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
from systole_cli import MLIR_NAMES, systole
from test_elementwise import BOOL, I8, I32, generator, ordinary
from verify import lower, verify

SHAPES = [(300, 64), (5, 60, 64), (3, 10, 12, 64), (9, 40, 32), (600, 32)]
TYPES = pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, BOOL], ids=lambda d: MLIR_NAMES[d])
FLOATS = pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])


def array(name, shape, dtype=F32):
    return ordinary(generator(name, dtype.name, str(shape)), shape, dtype, "any", 0)


@TYPES
def test_arguments_and_results(dtype, tmp_path):
    args = [array("tiles", shape, dtype) for shape in SHAPES]

    def function(*xs):
        flat = [jnp.reshape(x, (-1,)) for x in xs]
        turned = [jnp.transpose(x) for x in xs]
        outer = [jnp.swapaxes(x, 0, 1) for x in xs if x.ndim > 3]
        mirrored = [lax.rev(x, (0, x.ndim - 1)) for x in xs]
        return *xs, *flat, *turned, *outer, *mirrored

    verify(function, args, tmp_path)


@FLOATS
def test_elementwise_work_and_broadcasts(dtype, tmp_path):
    """Of scalars, vectors of features, whole rows, and one element for each row."""
    args = [array("broadcasts", shape, dtype) for shape in SHAPES]

    def function(*xs):
        results = []
        for x in xs:
            features, row, first = x[(0,) * (x.ndim - 1)], x[..., :1], x[:1]
            results += [x * 2 + features, x + row, x - first, jnp.where(x > 0, x, features)]
            results += [x + lax.broadcasted_iota(dtype, x.shape, d) for d in range(x.ndim)]
        return results

    verify(function, args, tmp_path)


@TYPES
def test_movement(dtype, tmp_path):
    """By whole rows of 128 lanes and not, with padding that takes away."""
    args = [array("movement", shape, dtype) for shape in SHAPES]
    filler = np.asarray(1, dtype)
    pads = [(2, 4), (-2, -4), (-4, 8), (8, -4), (1, 3), (-1, -3), (-3, 1), (-1, 0), (0, -2)]

    def function(*xs):
        results = []
        for x in xs:
            rows = x.ndim - 2
            outer = [(0, 0, 0)] * rows
            results += [lax.pad(x, filler, [*outer, (low, high, 0), (0, 0, 0)]) for low, high in pads]
            results += [lax.pad(x, filler, [*outer, (0, 0, 0), edge]) for edge in [(-1, 0, 0), (1, -2, 0), (0, 0, 1)]]
            results += [lax.pad(x, filler, [*outer, (0, 0, 1), (0, 0, 0)])]
            results += [lax.slice_in_dim(x, a, b, s, rows) for a, b, s in [(4, 8, 1), (3, 9, 1), (1, 10, 3), (0, 8, 2)]]
            results += [lax.concatenate([x, x], d) for d in range(x.ndim)]
            results += [lax.concatenate([x, lax.slice_in_dim(x, 0, 3, 1, rows)], rows)]
            results += [lax.rev(x, (rows,))]
        return results

    verify(function, args, tmp_path)


@FLOATS
def test_reductions(dtype, tmp_path):
    args = [array("reductions", shape, dtype) for shape in SHAPES]

    def function(*xs):
        return [
            reduce(x, axis=axis, keepdims=keep)
            for x in xs
            for axis in (*range(x.ndim), tuple(range(x.ndim - 1)), None)
            for reduce, keep in ((jnp.sum, False), (jnp.max, True))
        ]

    verify(function, args, tmp_path)


@FLOATS
def test_normalisation_of_rows(dtype, tmp_path):
    """Sums of each row that are broadcast along it again, and what follows from them, also as results."""
    args = [array("rows", shape, dtype) for shape in SHAPES]

    def function(*xs):
        results = []
        for x in xs:
            mean = jnp.mean(x, -1, keepdims=True)
            scale = lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1)
            results += [jax.nn.softmax(x, -1), (x - mean) * scale, mean, x - jnp.max(x, -1, keepdims=True)]
            results += [x * jnp.sum(x, 0 if x.ndim == 2 else (0, -1), keepdims=True)]
        results.append(jax.vjp(lambda x: jax.nn.softmax(x, -1), xs[1])[1](xs[1])[0])
        return results

    verify(function, args, tmp_path)


@TYPES
def test_rows_by_position(dtype, tmp_path):
    """Rows are looked up, cut out and replaced at positions that data decides, also beyond the ends."""
    table, wide = array("rows", (300, 64), dtype), array("rows", (5, 60, 64), dtype)
    row, rows = array("row", (1, 64), dtype), array("row", (2, 5, 64), dtype)
    where = np.array([0, 299, 150, 151, 500, -1, 7], np.int32)

    def function(table, wide, row, rows, where, i):
        zero = jnp.int32(0)
        return (
            table.at[where].get(mode="clip", wrap_negative_indices=False),
            table.at[where[:2]].set(row),
            table.at[where].add(row) if dtype != BOOL else table,
            table.at[where[:4]].max(row),
            lax.dynamic_slice(table, (i, zero), (1, 64)),
            lax.dynamic_slice(table, (i, jnp.int32(3)), (5, 7)),
            lax.dynamic_slice(table, (-i, zero), (298, 64)),
            lax.dynamic_slice(wide, (jnp.int32(1), i, zero), (2, 3, 64)),
            lax.dynamic_update_slice(table, row, (i, zero)),
            lax.dynamic_update_slice(wide, rows, (jnp.int32(2), i, zero)),
            table[17:20],
            wide[1:3, 7:9, 5:],
        )

    for i in (0, 1, 57, 1000):
        verify(function, [table, wide, row, rows, where, np.int32(i)], tmp_path)


@FLOATS
def test_loops(dtype, tmp_path):
    """A loop reads a row of one array and writes a row of another in each iteration, and carries a third."""
    x, state = array("loops", (300, 64), dtype), array("loops", (5, 60, 64), dtype)

    def function(x, state):
        def step(carry, row):
            total, cache, i = carry
            cache = lax.dynamic_update_slice(cache, (row * 2)[None, None], (i % 5, i, jnp.int32(0)))
            return (total * 1.5 + row, cache, i + 1), total[0] + row

        carry, rows = lax.scan(step, (jnp.zeros((300, 64), dtype), state, jnp.int32(0)), x[:40])
        return *carry, rows

    verify(function, [x, state], tmp_path)


@pytest.mark.parametrize("precision", ["default", "highest"])
def test_contractions(precision, tmp_path):
    x, w, v = array("dots", (5, 60, 64)), array("dots", (64, 64)), array("dots", (5, 40, 64))
    image, kernel = array("dots", (3, 10, 12, 64)), array("dots", (3, 3, 64, 64))

    def function(x, w, v, image, kernel):
        def convolve(image, kernel, stride):
            return lax.conv_general_dilated(image, kernel, stride, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

        y, back = jax.vjp(lambda image, kernel: convolve(image, kernel, (1, 1)), image, kernel)
        return (
            x @ w,
            jnp.einsum("bik,bjk->bij", x, v),
            jnp.einsum("bik,bil->kl", x, x),
            y,
            *back(y),
            convolve(image, kernel, (2, 2)),
            convolve(jnp.maximum(image * 2, 0), kernel[:1, :1], (1, 1)) + 1,
        )

    verify(function, [x, w, v, image, kernel], tmp_path, precision=precision)


@FLOATS
def test_sums_for_rows_of_other_lengths(dtype, tmp_path):
    """Sums of rows of 32 elements, and what follows from them, multiply rows of 32, 64 and 128."""
    xs = [array("sums", (5, 64, columns), dtype) for columns in (32, 64, 128)]

    def function(x, y, z):
        sums = jnp.sum(x, axis=2, keepdims=True) / 8
        scaled = sums * jnp.max(y, axis=2, keepdims=True)
        return x * sums, y * sums, z * sums, x + scaled, y - scaled

    verify(function, xs, tmp_path)


def test_control_flow(tmp_path):
    x, y = array("branches", (300, 64)), array("branches", (300, 64))

    def function(x, y, choice):
        chosen = lax.cond(choice, lambda: x + 1, lambda: y * 2)
        return chosen, lax.optimization_barrier(chosen * x) + y

    for choice in (False, True):
        verify(function, [x, y, np.bool_(choice)], tmp_path)


def test_memory(tmp_path):
    """Arguments and results take no padding, and work on them moves none."""
    x = np.zeros((64, 56, 64), np.float32)
    program = tmp_path / "program.mlir"
    program.write_text(lower(lambda x: x * 2 + 1, [x]).as_text())
    report = tmp_path / "report.json"
    systole("run", program, "--target", "v3", "--timing-only", "--report-file", report)
    found = json.loads(report.read_text())
    assert found["hbm_read_bytes"] == x.nbytes
    assert found["hbm_write_bytes"] == x.nbytes
