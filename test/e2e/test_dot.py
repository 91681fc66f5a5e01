"""Contractions: shapes, transpositions and batches; precisions; types; special values.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from systole_cli import MLIR_NAMES
from test_elementwise import I8, I32, UI8, generator
from verify import verify

# Left shape, right shape, contracting dimensions, batch dimensions.
CASES = [
    ((1, 1), (1, 1), ([1], [0]), ([], [])),
    ((7, 8), (8, 7), ([1], [0]), ([], [])),
    ((8, 128), (128, 128), ([1], [0]), ([], [])),
    ((127, 129), (129, 127), ([1], [0]), ([], [])),
    ((129, 128), (128, 1), ([1], [0]), ([], [])),
    ((1, 200), (200, 129), ([1], [0]), ([], [])),
    ((200, 1), (1, 200), ([1], [0]), ([], [])),
    ((64, 300), (300, 10), ([1], [0]), ([], [])),
    ((9, 1000), (1000, 8), ([1], [0]), ([], [])),
    ((129, 7), (129, 9), ([0], [0]), ([], [])),
    ((7, 129), (9, 129), ([1], [1]), ([], [])),
    ((129, 7), (200, 129), ([0], [1]), ([], [])),
    ((200,), (200,), ([0], [0]), ([], [])),
    ((200,), (200, 7), ([0], [0]), ([], [])),
    ((7, 200), (200,), ([1], [0]), ([], [])),
    ((7,), (9,), ([], []), ([], [])),
    ((3, 7, 129), (3, 129, 8), ([2], [1]), ([0], [0])),
    ((3, 7, 129), (3, 8, 129), ([2], [2]), ([0], [0])),
    ((7, 3, 20), (20, 9, 3), ([2], [0]), ([1], [2])),
    ((2, 3, 8, 16), (2, 3, 16, 9), ([3], [2]), ([0, 1], [0, 1])),
    ((2, 9, 3, 16), (2, 9, 3, 16), ([3], [3]), ([0, 2], [0, 2])),
    ((5, 6, 7), (6, 7, 9), ([1, 2], [0, 1]), ([], [])),
    ((5, 6, 7), (7, 9, 6), ([1, 2], [2, 0]), ([], [])),
    ((3, 4, 130), (130, 5), ([2], [0]), ([], [])),
    # Batches of vectors.
    ((129, 7), (129, 7), ([1], [1]), ([0], [0])),
    ((7, 129), (129, 1, 7), ([0], [2]), ([1], [0])),
    ((3, 1, 130, 4), (4, 3, 130), ([2], [2]), ([0, 3], [1, 0])),
    ((2, 5, 6), (6, 2, 5), ([1, 2], [2, 0]), ([0], [1])),
    # Of products of which one side is a vector, and outer ones.
    ((9, 200), (3, 9, 200), ([1], [2]), ([0], [1])),
    ((7, 3, 130), (3, 7), ([0], [1]), ([1], [0])),
    ((129, 7), (7,), ([], []), ([1], [0])),
    ((5, 129), (5, 9), ([], []), ([0], [0])),
    ((3, 1, 9, 4), (4, 1, 7, 3), ([1], [1]), ([0, 3], [3, 0])),
    ((0, 8), (8, 9), ([1], [0]), ([], [])),
    ((7, 0), (0, 9), ([1], [0]), ([], [])),
]

# So many blocks that the steps are a pipelined loop, the last ones of which are not full.
LARGE = [
    ((300, 1100), (1100, 520), ([1], [0]), ([], [])),
    ((600, 640), (390, 640), ([1], [1]), ([], [])),
    ((3, 264, 520), (3, 520, 300), ([2], [1]), ([0], [0])),
]


def normal(rng, shape, dtype):
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def eighths(rng, shape, dtype):
    """Multiples of 1/8 that bf16 holds: products and sums are exact in any order."""
    return np.asarray(rng.integers(-32, 33, shape) / 8).astype(dtype)


def verify_contractions(make, dtype, directory, result=None, precision="highest", cases=CASES):
    rng = generator("dot", dtype.name, precision)
    args = [make(rng, shape, dtype) for case in cases for shape in case[:2]]

    def function(*operands):
        return [
            lax.dot_general(a, b, (contracting, batch), preferred_element_type=result)
            for a, b, (_, _, contracting, batch) in zip(operands[::2], operands[1::2], cases)
        ]

    verify(function, args, directory, precision=precision)


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
def test_f32(precision, tmp_path):
    verify_contractions(normal, F32, tmp_path, precision=precision)


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
def test_f32_exactly(precision, tmp_path):
    verify_contractions(eighths, F32, tmp_path, precision=precision)


@pytest.mark.parametrize("make", [normal, eighths])
@pytest.mark.parametrize("result", [None, F32], ids=["to_bf16", "to_f32"])
def test_bf16(result, make, tmp_path):
    verify_contractions(make, BF16, tmp_path, result)


@pytest.mark.parametrize("result", [None, F32], ids=["to_bf16", "to_f32"])
def test_large_bf16(result, tmp_path):
    verify_contractions(eighths, BF16, tmp_path, result, cases=LARGE)


@pytest.mark.parametrize("precision", ["default", "highest"])
def test_large_f32(precision, tmp_path):
    verify_contractions(eighths, F32, tmp_path, precision=precision, cases=LARGE)


@pytest.mark.parametrize("target", ["v2", "v3", "v5e"])
@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_rows_that_arrive_in_pieces(dtype, target, tmp_path):
    """The first steps of kernels multiply the rows that are there."""

    def function(x, y, z):
        rows = x.reshape(1024, 1024)
        return rows @ y, jax.nn.relu(rows @ z + 1), (x @ z).astype(dtype) * 2

    rng = generator("pieces", dtype.name)
    args = [eighths(rng, shape, dtype) for shape in ((8, 128, 1024), (1024, 1024), (1024, 640))]
    verify(function, args, tmp_path, precision="default", target=target)


def test_depth_of_a_constant_operand_in_chunks(tmp_path):
    """The gradient of a sum of a product: the weights' gradient is a product with ones, too deep for VMEM."""
    x = generator("constant-operand").integers(-8, 9, (8192, 512)).astype(F32)

    def gradient(x):
        return jax.grad(lambda w: (jnp.tanh(x) @ w).sum())(jnp.zeros((512, 256)))

    verify(gradient, [x], tmp_path, target="v3", precision="default")


