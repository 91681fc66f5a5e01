"""Gathers and scatters in every form, against JAX on the CPU, exactly.

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
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import I8, I32, generator
from verify import lower, verify
from test_windows import moved

TYPES = pytest.mark.parametrize("dtype", [F32, BF16, I32, I8], ids=lambda d: MLIR_NAMES[d])


def whole(name, shape, dtype=F32):
    """Small whole numbers: their sums are exact in any order."""
    return np.asarray(generator(name, shape).integers(-3, 4, shape, np.int8)).astype(dtype)


def places(name, extent, shape, beyond=0):
    rng = generator(name, extent, shape)
    return np.asarray(rng.integers(-beyond, extent + beyond, shape), np.int32)


def update_by(name, index, dims):
    """x.at[..., indices along `dims`, ...].<name>(u)"""

    def function(x, u, *indices):
        place = [slice(None)] * x.ndim
        for d, i in zip(dims, indices):
            place[d] = i
        return getattr(x.at[tuple(place)], name)(u)

    return function


SHAPES = [
    ((1000,), (0,), (333,)),
    ((100, 30), (0,), (77, 30)),
    ((30, 100), (1,), (30, 77)),
    ((100, 300), (0, 1), (77,)),
    ((10, 30, 20), (1,), (10, 77, 20)),
    ((10, 30, 20), (0, 2), (77, 30)),
    ((5, 6, 7, 200), (1, 2), (5, 77, 200)),
    ((40, 700), (0,), (19, 700)),
]


@TYPES
@pytest.mark.parametrize("name", ["set", "add", "multiply", "min", "max"])
def test_updates_of_all_kinds(name, dtype, tmp_path):
    """Rows, columns, elements, with duplicates and indices that lie outside."""
    args = []
    for shape, dims, update in SHAPES:
        count = 19 if update[0] == 19 else 333 if update[0] == 333 else 77
        indices = [places(name, shape[d], (count,), beyond=4) for d in dims]
        args.append([whole("x", shape, dtype), whole("u", update, dtype), *indices])

    def function(*groups):
        return [update_by(name, None, dims)(*group) for (_, dims, _), group in zip(SHAPES, groups)]

    flat, tree = jax.tree.flatten(args)
    moved(lambda *leaves: function(*jax.tree.unflatten(tree, leaves)), flat, tmp_path)


def test_truth_values(tmp_path):
    def function(x, i, u):
        return (x > 0).at[i].set(u > 0), (x > 0).at[:, 3].set(True), (x[:, 0] > 0).at[i].set(False)

    moved(function, [whole("x", (100, 30)), places("i", 100, (40,)), whole("u", (40, 30))], tmp_path)


def test_places_known_beforehand(tmp_path):
    def function(x, u):
        return (
            x.at[2:5].add(u[:3]),
            x.at[:, 0].set(u[:, 0]),
            x.at[::2].set(u[:50]),
            x.at[1:-1:3, 5].multiply(u[:33, 1]),
            x.at[3:50, 7:30:2].min(u[:47, :12]),
            x.at[np.array([3, 1, 3])].add(u[:3]),
            x.at[-1, -1].set(7),
            x.at[jnp.arange(20), 4].add(u[:20, 2]),
            x.at[98:105].add(u[:2]),
        )

    moved(function, [whole("x", (100, 30)), whole("u", (100, 30))], tmp_path)


@pytest.mark.parametrize("place", [-(2**31), -101, -1, 0, 50, 97, 98, 99, 100, 2**31 - 1])
def test_one_window_that_may_lie_outside(place, tmp_path):
    """A window that leaves the array changes nothing, however little of it does."""
    numbers = lax.ScatterDimensionNumbers((0, 1), (), (0,))

    def function(x, u, i):
        rows = lax.scatter_add(x, i[None], u, numbers, mode=lax.GatherScatterMode.FILL_OR_DROP)
        return rows, x.at[i].set(u[0]), x.at[i, i].add(1)

    moved(function, [whole("x", (100, 30)), whole("u", (3, 30)), np.int32(place)], tmp_path)


def test_windows_at_many_places(tmp_path):
    """Windows that overlap, with sizes along several dimensions, partly outside."""

    def function(x, u, i, j):
        start = jnp.stack([i, j], axis=1)
        numbers = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
        mode = lax.GatherScatterMode.FILL_OR_DROP
        transposed = lax.ScatterDimensionNumbers((0, 1), (), (1, 0))
        return (
            lax.scatter_add(x, start, u, numbers, mode=mode),
            lax.scatter(x, start, u, numbers, mode=mode),
            lax.scatter_add(x, start, u.transpose(1, 2, 0), transposed, mode=mode),
            lax.scatter_add(x, start, u, numbers, mode=lax.GatherScatterMode.CLIP),
        )

    args = [whole("x", (40, 30)), whole("u", (20, 5, 7))]
    args += [places("i", 40, (20,), beyond=3), places("j", 30, (20,), beyond=3)]
    moved(function, args, tmp_path)


def test_empty(tmp_path):
    def function(x, i, u):
        return x.at[i].add(u), x[i], x.at[:, i].set(u.T), x[:0].at[:].set(1)

    args = [whole("x", (30, 30)), np.zeros(0, np.int32), whole("u", (0, 30))]
    moved(function, args, tmp_path)


def test_several_arrays_at_once(tmp_path):
    """Of values with their numbers the last one at each place that is larger stays."""
    text = """
