"""Reductions over all kinds of dimensions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value, is_float
from check import check
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import BOOL, I8, I32, generator, ordinary
from verify import lower, verify

CASES = [
    ((1,), (0,)),
    ((7,), (0,)),
    ((128,), (0,)),
    ((129,), (0,)),
    ((1000,), (0,)),
    ((9, 129), (0,)),
    ((9, 129), (1,)),
    ((9, 129), (0, 1)),
    ((128, 8), (0,)),
    ((128, 8), (1,)),
    ((200, 200), (0,)),
    ((200, 200), (1,)),
    ((200, 200), (0, 1)),
    ((1, 7), (0,)),
    ((7, 1), (0,)),
    ((3, 9, 130), (0,)),
    ((3, 9, 130), (1,)),
    ((3, 9, 130), (2,)),
    ((3, 9, 130), (0, 2)),
    ((3, 9, 130), (0, 1)),
    ((2, 3, 4, 5), (1, 3)),
    ((2, 3, 4, 5), (0, 2)),
    ((2, 3, 2, 7, 128), (0, 3)),
    ((2, 3, 2, 7, 128), (4,)),
    ((2, 3, 2, 7, 128), (0, 1, 2, 3, 4)),
]
FUNCTIONS = {
    "add": lax.reduce_sum,
    "maximum": lax.reduce_max,
    "minimum": lax.reduce_min,
    "multiply": lax.reduce_prod,
    "and": lax.reduce_and,
    "or": lax.reduce_or,
    "xor": lax.reduce_xor,
}
KINDS = [(name, dtype) for dtype in (F32, BF16, I32, I8) for name in ("add", "maximum", "minimum", "multiply")]
KINDS += [(name, dtype) for dtype in (I32, BOOL) for name in ("and", "or", "xor")]


def verify_reductions(name, make, directory):
    function = FUNCTIONS[name]
    args = [make(shape) for shape, _ in CASES]
    verify(lambda *xs: [function(x, axes) for x, (_, axes) in zip(xs, CASES)], args, directory)


@pytest.mark.parametrize("name, dtype", KINDS, ids=lambda v: MLIR_NAMES.get(v, v))
def test_reduce(name, dtype, tmp_path):
    rng = generator("reduce", name, dtype.name)

    def make(shape):
        if is_float(dtype) and name == "multiply":
            # Products near one, so that none of them overflows.
            return np.asarray(np.exp(rng.normal(0, 0.02, shape))).astype(dtype)
        return ordinary(rng, shape, dtype, "any", 0)

    verify_reductions(name, make, tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_sums_of_small_integers_are_exact(dtype, tmp_path):
    """Every element counts once, none twice and no padding: the sums must be equal."""
    rng = generator("exact sums", dtype.name)
    verify_reductions("add", lambda shape: np.asarray(rng.integers(-16, 17, shape)).astype(dtype), tmp_path)


@pytest.mark.parametrize("name", ["add", "maximum", "minimum"])
def test_special_values(name, tmp_path):
    """One NaN makes the result NaN; infinities stay, and opposite ones cancel to NaN."""
    rng = generator("special sums", name)
    args = []
    for special in ([np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf], [-0.0]):
        array = rng.standard_normal((9, 200)).astype(F32)
        places = rng.choice(9 * 200, 5 * len(special), replace=False)
        array.flat[places] = np.resize(special, len(places))
        args.append(array)
    function = FUNCTIONS[name]
    verify(
        lambda *xs: [function(x, axes) for x in xs for axes in ((0,), (1,), (0, 1))],
        args,
        tmp_path,
    )


def reduce_text(shape, init, region, dims, result):
    return f"""
