"""Fewer bits, other widths, functions of elements: expanded operations, against JAX on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from systole_cli import ELEMENT_TYPES, systole_run
from verify import lower

BF16 = np.dtype(ml_dtypes.bfloat16)


def same_as_jax(function, args, directory):
    """Bit for bit, but that all NaN are alike."""
    lowered = jax.jit(function).lower(*args)
    results = systole_run(lowered.as_text(), args, directory)
    for result, golden in zip(results, jax.tree.leaves(lowered.compile()(*args)), strict=True):
        golden = np.asarray(golden)
        assert result.dtype == golden.dtype
        with np.errstate(invalid="ignore"):
            same = (result == golden) | ((result != result) & (golden != golden))
        assert same.all(), f"at {np.argwhere(~same)[:4].tolist()}: {result[~same][:4]}, not {golden[~same][:4]}"


FORMATS = [(8, 7), (5, 10), (5, 2), (4, 3), (3, 1), (1, 3), (8, 0), (5, 0), (8, 22), (7, 23), (20, 30)]


@pytest.mark.parametrize("exponent, mantissa", FORMATS)
def test_reduce_precision(exponent, mantissa, tmp_path):
    """All binades, numbers halfway between others, and the ends of the narrow range."""
    rng = np.random.default_rng(exponent * 32 + mantissa)
    patterns = rng.integers(0, 2**32, 20_000, dtype=np.uint32)
    half = np.uint32(1 << max(22 - mantissa, 0))
    ties = (patterns & ~(2 * half - 1)) | half
    near = rng.standard_normal(20_000).astype(np.float32) * 2.0 ** rng.integers(-20, 20, 20_000)
    x = np.concatenate([patterns.view(np.float32), ties.view(np.float32), near.astype(np.float32)])
    x = np.where(np.abs(x) < 2.0**-126, np.float32(0), x)  # denormals count as zero
    if mantissa == 0:  # with this folder's flags XLA makes infinities of some NaN; the next test has them
        x = x[~np.isnan(x)]
    same_as_jax(lambda v: lax.reduce_precision(v, exponent, mantissa), [x], tmp_path)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("exponent", [1, 5, 8, 11])
def test_reduce_precision_keeps_nan(exponent, dtype, tmp_path):
    """Without mantissa bits, too, a NaN is none of the infinities, whatever its bits are."""
    width, fraction = 8 * np.dtype(dtype).itemsize, ml_dtypes.finfo(dtype).nmant
    payloads = [0, 1, 2, 1 << (fraction - 1), (1 << fraction) - 1, (1 << (fraction - 1)) - 1]
    infinity = ((1 << (width - 1 - fraction)) - 1) << fraction
    bits = [infinity + payload + sign for payload in payloads for sign in (0, 1 << (width - 1))]
    x = np.array(bits, f"uint{width}").view(dtype)
    with jax.enable_x64(True):
        text = jax.jit(lambda v: lax.reduce_precision(v, exponent, 0)).lower(x).as_text()
    (result,) = systole_run(text, [x], tmp_path)
    np.testing.assert_array_equal(result[:2], [np.inf, -np.inf])
    assert np.isnan(result[2:]).all()


@pytest.mark.parametrize("exponent, mantissa", [(5, 2), (8, 3), (5, 10)])
def test_reduce_precision_of_bf16(exponent, mantissa, tmp_path):
    x = np.arange(0x80, 0x7F80, dtype=np.uint16).view(BF16)
    same_as_jax(lambda v: lax.reduce_precision(v, exponent, mantissa), [np.append(x, -x)], tmp_path)


@pytest.mark.parametrize("exponent, mantissa", [(5, 10), (5, 8), (5, 2), (5, 1), (4, 10), (4, 3)])
def test_reduce_precision_of_f16(exponent, mantissa, tmp_path):
    """Subnormal numbers stay if the format has the exponents of f16."""
    x = np.arange(0, 0x7C00, dtype=np.uint16).view(np.float16)
    same_as_jax(lambda v: lax.reduce_precision(v, exponent, mantissa), [np.append(x, -x)], tmp_path)


@pytest.mark.parametrize("target", [jnp.int8, jnp.uint8, jnp.int16, jnp.uint16])
@pytest.mark.parametrize("source", [np.int32, np.uint32, np.float32])
def test_narrower(source, target, tmp_path):
    x = np.random.default_rng(1).integers(0, 2**32, (7, 129), dtype=np.uint32).view(source)
    same_as_jax(lambda v: lax.bitcast_convert_type(v, target), [x], tmp_path)


@pytest.mark.parametrize("target", [jnp.int32, jnp.uint32, jnp.float32])
@pytest.mark.parametrize("source", [np.int8, np.uint16, BF16])
def test_wider(source, target, tmp_path):
    parts = 4 // np.dtype(source).itemsize
    x = np.random.default_rng(2).standard_normal((7, 129)).astype(np.float32)
    x = x.view(source).reshape(7, 129, parts)
    same_as_jax(lambda v: lax.bitcast_convert_type(v, target), [x], tmp_path)


@pytest.mark.parametrize("shape", [(4, 5, 6), (7, 300, 129), (1, 1, 1)])
def test_product_of_predicates(shape, tmp_path):
    m, k, n = shape
    rng = np.random.default_rng(3)
    x, y = rng.random((m, k)) < 0.1, rng.random((k, n)) < 0.1
    same_as_jax(lax.dot, [x, y], tmp_path)


@pytest.mark.parametrize("result", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.float32, BF16])
def test_counts_of_truth_values(result, tmp_path):
    """Narrow integers wrap: here to one of 40,000, and to a fifth of it."""
    rng = np.random.default_rng(5)
    x, y = np.ones((3, 40_000), bool), rng.random((40_000, 5)) < [1, 0.2, 0.2, 0, 0.5]
    exact = [[int(y[:, j].sum()) for j in range(5)]] * 3
    count = lower(lambda x, y: lax.dot(x, y, preferred_element_type=result), [x, y]).as_text()
    (counted,) = systole_run(count, [x, y], tmp_path)
    np.testing.assert_array_equal(counted, np.array(exact, np.int64).astype(result))


def test_windows_of_truth_values_are_counted(tmp_path):
    def function(x, w):
        return lax.conv(x, w, (1, 1), "VALID", preferred_element_type=np.int8)

    x, w = np.ones((1, 40, 4, 4), bool), np.ones((2, 40, 3, 3), bool)
    (counted,) = systole_run(lower(function, [x, w]).as_text(), [x, w], tmp_path)
    np.testing.assert_array_equal(counted, np.full((1, 2, 2, 2), 360 - 512 + 256, np.int8))


@pytest.mark.parametrize("kind", ["i32", "i16", "ui8", "i8"])
def test_truth_values_beside_integers(kind, tmp_path):
    dtype = ELEMENT_TYPES[kind]
    rng = np.random.default_rng(6)
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (4, 300), dtype)
    y = rng.random((300, 5)) < 0.5
    types = f"(tensor<4x300x{kind}>, tensor<300x5xi1>) -> tensor<4x5xi32>"
    turned = f"(tensor<300x5xi1>, tensor<4x300x{kind}>) -> tensor<5x4xi32>"
    text = f"""
      func.func @main(%x: tensor<4x300x{kind}>, %y: tensor<300x5xi1>) -> (tensor<4x5xi32>, tensor<5x4xi32>) {{
        %a = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : {types}
        %b = stablehlo.dot_general %y, %x, contracting_dims = [0] x [1] : {turned}
        return %a, %b : tensor<4x5xi32>, tensor<5x4xi32>
      }}"""
    expected = (x.astype(np.int64) @ y).astype(np.int32)
    a, b = systole_run(text, [x, y], tmp_path)
    np.testing.assert_array_equal(a, expected)
    np.testing.assert_array_equal(b, expected.T)


def test_reducer_with_a_constant(tmp_path):
    """The largest magnitude, but at least 1: any order gives the same."""

    def function(x):
        def body(a, b):
            return lax.max(lax.max(lax.abs(a), lax.abs(b)), np.float32(1))

        return lax.reduce(x, np.float32(0), body, (1,))

    x = np.random.default_rng(4).standard_normal((9, 130)).astype(np.float32)
    x[3] = 0.25
    same_as_jax(function, [x], tmp_path)


def test_map_and_composite(tmp_path):
    text = """
    func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
      %c = stablehlo.constant dense<2.5> : tensor<f32>
      %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %k = stablehlo.constant dense<3.0> : tensor<f32>
        %m = stablehlo.multiply %a, %b : tensor<f32>
        %n = stablehlo.reduce_precision %m, format = e8m7 : tensor<f32>
        %p = stablehlo.compare LT, %n, %k : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %s = stablehlo.select %p, %c, %n : tensor<i1>, tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      %t = stablehlo.composite "my.twice" %x {decomposition = @twice} : (tensor<3x4xf32>) -> tensor<3x4xf32>
      return %r, %t : tensor<3x4xf32>, tensor<3x4xf32>
    }
    func.func private @twice(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %r = stablehlo.add %x, %x : tensor<3x4xf32>
      return %r : tensor<3x4xf32>
    }"""
    x, y = np.random.default_rng(5).uniform(-3, 3, (2, 3, 4)).astype(np.float32)
    mapped, twice = systole_run(text, [x, y], tmp_path)
    narrow = (x * y).astype(BF16).astype(np.float32)
    np.testing.assert_array_equal(mapped, np.where(narrow < 3, np.float32(2.5), narrow))
    np.testing.assert_array_equal(twice, 2 * x)