func.func @main(%x: tensor<50x3xf32>, %y: tensor<50x3xi32>, %i: tensor<200xi32>,
                %u: tensor<200x3xf32>, %v: tensor<200x3xi32>) -> (tensor<50x3xf32>, tensor<50x3xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %m: tensor<i32>, %b: tensor<f32>, %n: tensor<i32>):
    %c = stablehlo.compare GT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p = stablehlo.select %c, %b, %a : tensor<i1>, tensor<f32>
    %q = stablehlo.select %c, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %p, %q : tensor<f32>, tensor<i32>
  }) : (tensor<50x3xf32>, tensor<50x3xi32>, tensor<200xi32>, tensor<200x3xf32>, tensor<200x3xi32>)
      -> (tensor<50x3xf32>, tensor<50x3xi32>)
  return %0#0, %0#1 : tensor<50x3xf32>, tensor<50x3xi32>
}
"""
    x, y = whole("x", (50, 3)), whole("y", (50, 3), I32)
    i, u = places("i", 50, (200,)), whole("u", (200, 3))
    v = np.arange(600, dtype=np.int32).reshape(200, 3)
    values, winners = systole_run(text, [x, y, i, u, v], tmp_path)
    for n, row in enumerate(i):
        larger = u[n] > x[row]
        x[row], y[row] = np.where(larger, u[n], x[row]), np.where(larger, v[n], y[row])
    np.testing.assert_array_equal(values, x)
    np.testing.assert_array_equal(winners, y)


def test_gradients_of_lookups(tmp_path):
    """Of embeddings, labels, positions along an axis, segments: the scatters people write."""

    def function(table, tokens, logits, labels, order, segments, weights):
        def loss(table, logits):
            rows = table[tokens] * weights[: tokens.size].reshape(*tokens.shape, 1)
            chosen = logits[jnp.arange(labels.size), labels]
            sorted_rows = jnp.take_along_axis(logits, order, 1)[:, 0] * 3
            sums = jax.ops.segment_sum(logits, segments, 9, indices_are_sorted=False)
            return rows.sum() + chosen @ weights[: labels.size] + sorted_rows.sum() + sums[2].sum()

        return jax.grad(loss, (0, 1))(table, logits), jax.ops.segment_max(logits, segments, 9)

    args = [whole("table", (200, 65)), places("t", 200, (6, 50)), whole("logits", (64, 10))]
    args += [places("l", 10, (64,)), places("o", 10, (64, 10)), places("s", 9, (64,))]
    moved(function, [*args, whole("weights", (300,))], tmp_path)


def test_cross_entropy_by_labels(tmp_path):
    def function(logits, labels):
        def loss(logits):
            return -jnp.take_along_axis(logits, labels[:, None], 1).sum()

        return loss(logits), jax.grad(loss)(logits)

    moved(function, [whole("logits", (64, 10)), places("labels", 10, (64,))], tmp_path)


@pytest.mark.parametrize("width", [1, 20, 512])
def test_many_updates(width, tmp_path):
    """4,500 rows of a gradient, in chunks: below 100 cycles for each."""
    shape = (1000, width) if width > 1 else (1000,)
    args = [whole("x", shape), places("i", 1000, (4500,)), whole("u", (4500, *shape[1:]))]

    def function(x, i, u):
        return x.at[i].add(u), x[i]

    moved(function, args, tmp_path)
    report = tmp_path / "cycles.json"
    options = ("--report", "json", "--report-file", report)
    systole_run(lower(lambda x, i, u: x.at[i].add(u), args).as_text(), args, tmp_path, options=options)
    assert json.loads(report.read_text())["cycles"] < 100 * 4500


@pytest.mark.parametrize("dtype", [F32, I8], ids=lambda d: MLIR_NAMES[d])
def test_images_by_number(dtype, tmp_path):
    """Whose colours do not lie along the lanes; some of them cut, and by a block of numbers."""
    args = [whole("x", (9, 50, 130, 3), dtype), places("i", 9, (7,), beyond=2)]
    args += [places("block", 9, (2, 3))]
    moved(lambda x, i, block: (x[i], x[block] + x[0], x[i, 7:20]), args, tmp_path)


# Arrays of which three slabs are picked, each too large for one step.
SLABS = {
    "long_rows": ((5, 1_200_001), lambda x, i: x[i]),
    "planes": ((5, 1201, 1003), lambda x, i: x[i]),
    "middle": ((3001, 5, 500), lambda x, i: x[:, i]),
    "columns": ((2001, 101, 160), lambda x, i: x[:, :, i] * 2),
    "windows": ((5001, 1401), lambda x, i: jax.vmap(lambda p: lax.dynamic_slice(x, (p, p), (1501, 1303)))(i)),
    "corners": ((5, 2001, 5, 97), lambda x, i: x[i[:, None], :, i[None]]),
}


@pytest.mark.parametrize("name", SLABS)
@pytest.mark.parametrize("dtype", [F32, I8], ids=lambda d: MLIR_NAMES[d])
def test_slabs_larger_than_a_step(name, dtype, tmp_path):
    shape, function = SLABS[name]
    shape = (*shape[:-1], shape[-1] * 4 // np.dtype(dtype).itemsize)
    moved(function, [whole(name, shape, dtype), places(name, 5, (3,))], tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16, I8], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("shape", [(1000, 64, 10), (128, 784, 3)])
def test_a_column_of_each_plane(shape, dtype, tmp_path):
    """Parts of a large array whose last dimension is short, and dropped."""

    def function(x, i):
        each = jax.vmap(lambda plane, p: jnp.take(plane, p, axis=-1, mode="clip"))
        return x[jnp.arange(shape[0]), :, i], each(x, i), x[i, :, i]

    moved(function, [whole("planes", shape, dtype), places("column", shape[2], shape[:1])], tmp_path)


def test_chunks_of_large_updates(tmp_path):
    """Updates of many rows come in chunks, their few indices all at once."""
    args = [whole("x", (5, 3, 900)), places("i", 5, (300,), beyond=1)]

    def function(x, i, u):
        return x.at[i].add(u)

    moved(function, [*args, whole("u", (300, 3, 900))], tmp_path)


@pytest.mark.parametrize("dtype", [BF16, I8], ids=lambda d: MLIR_NAMES[d])
def test_many_narrow_updates(dtype, tmp_path):
    """Chunks of updates begin at whole rows of 512 bytes, rows and elements anywhere."""

    def function(x, i, u, y, v):
        return x.at[i].max(u), y.at[i].set(v)

    args = [whole("x", (1001, 20), dtype), places("i", 1001, (2500,), beyond=9)]
    args += [whole("u", (2500, 20), dtype), whole("y", (1001,), dtype), whole("v", (2500,), dtype)]
    moved(function, args, tmp_path)


def test_an_array_larger_than_vmem(tmp_path):
    """Every step of the grid takes the updates of its own rows."""

    def function(x, i, u):
        return x.at[i].add(u)

    args = [whole("x", (30001, 256)), places("i", 30001, (300,), beyond=5), whole("u", (300, 256))]
    moved(function, args, tmp_path)
    long = [whole("x", (5_000_001,)), places("i", 5_000_001, (300,), beyond=5), whole("u", (300,))]
    moved(function, long, tmp_path)


def test_in_a_loop(tmp_path):
    """A carried array is updated by what it holds itself."""

    def function(x, i, u):
        def body(n, x):
            return x.at[(i + n) % 100].add(u + x[i]).at[n, 3].set(1)

        return lax.fori_loop(0, 4, body, x)

    args = [whole("x", (100, 30)), places("i", 100, (12,)), whole("u", (12, 30))]
    verify(function, args, tmp_path)


@TYPES
def test_gathers_of_all_kinds(dtype, tmp_path):
    """Elements along lanes, several dimensions, batches, windows, in any order of results."""

    def function(x, y, i, j, k):
        window = jax.vmap(lambda a, b: lax.dynamic_slice(a, (b, 3), (5, 7)), (2, 0), 1)
        return (
            jnp.take_along_axis(x, i[:, None] % 30, 1),
            jnp.take_along_axis(x, jnp.broadcast_to(i[:, None], (100, 30)), 0),
            x[jnp.arange(100), i % 30],
            x[i, j[:, None] % 30],
            y[:, j, k],
            y[j, :, k],
            y[j[:, None], k, :],
            window(y, k),
            y.at[:, i].get(mode="fill", fill_value=3),
            x.T[i % 30, j[:, None]],
        )

    args = [whole("x", (100, 30), dtype), whole("y", (20, 30, 9), dtype)]
    args += [places("i", 100, (100,)), places("j", 20, (9,)), places("k", 9, (9,))]
    moved(function, args, tmp_path)


def test_many_elements(tmp_path):
    """More indices than SMEM holds, of one and of several coordinates."""

    def function(x, i, j):
        return x[i, j], x.reshape(-1)[i * 7 + j], x[:, j[:500]]

    args = [whole("x", (100, 300)), places("i", 100, (9000,)), places("j", 300, (9000,))]
    moved(function, args, tmp_path)


def test_positions_of_many_dimensions(tmp_path):
    """More dimensions than a kernel has loops."""

    def function(x, i, j, k):
        return (x[i, j, :, k],)

    shape = (50, 4, 2, 3, 2, 2)
    args = [whole("x", (3, 2, 24, 3)), places("i", 3, shape), places("j", 2, shape), places("k", 3, shape)]
    moved(function, args, tmp_path)
