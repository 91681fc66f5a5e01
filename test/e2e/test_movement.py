"""Operations that move data, on odd shapes and all types; every result must be equal.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each test is one function that applies one operation to many shapes.
"""

import itertools

import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import MLIR_NAMES
from test_elementwise import BOOL, I8, I32, generator, ordinary
from verify import verify

TYPES = pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, BOOL], ids=lambda d: MLIR_NAMES[d])


def arrays(name, dtype, shapes):
    rng = generator(name, dtype.name)
    return [ordinary(rng, shape, dtype, "any", 0) for shape in shapes]


def verify_each(operation, cases, name, dtype, directory):
    """`cases` pairs the shape of an operand with the attributes of `operation`."""
    args = arrays(name, dtype, [shape for shape, *_ in cases])

    def function(*operands):
        return [operation(x, *attributes) for x, (_, *attributes) in zip(operands, cases)]

    verify(function, args, directory)


@TYPES
def test_broadcast_in_dim(dtype, tmp_path):
    cases = [
        ((), (), ()),
        ((), (1000,), ()),
        ((), (2, 3, 4, 5, 6), ()),
        ((7,), (7, 129), (0,)),
        ((129,), (7, 129), (1,)),
        ((1,), (8, 128), (0,)),
        ((128,), (128, 128), (0,)),
        ((1, 200), (9, 200), (0, 1)),
        ((9, 1), (9, 200), (0, 1)),
        ((7, 127), (3, 7, 127), (1, 2)),
        ((7, 127), (7, 3, 127), (0, 2)),
        ((7, 127), (7, 127, 3), (0, 1)),
        ((2, 1, 5), (2, 4, 5, 8), (0, 1, 2)),
        ((2, 3, 1, 5, 1), (2, 3, 4, 5, 129), (0, 1, 2, 3, 4)),
        ((0,), (3, 0), (1,)),
    ]
    verify_each(lax.broadcast_in_dim, cases, "broadcast", dtype, tmp_path)


@TYPES
def test_reshape(dtype, tmp_path):
    cases = [
        ((), (1, 1, 1)),
        ((1,), ()),
        ((1000,), (8, 125)),
        ((8, 128), (1024,)),
        ((129, 7), (7, 129)),
        ((129, 7), (903,)),
        ((2, 3, 128), (6, 128)),
        ((6, 128), (2, 3, 128)),
        ((7, 8, 16), (7, 128)),
        ((200, 128), (100, 256)),
        ((2, 3, 5, 7, 11), (11, 7, 5, 3, 2)),
        ((1, 127, 1, 3), (127, 3)),
        ((64, 1, 10), (64, 10)),
        ((0, 5), (5, 0)),
    ]
    verify_each(lax.reshape, cases, "reshape", dtype, tmp_path)


@TYPES
def test_transpose(dtype, tmp_path):
    cases = [((129, 7), (1, 0)), ((8, 128), (1, 0)), ((200, 129), (1, 0)), ((1, 1000), (1, 0))]
    cases += [((7, 9, 129), order) for order in itertools.permutations(range(3))]
    cases += [
        ((2, 3, 8, 129), order) for order in [(3, 2, 1, 0), (0, 2, 1, 3), (0, 1, 3, 2), (1, 0, 3, 2), (2, 3, 0, 1)]
    ]
    cases += [((2, 1, 3, 7, 130), order) for order in [(4, 3, 2, 1, 0), (0, 2, 3, 1, 4)]]
    cases += [((0, 3), (1, 0))]
    verify_each(lax.transpose, cases, "transpose", dtype, tmp_path)


@TYPES
def test_rows_and_columns_of_one_array(dtype, tmp_path):
    """Arrays that do not fit whole, of which one kernel reads blocks of rows and of columns."""
    square, stack = arrays("both", dtype, [(1601, 1601), (301, 301, 60)])

    def function(x, y):
        transposed = lax.transpose(y, (1, 0, 2))
        return lax.eq(x, lax.transpose(x, (1, 0))), lax.max(y, transposed), lax.min(x, lax.rev(x, (0,)))

    verify(function, [square, stack], tmp_path)


