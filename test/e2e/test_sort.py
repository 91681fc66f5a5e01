"""Sorts: lengths, dimensions, element types, several keys, stability, special values.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import time

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value
from check import check_all
from systole_cli import MLIR_NAMES, systole, systole_run
from test_elementwise import BOOL, I8, I32, UI8, UI32, generator, ordinary
from verify import lower, verify_with_jax

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 100, 128, 129, 300]


def test_lengths(tmp_path):
    rng = generator("sort lengths")
    args = [rng.standard_normal(size).astype(F32) for size in LENGTHS]
    verify_with_jax(lambda *xs: [jnp.sort(x) for x in xs], args, tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, UI32, UI8, BOOL], ids=lambda d: MLIR_NAMES[d])
def test_dimensions(dtype, tmp_path):
    """Of many rows and few, with equal elements, whose numbers stay in order."""
    rng = generator("sort", dtype.name)
    shapes = [(3, 9, 10), (40, 17), (2, 130), (5, 0), (1, 33, 1)]
    args = [ordinary(rng, shape, dtype, "any", 0) for shape in shapes]
    verify_with_jax(
        lambda *xs: [f(x, axis=axis) for x in xs for axis in range(x.ndim) for f in (jnp.sort, jnp.argsort)],
        args,
        tmp_path,
    )


def test_several_keys(tmp_path):
    rng = generator("sort keys")
    x, y = (rng.integers(-3, 4, (6, 50)).astype(dtype) for dtype in (F32, I32))
    z = rng.standard_normal((6, 50)).astype(F32)
    verify_with_jax(
        lambda x, y, z: [lax.sort((x, y, z), dimension=d, num_keys=n) for d in (0, 1) for n in (1, 2)],
        [x, y, z],
        tmp_path,
    )


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_special_values(dtype, tmp_path):
    rng = generator("special sort", dtype.name)
    x = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0], 70)
    x = rng.permutation(x).astype(dtype).reshape(2, 35)
    verify_with_jax(lambda x: [jnp.argsort(x, 1), jnp.argsort(x, 1, descending=True)], [x], tmp_path)


def test_unstable(tmp_path):
    x = generator("unstable").integers(-9, 9, (3, 64)).astype(np.int32)
    verify_with_jax(lambda x: [lax.sort(x, dimension=d, is_stable=False) for d in (0, 1)], [x], tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16, I32, UI8], ids=lambda d: MLIR_NAMES[d])
def test_largest(dtype, tmp_path):
    """With NaN of both signs, which are beyond the infinities, and zeros of both."""
    rng = generator("top k", dtype.name)
    x = rng.integers(0, 9, (3, 40)).astype(dtype)
    args = [x, rng.permutation(300).astype(dtype), x[:, :1]]
    if dtype in (F32, BF16):
        special = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, -np.nan, 1.0], 50).astype(dtype)
        args.append(rng.permutation(special))
    verify_with_jax(
        lambda *xs: [lax.top_k(x, k) for x in xs for k in (0, 1, 5, 40) if k <= x.shape[-1]],
        args,
        tmp_path,
    )


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((2047,), 0), ((2049,), 0), ((3, 5000), 1), ((40, 3000), 1), ((2, 300, 7), 1), ((1000, 3), 0), ((130, 9), 1)],
    ids=str,
)
def test_columns(shape, axis, tmp_path):
    """Columns of several chunks of the lanes, across groups of lanes, and transposed; with payloads of three arrays."""
    rng = generator("columns", str(shape))
    x, y = (rng.integers(-50, 50, shape).astype(dtype) for dtype in (F32, I32))

    def function(x, y):
        pairs = lax.sort((x, y, jnp.abs(y) - x), dimension=axis, num_keys=2)
        return [jnp.sort(y, axis=axis), jnp.argsort(x, axis=axis), lax.sort(x, dimension=axis, is_stable=False), pairs]

    verify_with_jax(function, [x, y], tmp_path)


def test_merged_through_hbm(tmp_path):
    """Columns that VMEM does not hold."""
    x = generator("merged").integers(-(10**5), 10**5, 1_100_000).astype(np.int32)
    results = systole_run(lower(lambda x: [jnp.argsort(x), jnp.sort(x)], [x]).as_text(), [x], tmp_path)
    check_all(results, [exact_value(np.argsort(x, kind="stable").astype(np.int32)), exact_value(np.sort(x))])


@pytest.mark.parametrize("dtype", [F32, BF16, UI8, I32], ids=lambda d: MLIR_NAMES[d])
def test_few_of_many(dtype, tmp_path):
    """The first elements of sorts, among them equal ones, and the least of all; of rows, and of many short ones."""
    rng = generator("few of many", dtype.name)
    x = rng.integers(0, 7, (3, 2500)).astype(dtype)
    x[1] = np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf
    if dtype in (F32, BF16):
        x[2, ::300] = np.nan
    verify_with_jax(
        lambda x: [
            *(lax.top_k(x, k) for k in (1, 4, 11, 70)),
            lax.top_k(x.reshape(-1, 100)[:40], 3),
            jnp.sort(x, 1)[:, 2:9],
            jnp.argsort(x.T, 0)[:5, 1:],
            lax.sort((x, x), dimension=1, is_stable=False, num_keys=2)[0][:, :6],
        ],
        [x],
        tmp_path,
    )


@pytest.mark.parametrize(("rows", "size", "k"), [(40, 2100, 34), (130, 1157, 11), (33, 4444, 3), (129, 300, 150)])
def test_few_of_many_in_each_of_many_rows(rows, size, k, tmp_path):
    """Rows beside each other in the lanes, of which little would be left behind in chunks of each."""
    rng = generator("rows", rows, size)
    x = rng.integers(-99, 99, (rows, size)).astype(F32)
    x[::7, ::5] = np.nan
    x[1] = -0.0
    verify_with_jax(lambda x, y: [lax.top_k(x, k), lax.top_k(y, k)], [x, x[:, ::-1].astype(BF16)], tmp_path)


def test_several_counts(tmp_path):
    """Operands that count along the sorted dimension, of which one may be the number of each element."""
    x = generator("counts").integers(-5, 6, 300).astype(np.int32)

    def function(x):
        n = lax.iota(np.int32, 300)
        return [lax.sort((x, n, n), num_keys=1), lax.sort((n, x, n), num_keys=2), lax.sort((x, n, -n), num_keys=1)[1:]]

    verify_with_jax(function, [x], tmp_path)


REMAINDERS = """
func.func @main(%x: tensor<9xi32>, %m: tensor<i32>) -> tensor<9xi32> {
  %r = "stablehlo.sort"(%x) <{is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.remainder %a, %m : tensor<i32>
    %q = stablehlo.remainder %b, %m : tensor<i32>
    %r = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<9xi32>) -> tensor<9xi32>
  return %r : tensor<9xi32>
}
"""


def test_any_comparator(tmp_path):
    """Descending remainders, by a divisor from outside; equal ones stay in their order."""
    x = np.array([5, 3, 8, 1, 9, 4, 2, 7, 6], np.int32)
    results = systole_run(REMAINDERS, [x, np.asarray(3, np.int32)], tmp_path)
    check_all(results, [exact_value(np.array([5, 8, 2, 1, 4, 7, 3, 9, 6], np.int32))])


def test_deep_comparators_compile_in_time(tmp_path):
    """A value with more paths to the elements than operations is compared with its counterpart once."""
    sums = [f"%{side}{k + 1} = stablehlo.add %{side}{k}, %{side}{k} : tensor<i32>" for k in range(60) for side in "ab"]
    program = tmp_path / "program.mlir"
    program.write_text(
        "func.func @main(%x: tensor<9xi32>) -> tensor<9xi32> {\n"
        '  %r = "stablehlo.sort"(%x) ({\n  ^bb0(%a0: tensor<i32>, %b0: tensor<i32>):\n'
        + "\n".join(sums)
        + "\n%p = stablehlo.compare LT, %a60, %b60 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return %p : tensor<i1>\n}) : (tensor<9xi32>) -> tensor<9xi32>\n  return %r : tensor<9xi32>\n}\n"
    )
    done = systole("compile", program, "-o", tmp_path / "program.sysx", timeout=60)
    assert done.returncode == 0, done.stderr


def test_long_sorts_compile_in_time(tmp_path):
    """A network of 2^19 comparators and more is a few loops."""
    x = np.zeros(100_000, F32)
    program = tmp_path / "program.mlir"
    program.write_text(lower(jnp.argsort, [x]).as_text())
    start = time.monotonic()
    done = systole("compile", program, "-o", tmp_path / "program.sysx")
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - start < 10