func.func @main(%x: tensor<{shape}>) -> tensor<{result}> {{
  %init = stablehlo.constant dense<{init}> : tensor<{shape.split("x")[-1]}>
  %r = stablehlo.reduce(%x init: %init) applies stablehlo.{region} across dimensions = {dims}
       : (tensor<{shape}>, tensor<{shape.split("x")[-1]}>) -> tensor<{result}>
  return %r : tensor<{result}>
}}
"""


def test_initial_value_counts(tmp_path):
    x = np.arange(7 * 129, dtype=np.float32).reshape(7, 129) % 32
    text = reduce_text("7x129xf32", "5.0", "add", "[1]", "7xf32")
    (result,) = systole_run(text, [x], tmp_path)
    check(result, exact_value(x.sum(axis=1) + np.float32(5)))


def test_initial_value_of_a_maximum(tmp_path):
    x = np.array([[-4, -2], [3, 9], [-8, -1]], np.int32)
    text = reduce_text("3x2xi32", "1", "maximum", "[1]", "3xi32")
    (result,) = systole_run(text, [x], tmp_path)
    check(result, exact_value(np.array([1, 9, 1], np.int32)))


def test_empty_sums_are_the_initial_value(tmp_path):
    text = reduce_text("3x0xf32", "2.5", "add", "[1]", "3xf32")
    (result,) = systole_run(text, [np.zeros((3, 0), np.float32)], tmp_path)
    check(result, exact_value(np.full(3, 2.5, np.float32)))


@pytest.mark.parametrize("shape, axis", [((40, 130), 0), ((40, 130), 1), ((300,), 0), ((3, 9, 5), 1)])
@pytest.mark.parametrize("dtype", [F32, BF16], ids=MLIR_NAMES.get)
def test_the_first_of_several_nans(shape, axis, dtype, tmp_path):
    rng = generator("first nan", str(shape))
    x = rng.standard_normal(shape).astype(dtype)
    x[rng.random(shape) < 0.3] = np.nan
    text = lower(lambda x: [jnp.argmax(x, axis), jnp.argmin(x, axis)], [x]).as_text()
    wide = x.astype(np.float64)
    for place, expected in zip(systole_run(text, [x], tmp_path), (np.argmax, np.argmin)):
        np.testing.assert_array_equal(place, expected(wide, axis))


MERGES = [
    ((3, 9, 130), (3, -1)),
    ((3, 9, 130), (27, 130)),
    ((2, 1, 7, 129), (2, -1)),
    ((1, 33, 50), (-1,)),
    ((1000, 3), (-1,)),
    ((4, 5, 1, 64), (4, 320)),
]


@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=MLIR_NAMES.get)
@pytest.mark.parametrize("shape, merged", MERGES, ids=str)
def test_merged_dimensions(shape, merged, dtype, tmp_path):
    """Whether they are reduced or kept."""
    x = np.asarray(generator(f"merged {shape}").integers(-9, 9, shape)).astype(dtype)

    def function(x):
        flat = x.reshape(merged)
        last = flat.ndim - 1
        return lax.reduce_sum(flat, (last,)), lax.reduce_max(flat, (0,)), lax.argmax(flat, last, np.int32)

    verify(function, [x], tmp_path)


@pytest.mark.parametrize("shape, axes", [((5, 129), (0,)), ((5, 129), (1,)), ((4, 7, 130), (0, 2)), ((333,), (0,))])
def test_elements_are_combined_in_their_order(shape, axes, tmp_path):
    """The body composes maps x -> a x + b of integers modulo 2^32: every order but one is wrong."""
    rng = generator("order", str(shape))
    a, b = (rng.integers(-9, 10, shape, dtype=np.int32) for _ in range(2))

    def compose(f, g):
        return f[0] * g[0], f[1] * g[0] + g[1]

    text = lower(lambda a, b: lax.reduce((a, b), (1, 0), compose, axes), [a, b]).as_text()
    results = systole_run(text, [a, b], tmp_path)
    kept = [n for d, n in enumerate(shape) if d not in axes]
    flat = [np.moveaxis(x, axes, range(len(axes))).reshape(-1, *kept) for x in (a, b)]
    composed = (np.ones(kept, np.int32), np.zeros(kept, np.int32))
    with np.errstate(over="ignore"):
        for step in zip(*flat):
            composed = compose(composed, step)
    for result, expected in zip(results, composed, strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape, axes", [((9, 33, 50), (0, 1)), ((70, 1000), (1,))])
def test_the_last_of_equal_elements(shape, axes, tmp_path):
    x = generator("last", str(shape)).integers(0, 3, shape).astype(F32)
    number = np.arange(x.size, dtype=F32).reshape(shape)

    def last(a, b):
        return [lax.select(a[0] > b[0], p, q) for p, q in zip(a, b)]

    inits = (np.float32(-np.inf), np.float32(-1))
    text = lower(lambda x, i: lax.reduce((x, i), inits, last, axes)[1], [x, number]).as_text()
    (result,) = systole_run(text, [x, number], tmp_path)
    kept = [n for d, n in enumerate(shape) if d not in axes]
    rows, numbers = (np.moveaxis(v, axes, range(len(axes))).reshape(-1, *kept) for v in (x, number))
    np.testing.assert_array_equal(result, np.where(rows == rows.max(0), numbers, -1).max(0))


# Reductions of one tensor, of which the compiler makes one loop: two, three and five results, of several
# combiners and types.
TOGETHER = {
    "moments": lambda x, d: [lax.reduce_sum(x, d), lax.reduce_sum(x * x, d)],
    "range": lambda x, d: [lax.reduce_max(x, d), lax.reduce_min(x, d), lax.reduce_sum(x, d)],
    "five": lambda x, d: [
        lax.reduce_sum(x, d),
        lax.reduce_max(-x, d),
        lax.reduce_sum(jnp.abs(x), d),
        lax.reduce_prod(jnp.where(x > 1, x, x * 0 + 1), d),
        lax.reduce_min(x + x, d),
    ],
}


@pytest.mark.parametrize("dtype", [F32, BF16, I32], ids=MLIR_NAMES.get)
@pytest.mark.parametrize("shape, dims", [((127, 129), (0,)), ((129, 7, 64), (0, 1)), ((33, 1000), (1,))])
@pytest.mark.parametrize("name", TOGETHER)
def test_reductions_of_one_tensor(name, shape, dims, dtype, tmp_path):
    x = ordinary(generator("together", name, dtype.name), shape, dtype, "any", 0)
    if name == "five":
        x = np.clip(x, -1.01, 1.01).astype(dtype)
    verify(lambda x: TOGETHER[name](x, dims), [x], tmp_path)


def test_sums_of_an_empty_tensor(tmp_path):
    verify(lambda x: TOGETHER["moments"](x, (0,)), [np.zeros((0, 5), F32)], tmp_path)


def test_nan_stays_in_its_result(tmp_path):
    """Of two reductions in one loop, the other one does not see it; nor do other columns."""
    x = np.ones((40, 300), F32)
    x[17, 255] = np.nan
    verify(lambda x: [lax.reduce_sum(x, (0,)), lax.reduce_sum(jnp.where(x > 0, x, 0), (0,))], [x], tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16], ids=MLIR_NAMES.get)
@pytest.mark.parametrize("shape", [(4, 71, 71, 49), (3, 95, 97, 130), (2, 67, 3, 33, 24)])
def test_sums_of_images_of_odd_extents(shape, dtype, tmp_path):
    """In blocks that do not divide the rows, and whose rows of packed elements have gaps: integers have exact sums."""
    x = generator("odd images", str(shape)).integers(-8, 9, shape).astype(dtype)
    rows = tuple(range(x.ndim - 1))
    sums = lower(lambda x: (jnp.sum(x.astype(F32), rows), jnp.sum(x.astype(F32) ** 2, rows)), [x])
    result, squares = systole_run(sums.as_text(), [x], tmp_path)
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(result, wide.sum(rows))
    np.testing.assert_array_equal(squares, (wide**2).sum(rows))


@pytest.mark.parametrize("count", [5, 13])
def test_sums_of_views_without_padding(count, tmp_path):
    """The only part of a larger array would have padding behind its rows, where their memory ends."""
    x = generator("views", str(count)).integers(-8, 9, (count, 3, 64)).astype(BF16)
    sums = lower(lambda x: (jnp.sum(x.reshape(1, count, 3, 64).astype(F32), (0, 2)),), [x])
    (result,) = systole_run(sums.as_text(), [x], tmp_path)
    np.testing.assert_array_equal(result, x.astype(np.float64).sum(1))


def test_a_sum_of_each_of_many_arrays(tmp_path):
    """128 rows of all 32 arrays would not fit VMEM, so chunks are of fewer; integers have exact sums."""
    x = generator("many arrays").integers(-3, 4, (32, 129, 1152)).astype(F32)
    (result,) = systole_run(lower(lambda x: (jnp.sum(x * x, (1, 2)),), [x]).as_text(), [x], tmp_path)
    np.testing.assert_array_equal(result, (x.astype(np.float64) ** 2).sum((1, 2)))