@TYPES
def test_reverse(dtype, tmp_path):
    cases = [
        ((1000,), (0,)),
        ((7,), (0,)),
        ((9, 129), (0,)),
        ((9, 129), (1,)),
        ((9, 129), (0, 1)),
        ((3, 5, 7), (0, 2)),
        ((2, 3, 4, 5), (1, 2)),
        ((128, 256), (1,)),
    ]
    verify_each(lax.rev, cases, "reverse", dtype, tmp_path)


@TYPES
def test_slice(dtype, tmp_path):
    cases = [
        ((1000,), (1,), (1000,), (1,)),
        ((1000,), (127,), (900,), (7,)),
        ((200,), (128,), (129,), (1,)),
        ((17, 300), (0, 128), (17, 256), (1, 1)),
        ((17, 300), (3, 100), (16, 301 - 1), (1, 1)),
        ((17, 300), (1, 5), (17, 300), (2, 3)),
        ((17, 300), (0, 0), (17, 300), (1, 2)),
        ((5, 9, 129), (1, 0, 1), (4, 9, 129), (1, 1, 1)),
        ((5, 9, 129), (0, 1, 0), (5, 9, 129), (2, 4, 64)),
        ((2, 3, 4, 5, 6), (0, 1, 1, 0, 3), (2, 3, 3, 5, 4), (1, 1, 1, 2, 1)),
        ((9, 9), (4, 4), (4, 9), (1, 1)),
    ]
    verify_each(lax.slice, cases, "slice", dtype, tmp_path)


@TYPES
def test_pad(dtype, tmp_path):
    cases = [
        ((7,), [(1, 2, 0)]),
        ((1000,), [(24, 0, 0)]),
        ((129,), [(-1, 0, 0)]),
        ((129,), [(0, 0, 1)]),
        ((9, 129), [(0, 0, 0), (0, 127, 0)]),
        ((9, 129), [(7, 1, 0), (3, 5, 0)]),
        ((9, 129), [(-2, -3, 0), (-1, -64, 0)]),
        ((9, 20), [(1, 2, 2), (2, 1, 3)]),
        ((9, 20), [(-1, 4, 1), (3, -7, 2)]),
        ((3, 5, 7), [(1, 0, 0), (0, 1, 0), (2, 2, 1)]),
        ((2, 3, 4, 5), [(0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 1, 0)]),
        ((0, 3), [(2, 3, 0), (1, 1, 0)]),
    ]
    filler = np.asarray(1, dtype)
    verify_each(lambda x, config: lax.pad(x, filler, config), cases, "pad", dtype, tmp_path)


@TYPES
def test_concatenate(dtype, tmp_path):
    cases = [
        ([(1,), (1,)], 0),
        ([(127,), (2,), (1000,)], 0),
        ([(7, 129), (9, 129)], 0),
        ([(8, 128), (8, 128)], 0),
        ([(7, 127), (7, 3)], 1),
        ([(7, 128), (7, 128)], 1),
        ([(7, 1), (7, 200), (7, 5), (7, 129)], 1),
        ([(2, 3, 7), (2, 4, 7)], 1),
        ([(2, 3, 7), (2, 3, 130)], 2),
        ([(2, 3, 4, 5), (1, 3, 4, 5)], 0),
        ([(3, 0), (3, 5)], 1),
    ]
    args = arrays("concatenate", dtype, [shape for shapes, _ in cases for shape in shapes])

    def function(*operands):
        following = iter(operands)
        return [lax.concatenate([next(following) for _ in shapes], dimension) for shapes, dimension in cases]

    verify(function, args, tmp_path)


@pytest.mark.parametrize("dtype", [F32, I32], ids=lambda d: MLIR_NAMES[d])
def test_concatenated_slices_in_blocks(dtype, tmp_path):
    """Kernels that are cut along the rows that slices bring together."""

    def function(x, y, z):
        halves = lax.concatenate([x[128:], y[:128]], 0)
        parts = lax.concatenate([z[7:300], z[11:1000], z[1282:]], 0)
        return lax.sort(halves, dimension=1), lax.rev(halves, (1,)), lax.sort(parts, dimension=1)

    verify(function, arrays("slices", dtype, [(256, 512), (256, 512), (2048, 256)]), tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16, I32, I8], ids=lambda d: MLIR_NAMES[d])