@pytest.mark.parametrize("dtype", [I8, UI8, I32], ids=lambda d: MLIR_NAMES[d])
def test_integers(dtype, tmp_path):
    def make(rng, shape, dtype):
        limits = np.iinfo(dtype)
        return np.asarray(rng.integers(limits.min, limits.max, shape, endpoint=True), dtype)

    wide = np.dtype(np.uint32) if dtype == UI8 else I32
    # With so many rows the passes over bytes are a loop.
    tall = ((300, 200), (200, 130), ([1], [0]), ([], []))
    verify_contractions(make, dtype, tmp_path, wide, cases=[*CASES, tall])


@pytest.mark.parametrize("dtype", [I8, UI8], ids=lambda d: MLIR_NAMES[d])
def test_deep_bytes(dtype, tmp_path):
    """Too much for VMEM at once: steps of the grid add up their parts of the depth."""
    rng, limits = generator("deep", dtype.name), np.iinfo(dtype)
    a, b = (rng.integers(limits.min, limits.max, shape, dtype, True) for shape in ((8, 163840), (163840, 128)))

    def function(a, b):
        return lax.dot_general(a, b, (([1], [0]), ([], [])), preferred_element_type=I32)

    verify(function, [a, b], tmp_path)


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
def test_wide_range_of_magnitudes(precision, tmp_path):
    """Large terms that cancel: the bound is relative to the sum of absolute values."""

    def make(rng, shape, dtype):
        return np.asarray(rng.standard_normal(shape) * 2.0 ** rng.integers(-30, 30, shape), dtype)

    verify_contractions(make, F32, tmp_path, precision=precision)


@pytest.mark.parametrize("precision", ["default", "high", "highest"])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_special_values(special, precision, tmp_path):
    """An infinity stays one in its row, also where f32 is split into several bf16 passes."""
    rng = generator("special", repr(special), precision)
    a = np.abs(eighths(rng, (9, 200), F32)) + 1
    b = np.abs(eighths(rng, (200, 130), F32)) + 1
    a[3, 150] = special

    def function(a, b):
        return lax.dot_general(a, b, (([1], [0]), ([], [])))

    verify(function, [a, b], tmp_path, precision=precision)


def test_largest_finite_operands_do_not_overflow_in_the_split(tmp_path):
    """f32's largest number rounds to infinity in bf16, but not in the more precise modes."""
    a = np.full((8, 1), np.finfo(np.float32).max, np.float32)
    b = np.full((1, 8), 2.0**-10, np.float32)

    def function(a, b):
        return lax.dot_general(a, b, (([1], [0]), ([], [])))

    verify(function, [a, b], tmp_path)


def test_precision_in_the_program_wins_over_the_default(tmp_path):
    """A contraction that asks for the highest precision gets it under --precision default."""
    rng = generator("own precision")
    a, b = normal(rng, (64, 128), F32), normal(rng, (128, 64), F32)

    def asking(a, b):
        return lax.dot_general(a, b, (([1], [0]), ([], [])), precision=lax.Precision.HIGHEST)

    verify(asking, [a, b], tmp_path, options=["--precision", "default"])
