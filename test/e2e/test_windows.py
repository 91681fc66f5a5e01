"""Windows of arrays that stay in HBM: only they move, whatever the array's size.

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
from test_elementwise import I8, I32, generator
from verify import lower, verify

ROW = 512


def array(name, shape, dtype=F32):
    return np.asarray(generator(name).integers(-99, 99, shape, np.int8)).astype(dtype)


def moved(function, args, directory, target=None):
    """Checks results against JAX on the CPU, exactly; returns the bytes that the run read and wrote
    in HBM."""
    report = directory / "report.json"
    options = ("--report", "json", "--report-file", report)
    results = systole_run(lower(function, args).as_text(), args, directory, target=target, options=options)
    expected = jax.tree.leaves(jax.jit(function)(*args))
    check_all(results, [exact_value(np.asarray(x)) for x in expected])
    numbers = json.loads(report.read_text())
    return numbers["hbm_read_bytes"], numbers["hbm_write_bytes"]


def index(*values):
    return [np.asarray(value, np.int32) for value in values]


@pytest.mark.parametrize("start", [-(2**31), -5, 0, 4711, 99_936, 99_937, 2**31 - 1])
def test_a_slice_of_an_array_larger_than_vmem(start, tmp_path):
    """64 rows of 100,000: the rows in and out, and the index."""

    def function(x, i):
        return lax.dynamic_slice_in_dim(x, i, 64, 0)

    args = [array("large", (100_000, 128)), *index(start)]
    assert moved(function, args, tmp_path) == (64 * ROW + 4, 64 * ROW)


@pytest.mark.parametrize("starts", [(0, 1, 2), (3, 4, 5), (2990, 2999, 3000)], ids=str)
@pytest.mark.parametrize("dtype", [F32, BF16, I8], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("shape", [(3001, 7, 130), (3001, 100), (2, 3001, 130)], ids=str)
def test_slices_and_updates_of_any_type(shape, dtype, starts, tmp_path):
    """Where narrow types pack several rows into one, the window does not begin with it."""
    sizes = [3 if size == 3001 else size for size in shape]

    def function(x, update, *places):
        results = []
        for i in places:
            start = [i if size == 3001 else 0 for size in shape]
            window = lax.dynamic_slice(x, start, sizes)
            results += [window, lax.dynamic_update_slice(x, update + window, start)]
        return results

    args = [array("any", shape, dtype), array("update", sizes, dtype), *index(*starts)]
    moved(function, args, tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("column", [0, 1, 127, 128, 300, 2940, 2990])
def test_windows_of_lanes(column, dtype, tmp_path):
    def function(x, i, j):
        window = lax.dynamic_slice(x, (i, j), (2, 10))
        return window, lax.dynamic_update_slice(x, -window, (i + 1, j + 5))

    args = [array("lanes", (200, 3000), dtype), *index(33, column)]
    moved(function, args, tmp_path)


def test_a_window_of_one_dimension(tmp_path):
    """10 of 10 million elements lie in at most two groups of 128."""

    def function(x, i):
        return lax.dynamic_slice_in_dim(x, i, 10, 0)

    args = [array("one", (10_000_000,)), *index(4_999_999)]
    assert moved(function, args, tmp_path) == (2 * ROW + 4, ROW)


def test_updates_in_a_loop_are_in_place(tmp_path):
    """1,000 rows of 64 MB: the array is copied into the loop, and then each step writes a row."""

    def function(x, rows):
        def body(i, x):
            row = lax.dynamic_index_in_dim(rows, i % 8, 0)
            return lax.dynamic_update_slice(x, row * 2, (i * 131, 0))

        return lax.fori_loop(0, 1000, body, x)

    size = (2**17, 128)
    args = [array("carried", size), array("rows", (8, 128))]
    read, written = moved(function, args, tmp_path)
    whole = size[0] * ROW
    assert written == whole + 1000 * ROW
    # VMEM keeps the eight rows while the loop runs.
    assert read == whole + 8 * ROW


def test_rows_are_read_and_replaced_in_a_loop(tmp_path):
    """Reads before and after the update of the same step, and two updates in a row."""

    def function(x, n):
        def body(i, state):
            x, total = state
            row = lax.dynamic_slice(x, (i, 0), (1, 256))
            x = lax.dynamic_update_slice(x, row + 1, (i * 3, 0))
            again = lax.dynamic_slice(x, (i + 1, 0), (1, 256))
            x = lax.dynamic_update_slice(x, again - row, (i + 7, 0))
            return x, total + again

        return lax.fori_loop(0, n, body, (x, jnp.zeros((1, 256))))

    x = array("chain", (5000, 256))
    read, written = moved(function, [x, *index(50)], tmp_path)
    assert written < x.nbytes + 50 * 30 * ROW + 20 * ROW


def test_the_old_array_is_read_after_its_update(tmp_path):
    def function(x, i):
        y = lax.dynamic_update_slice(x, x[:1] * 2, (i, 0))
        return y, x[5:6] + lax.dynamic_slice(x, (i, 0), (1, 200)), jnp.sum(x)

    moved(function, [array("old", (3000, 200), I32), *index(7)], tmp_path)


def test_branches_update_or_not(tmp_path):
    def function(x, p, i):
        def update(x):
            return lax.dynamic_update_slice(x, jnp.full((2, 130), 3.0), (i, 0))

        return lax.cond(p, update, lambda x: x, x)

    for p in (False, True):
        args = [array("branch", (4000, 130)), np.asarray(p), *index(99)]
        moved(function, args, tmp_path)


def test_rows_of_a_table_larger_than_vmem(tmp_path):
    """64 rows of 200 MB, as an embedding reads them, and 64 words of indices."""

    def function(table, indices):
        return jnp.take(table, indices, axis=0, mode="clip")

    indices = generator("embedding").integers(-9, 400_009, 64).astype(np.int32)
    args = [array("table", (400_000, 128)), indices]
    read, written = moved(function, args, tmp_path)
    assert (read, written) == (64 * ROW + 64 * 4, 64 * ROW)


@pytest.mark.parametrize("dtype", [F32, BF16, I8], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("shape", [(20_000, 7), (20_000, 3, 130), (9000, 257)], ids=str)
def test_gathers_of_any_type(shape, dtype, tmp_path):
    def function(table, indices):
        return table.at[indices].get(mode="clip") * 2

    indices = generator("positions").integers(-9, shape[0] + 9, (5, 3)).astype(np.int32)
    moved(function, [array("gathered", shape, dtype), indices], tmp_path)


def rows_of(count, limit, *shape):
    return generator(f"rows {count}").integers(-9, limit + 9, shape or (count,)).astype(np.int32)


@pytest.mark.parametrize("count", [1024, 1025, 4097, 10_007])
@pytest.mark.parametrize("rows", [50, 30_000])
@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_more_rows_than_indices_fit(dtype, rows, count, tmp_path):
    """Indices come in chunks, the last of which is not whole; from a small table in VMEM and from
    a large one in HBM."""

    def function(table, indices):
        return table.at[indices].get(mode="clip") + 1

    args = [array("many", (rows, 70), dtype), rows_of(count, rows)]
    moved(function, args, tmp_path)


def test_more_rows_than_fit_into_vmem(tmp_path):
    """40,000 rows of 1 KB: 40 MB of results over a grid, of an array that is larger than v3's VMEM. Besides
    the indices, only the elements past the end of the last block are read in addition."""

    def function(table, indices):
        return table.at[indices].get(mode="promise_in_bounds", wrap_negative_indices=False)

    args = [array("huge", (100_000, 256)), np.clip(rows_of(40_000, 100_000), 0, 99_999)]
    read, written = moved(function, args, tmp_path, target="v3")
    result = 40_000 * 2 * ROW
    assert written == result
    assert result + 40_000 * 4 <= read < 1.01 * (result + 40_000 * 4)


def test_rows_of_an_array_that_fits_into_vmem(tmp_path):
    """The same of v6e: reading the array once takes less time than a copy for each row."""

    def function(table, indices):
        return table.at[indices].get(mode="promise_in_bounds", wrap_negative_indices=False)

    args = [array("fits", (100_000, 256)), np.clip(rows_of(40_000, 100_000), 0, 99_999)]
    read, written = moved(function, args, tmp_path, target="v6e")
    assert written == 40_000 * 2 * ROW
    assert args[0].nbytes <= read < 1.01 * args[0].nbytes


@pytest.mark.parametrize("shape", [(1500, 3), (3, 1500), (700, 2, 5)], ids=str)
def test_many_positions_of_several_dimensions(shape, tmp_path):
    def function(table, indices):
        return table.at[indices].get(mode="clip") * 2

    args = [array("several", (5000, 130)), rows_of(shape[0], 5000, *shape)]
    moved(function, args, tmp_path)


@pytest.mark.parametrize("rows", [40, 4000])
def test_gathers_along_other_dimensions(rows, tmp_path):
    """Columns, whose elements lie along the lanes, and rows of each plane by its own indices."""

    def function(x, planes, columns, places):
        taken = jnp.take(x, columns, axis=1, mode="clip")
        return taken, jnp.take_along_axis(planes, places[:, :, None], axis=1, mode="clip")

    places = rows_of(rows, rows, 3, 7)
    args = [array("x", (9, rows)), array("p", (3, rows, 130)), rows_of(7, rows), places]
    moved(function, args, tmp_path)


# Array, slice and where that starts, as asked for: also where it would not fit.
LARGE = {
    "rows": ((9000, 1000), (4001, 1000), (33, 0), F32),
    "blocks_divide": ((9000, 1000), (4096, 1000), (8000, 0), F32),
    "vector": ((4_000_001,), (3_000_001,), (777,), F32),
    "all_but_five": ((3_000_001,), (2_999_996,), (9,), F32),
    "both": ((3001, 1999), (2001, 1401), (999, 131), F32),
    "planes": ((7, 1001, 700), (5, 901, 700), (1, 7, 0), F32),
    "narrow": ((9001, 1001), (7001, 1001), (33, 0), BF16),
    "narrow_lanes": ((5001, 1999), (5001, 1001), (0, 131), BF16),
    "bytes": ((10_000_001,), (9_000_001,), (777,), I8),
}


@pytest.mark.parametrize("name", LARGE)
def test_slices_and_updates_larger_than_vmem(name, tmp_path):
    shape, sizes, starts, dtype = LARGE[name]

    def function(x, update, *starts):
        window = lax.dynamic_slice(x, starts, sizes)
        return window, lax.dynamic_update_slice(x, update, starts)

    args = [array(name, shape, dtype), array("update", sizes, dtype), *index(*starts)]
    moved(function, args, tmp_path)


def test_large_slices_move_once(tmp_path):
    """6,000 of 9,000 rows, in blocks that divide them."""

    def function(x, i):
        return lax.dynamic_slice_in_dim(x, i, 6000, 0)

    args = [array("once", (9000, 512)), *index(123)]
    assert moved(function, args, tmp_path) == (6000 * 4 * ROW + 4, 6000 * 4 * ROW)


def test_a_large_update_of_its_own_operand(tmp_path):
    """The operands of the update are read before any of it is replaced."""

    def function(x, n):
        def body(i, x):
            window = lax.dynamic_slice_in_dim(x, i, 4001, 0)
            return lax.dynamic_update_slice_in_dim(x, window * 2, i + 7, 0)

        return lax.fori_loop(0, n, body, x)

    moved(function, [array("read", (5000, 700)), *index(3)], tmp_path)


GATHERS = {
    "columns": ((3001, 1999), 1, 40, F32),
    "narrow_columns": ((3001, 3001), 1, 40, BF16),
    "long_rows": ((10, 1_000_001), 0, 6, F32),
    "middle": ((301, 101, 300), 1, 203, F32),
}


@pytest.mark.parametrize("name", GATHERS)
def test_gathers_along_any_dimension_of_large_arrays(name, tmp_path):
    shape, axis, count, dtype = GATHERS[name]

    def function(x, places):
        return jnp.take(x, places, axis=axis, mode="clip")

    moved(function, [array(name, shape, dtype), rows_of(count, shape[axis])], tmp_path)


def test_many_positions_with_their_components_first(tmp_path):
    """5,000 pairs of indices, as two rows: against NumPy, since JAX has them the other way."""
    x, rng = array("pairs", (300, 200, 70)), generator("pairs")
    rows, columns = (rng.integers(-5, size + 5, 5000).astype(np.int32) for size in (300, 200))
    text = """func.func @main(%x: tensor<300x200x70xf32>, %i: tensor<2x5000xi32>) -> tensor<5000x70xf32> {
      %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 0>,
        slice_sizes = array<i64: 1, 1, 70>, indices_are_sorted = false}>
        : (tensor<300x200x70xf32>, tensor<2x5000xi32>) -> tensor<5000x70xf32>
      return %0 : tensor<5000x70xf32>
    }"""
    (result,) = systole_run(text, [x, np.stack([rows, columns])], tmp_path)
    assert np.array_equal(result, x[np.clip(rows, 0, 299), np.clip(columns, 0, 199)])


def test_windows_of_rematerialized_values(tmp_path):
    """Constants, iotas and broadcasts, which every reader otherwise rematerializes."""

    def function(row, i):
        zeros = jnp.zeros((3000, 100), F32)
        counts = lax.broadcasted_iota(np.int32, (3000, 100), 0)
        rows = jnp.broadcast_to(row, (3000, 100))
        return (
            lax.dynamic_slice_in_dim(zeros + 1, i, 5, 0),
            lax.dynamic_slice_in_dim(counts, i, 5, 0),
            lax.dynamic_slice_in_dim(rows, i, 5, 0),
            counts[7:11],
            rows[2990:],
            lax.dynamic_update_slice(zeros, row[None], (i, 0)),
            lax.dynamic_update_slice(rows, row[None] * 2, (i, 0)),
            jnp.take(counts, jnp.array([5, 2999]) + i, axis=0, mode="clip"),
        )

    moved(function, [array("row", (100,)), *index(2711)], tmp_path)


def test_positions_that_are_computed_anew(tmp_path):
    """Rows at counted positions, and at the same one several times."""

    def function(x, i):
        return (
            jnp.take(x, jnp.arange(3), axis=0, mode="clip"),
            jnp.take(x, jnp.full((4,), i), axis=0, mode="clip"),
            jnp.take(x, jnp.full((4,), 7), axis=0, mode="clip"),
            jnp.take(x, jnp.arange(5) * 2 + i, axis=0, mode="clip"),
        )

    moved(function, [array("positions", (50, 20)), *index(48)], tmp_path)


def test_gradient_of_a_scan(tmp_path):
    """The cotangent of a loop's stacked results is a constant that the reverse loop slices."""

    def loss(w, xs):
        def step(h, x):
            h = jnp.sin(h @ w + x)
            return h, h

        return lax.scan(step, xs[0], xs)[1].sum()

    args = [array("weights", (8, 8)) / 100, array("steps", (6, 4, 8)) / 10]
    verify(jax.grad(loss), args, tmp_path)
