"""Operands of products in one pass are rounded to bf16 where they are computed, which changes no bit.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ml_dtypes
import numpy as np
import pytest

from systole_cli import systole_run

SHAPES = [(8, 128, 128), (16, 200, 130), (7, 127, 129), (128, 1000, 64), (1, 1, 1), (3, 256, 2)]


def bits(array):
    return np.asarray(array, np.float32).view(np.uint32)


def operands(shape, special):
    m, k, n = shape
    rng = np.random.default_rng(m + k + n)
    x = rng.standard_normal((m, k)).astype(np.float32)
    # Halfway between numbers of bf16, beyond the largest one, denormal, not finite.
    for value in special:
        x[rng.integers(0, m, 3), rng.integers(0, k, 3)] = value
    return x, rng.standard_normal((k, n)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("special", [(), (1 + 2**-8, 1 + 3 * 2**-8, 2.0**-140), (3.4e38, np.inf, np.nan)], ids=str)
def test_products_of_rounded_operands(shape, special, tmp_path):
    m, k, n = shape
    x, w, v = operands(shape, special)
    kinds = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    product = f"stablehlo.dot_general {{}}, {{}}, contracting_dims = [1] x [0] : ({kinds[0]}, {kinds[1]}) -> {kinds[2]}"
    # The operand is computed by a kernel, or it is an argument, which nothing rounds before the MXUs.
    made = f"""
        func.func @main(%x: {kinds[0]}, %w: {kinds[1]}, %v: {kinds[1]}) -> ({kinds[2]}, {kinds[2]}) {{
          %y = stablehlo.negate %x : {kinds[0]}
          %0 = {product.format("%y", "%w")}
          %1 = {product.format("%y", "%v")}
          return %0, %1 : {kinds[2]}, {kinds[2]}
        }}"""
    given = f"""
        func.func @main(%y: {kinds[0]}, %w: {kinds[1]}, %v: {kinds[1]}) -> ({kinds[2]}, {kinds[2]}) {{
          %0 = {product.format("%y", "%w")}
          %1 = {product.format("%y", "%v")}
          return %0, %1 : {kinds[2]}, {kinds[2]}
        }}"""
    found = systole_run(made, [x, w, v], tmp_path, precision="default")
    wanted = systole_run(given, [-x, w, v], tmp_path, precision="default")
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(bits(a), bits(b))
    # A product of two numbers is one of the vector unit.
    if x.size > 1 and np.isfinite(x).all() and np.abs(x).max() < 1e30:
        rounded = [array.astype(ml_dtypes.bfloat16).astype(np.float64) for array in (-x, w)]
        scale = np.abs(rounded[0]) @ np.abs(rounded[1])
        assert (np.abs(found[0] - rounded[0] @ rounded[1]) <= 1e-5 * scale + 1e-30).all()


@pytest.mark.parametrize("shape", [(2, 12, 128, 64), (3, 5, 7, 129), (8, 4, 16, 256), (1, 2, 3, 4)], ids=str)
def test_work_beside_merged_dimensions(shape, tmp_path):
    """Blocks of a kernel in which dimensions are merged and divided again."""
    a, b, c, d = shape
    rng = np.random.default_rng(a * b * c * d)
    x, y = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    whole, merged = f"tensor<{a}x{b}x{c}x{d}xf32>", f"tensor<{a * b * c}x{d}xf32>"
    text = f"""
        func.func @main(%x: {whole}, %y: {whole}) -> ({merged}, {whole}, tensor<{a * b}x{c}x{d}xf32>) {{
          %0 = stablehlo.add %x, %y : {whole}
          %1 = stablehlo.reshape %0 : ({whole}) -> {merged}
          %2 = stablehlo.abs %1 : {merged}
          %n = stablehlo.iota dim = 0 : {merged}
          %3 = stablehlo.multiply %2, %n : {merged}
          %4 = stablehlo.reshape %3 : ({merged}) -> {whole}
          %5 = stablehlo.subtract %4, %x : {whole}
          %6 = stablehlo.reshape %5 : ({whole}) -> tensor<{a * b}x{c}x{d}xf32>
          return %3, %5, %6 : {merged}, {whole}, tensor<{a * b}x{c}x{d}xf32>
        }}"""
    found = systole_run(text, [x, y], tmp_path)
    rows = np.arange(a * b * c, dtype=np.float32)[:, None]
    product = np.abs((x + y).reshape(-1, d)) * rows
    wanted = [product, product.reshape(shape) - x, (product.reshape(shape) - x).reshape(a * b, c, d)]
    for got, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(bits(got), bits(expected))