def test_iota(dtype, tmp_path):
    cases = [((1,), 0), ((100,), 0), ((129, 7), 0), ((7, 127), 1), ((9, 3, 128), 1), ((3, 5, 7), 2)]
    cases += [((2, 3, 4, 5, 6), dim) for dim in range(5)]

    def function(_):
        return [lax.broadcasted_iota(dtype, shape, dimension) for shape, dimension in cases]

    verify(function, [np.zeros((), np.float32)], tmp_path)


@TYPES
def test_constants(dtype, tmp_path):
    """Constants of a program: one value, all values, and special values of the type."""
    values = arrays("constants", dtype, [(), (3,), (9, 129), (2, 3, 4, 5)])
    if dtype in (F32, BF16):
        values.append(np.array([np.nan, np.inf, -np.inf, -0.0, 2.0**-126]).astype(dtype))
    elif dtype in (I32, I8):
        values.append(np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype))

    def function(x):
        return [lax.select(lax.full(value.shape, x), value, value) for value in values]

    verify(function, [np.asarray(True)], tmp_path)


# A start index of each kind: inside, at the end, beyond it, and negative; those outside are
# clamped so that the slice fits. Each case takes three of them.
STARTS = np.array([0, 1, 5, 128, 200, 100000, -3, -(2**31)], np.int32)


def starts_of(number):
    return range(3 * number, 3 * number + 3)


@TYPES
def test_dynamic_slice(dtype, tmp_path):
    cases = [
        ((200,), (129,), [0]),
        ((17, 300), (1, 300), [0]),
        ((17, 300), (17, 128), [1]),
        ((17, 300), (5, 7), [0, 1]),
        ((9, 3, 129), (1, 3, 129), [0]),
        ((9, 3, 129), (9, 2, 100), [1, 2]),
        ((2, 3, 4, 5, 6), (1, 2, 3, 4, 5), [0, 1, 2, 3, 4]),
    ]
    args = arrays("dynamic_slice", dtype, [shape for shape, *_ in cases])

    def function(starts, *operands):
        results = []
        for number, (x, (_, sizes, dims)) in enumerate(zip(operands, cases)):
            for n in starts_of(number):
                index = starts[n % len(STARTS)]
                at = [index if d in dims else np.int32(0) for d in range(x.ndim)]
                results.append(lax.dynamic_slice_p.bind(x, *at, slice_sizes=sizes))
        return results

    verify(function, [list(STARTS), *args], tmp_path)


@TYPES
def test_dynamic_update_slice(dtype, tmp_path):
    cases = [
        ((200,), (129,), [0]),
        ((17, 300), (1, 300), [0]),
        ((17, 300), (17, 128), [1]),
        ((17, 300), (5, 7), [0, 1]),
        ((9, 3, 129), (1, 3, 129), [0]),
        ((2, 3, 4, 5, 6), (1, 2, 3, 4, 5), [0, 1, 2, 3, 4]),
    ]
    args = arrays("dynamic_update_slice", dtype, [shape for case in cases for shape in case[:2]])

    def function(starts, *operands):
        results = []
        for number, (x, y, case) in enumerate(zip(operands[::2], operands[1::2], cases)):
            for n in starts_of(number):
                index = starts[n % len(STARTS)]
                at = [index if d in case[2] else np.int32(0) for d in range(x.ndim)]
                results.append(lax.dynamic_update_slice_p.bind(x, y, *at))
        return results

    verify(function, [list(STARTS), *args], tmp_path)


@pytest.mark.parametrize("mode", ["clip", "promise_in_bounds"])
@TYPES
def test_gather_rows(dtype, mode, tmp_path):
    shapes = [(1000,), (7, 129), (129, 7), (200, 128), (1, 8), (50, 3, 5), (9, 2, 3, 130)]
    counts = [(), (1,), (64,), (129,), (3, 7)]
    cases = list(itertools.product(shapes, counts))
    tables = arrays("gather", dtype, [shape for shape, _ in cases])
    rng = generator("rows", dtype.name)
    beyond = 3 if mode == "clip" else 0
    rows = [np.asarray(rng.integers(-beyond, shape[0] + beyond, count), np.int32) for shape, count in cases]

    def function(*operands):
        half = len(operands) // 2
        return [
            table.at[index].get(mode=mode, wrap_negative_indices=False)
            for table, index in zip(operands[:half], operands[half:])
        ]

    verify(function, [*tables, *rows], tmp_path)
