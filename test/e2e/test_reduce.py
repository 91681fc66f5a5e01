"""Reductions over all kinds of dimensions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32, exact_value, is_float
from check import check
from systole_cli import MLIR_NAMES, systole_run
from test_elementwise import BOOL, I8, I32, generator, ordinary
from verify import verify

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
KINDS = [
    (name, dtype)
    for dtype in (F32, BF16, I32, I8)
    for name in ("add", "maximum", "minimum", "multiply")
]
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
    verify_reductions(
        "add", lambda shape: np.asarray(rng.integers(-16, 17, shape)).astype(dtype), tmp_path
    )


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
