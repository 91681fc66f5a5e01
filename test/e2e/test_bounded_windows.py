"""Convolutions with windows whose sizes depend on data.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest
from jax import lax

from padded import Compiled, check, poisoned

LINES = [
    dict(stride=1, pad=(0, 0)),
    dict(stride=2, pad=(2, 3), dilate=2),
    dict(stride=1, pad=(-1, 2), spread=2),
    dict(stride=3, pad=(1, 1), reverse=True),
    dict(stride=1, pad=(1, 0), groups=2),
]


def positions(n, taps, stride, pad, dilate, spread):
    """How often a window fits."""
    span = (max((n - 1) * spread + 1, 0)) + sum(pad)
    extent = max((taps - 1) * dilate + 1, 0)
    return (span - extent) // stride + 1 if span > 0 and span >= extent else 0


def convolve(x, k, stride, pad, dilate, spread, reverse, groups):
    """The sum over the taps, in f64."""
    n, taps = x.shape[1], k.shape[0]
    line = np.zeros((x.shape[0], max((n - 1) * spread + 1, 0), x.shape[2]))
    line[:, ::spread] = x
    low, high = pad
    line = np.pad(line, ((0, 0), (max(low, 0), max(high, 0)), (0, 0)))[:, max(-low, 0) :]
    count = positions(n, taps, stride, pad, dilate, spread)
    out = np.zeros((x.shape[0], count, k.shape[2]))
    split = lambda array, axis: np.split(array, groups, axis)
    for tap in range(taps):
        read = line[:, tap * dilate :: stride][:, :count]
        factor = k[taps - 1 - tap if reverse else tap].astype(np.float64)
        products = [a @ b for a, b in zip(split(read, 2), split(factor, 1), strict=True)]
        out += np.concatenate(products, 2)
    return out.astype(np.float32)


@pytest.mark.parametrize("how", LINES, ids=lambda how: "-".join(how))
def test_windows(how, tmp_path):
    """The operand's size depends on data, too; what is behind it, and behind the window, is NaN."""
    how = dict(dilate=1, spread=1, reverse=False, groups=1) | how
    groups = how["groups"]
    image, window = "tensor<2x?x4xf32, #stablehlo.bounds<?, 9, ?>>", f"tensor<?x{4 // groups}x6xf32"
    window += ", #stablehlo.bounds<4, ?, ?>>"
    text = f"""func.func @main(%whole: tensor<2x9x4xf32>, %filters: tensor<4x{4 // groups}x6xf32>, %n: tensor<i32>, %taps: tensor<i32>)
        -> tensor<2x?x6xf32> {{
      %x = stablehlo.set_dimension_size %whole, %n, dim = 1 : (tensor<2x9x4xf32>, tensor<i32>) -> {image}
      %k = stablehlo.set_dimension_size %filters, %taps, dim = 0 : (tensor<4x{4 // groups}x6xf32>, tensor<i32>) -> {window}
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
          window = {{stride = [{how["stride"]}], pad = [{list(how["pad"])}], lhs_dilate = [{how["spread"]}],
          rhs_dilate = [{how["dilate"]}], reverse = [{str(how["reverse"]).lower()}]}}
          {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({image}, {window}) -> tensor<2x?x6xf32>
      return %y : tensor<2x?x6xf32>
    }}"""
    program = Compiled(text, tmp_path)
    for n, taps in ((9, 4), (9, 1), (7, 3), (5, 0), (3, 4), (1, 1), (0, 2)):
        whole, x = poisoned((2, 9, 4), (2, n, 4), seed=n)
        filters, k = poisoned((4, 4 // groups, 6), (taps, 4 // groups, 6), seed=taps + 100)
        check(program(whole, filters, np.int32(n), np.int32(taps)), [convolve(x, k, **how)])


def test_infinities_beside_the_window(tmp_path):
    """Infinities under taps that the window does not have change nothing."""
    window = "tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>"
    text = f"""func.func @main(%x: tensor<1x8x1xf32>, %filters: tensor<3x1x1xf32>, %taps: tensor<i32>) -> tensor<1x?x1xf32> {{
      %k = stablehlo.set_dimension_size %filters, %taps, dim = 0 : (tensor<3x1x1xf32>, tensor<i32>) -> {window}
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{}}
          {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<1x8x1xf32>, {window}) -> tensor<1x?x1xf32>
      return %y : tensor<1x?x1xf32>
    }}"""
    x = np.array([1, 2, 3, np.inf, 5, 6, np.nan, 8], np.float32).reshape(1, 8, 1)
    filters = np.array([2, 3, 4], np.float32).reshape(3, 1, 1)
    program = Compiled(text, tmp_path)
    check(program(x, filters, np.int32(1)), [x * 2])
    check(program(x, filters, np.int32(2)), [x[:, :-1] * 2 + x[:, 1:] * 3])


def test_windows_of_two_sizes(tmp_path):
    window, result = "tensor<?x?x3x2xf32, #stablehlo.bounds<3, 4, ?, ?>>", "tensor<2x?x?x2xf32>"
    text = f"""func.func @main(%x: tensor<2x7x8x3xf32>, %w: tensor<3x4x3x2xf32>, %r: tensor<i32>, %c: tensor<i32>) -> {result} {{
      %a = stablehlo.set_dimension_size %w, %r, dim = 0 : (tensor<3x4x3x2xf32>, tensor<i32>)
          -> tensor<?x4x3x2xf32, #stablehlo.bounds<3, ?, ?, ?>>
      %k = stablehlo.set_dimension_size %a, %c, dim = 1 : (tensor<?x4x3x2xf32, #stablehlo.bounds<3, ?, ?, ?>>, tensor<i32>) -> {window}
      %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {{stride = [1, 2], pad = [[1, 1], [0, 2]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
          : (tensor<2x7x8x3xf32>, {window}) -> {result}
      return %y : {result}
    }}"""
    program = Compiled(text, tmp_path)
    x = np.random.default_rng(7).normal(size=(2, 7, 8, 3)).astype(np.float32)
    for rows, columns in ((3, 4), (1, 1), (2, 3)):
        whole, k = poisoned((3, 4, 3, 2), (rows, columns, 3, 2))
        how = dict(dimension_numbers=("NHWC", "HWIO", "NHWC"), precision="highest")
        expected = lax.conv_general_dilated(x, k, (1, 2), ((1, 1), (0, 2)), **how)
        check(program(x, whole, np.int32(rows), np.int32(columns)), [expected])


def test_padding_and_windows(tmp_path):
    """Both depend on data."""
    window, result = "tensor<?x3x4xf32, #stablehlo.bounds<3, ?, ?>>", "tensor<2x?x4xf32, #stablehlo.bounds<?, 12, ?>>"
    text = f"""func.func @main(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>, %taps: tensor<i32>, %p: tensor<1x2xi32>) -> {result} {{
      %k = stablehlo.set_dimension_size %w, %taps, dim = 0 : (tensor<3x3x4xf32>, tensor<i32>) -> {window}
      %y = "stablehlo.dynamic_conv"(%x, %k, %p) <{{window_strides = array<i64: 2>, lhs_dilation = array<i64: 2>,
          dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64,
          batch_group_count = 1 : i64}}> : (tensor<2x9x3xf32>, {window}, tensor<1x2xi32>) -> {result}
      return %y : {result}
    }}"""
    program = Compiled(text, tmp_path)
    x = np.random.default_rng(5).normal(size=(2, 9, 3)).astype(np.float32)
    for taps, padding in ((3, (1, 1)), (1, (0, 3)), (2, (4, 2)), (3, (-1, 2))):
        whole, k = poisoned((3, 3, 4), (taps, 3, 4), seed=taps)
        how = dict(lhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC"), precision="highest")
        expected = lax.conv_general_dilated(x, k, (2,), (padding,), **how)
        check(program(x, whole, np.int32(taps), np.int32([padding])), [expected])
