"""f16 in memory and as bits: every number, denormals among them, and the rounding to f16.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from systole_cli import systole_run

ALL = np.arange(1 << 16, dtype=np.uint16).reshape(512, 128)
NUMBERS = ALL[~np.isnan(ALL.view(np.float16))]


def unary(operation, source, result, shape=ALL.shape):
    shape = "x".join(map(str, shape))
    return f"""func.func @main(%x: tensor<{shape}x{source}>) -> tensor<{shape}x{result}> {{
      %y = stablehlo.{operation} %x : (tensor<{shape}x{source}>) -> tensor<{shape}x{result}>
      return %y : tensor<{shape}x{result}>
    }}"""


def same_bits(got, expected):
    """Equal bits, but for NaNs, whose payloads are unspecified."""
    both_nan = np.isnan(got) & np.isnan(expected)
    width = np.dtype(f"u{got.dtype.itemsize}")
    np.testing.assert_array_equal(got.view(width)[~both_nan], expected.view(width)[~both_nan])
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))


def test_every_number_is_loaded_and_stored_exactly(tmp_path):
    x = ALL.view(np.float16)
    (wide,) = systole_run(unary("convert", "f16", "f32"), [x], tmp_path)
    same_bits(wide, x.astype(np.float32))
    (back,) = systole_run(unary("convert", "f32", "f16"), [wide], tmp_path)
    same_bits(back, x)
    (negated,) = systole_run(unary("negate", "f16", "f16"), [x], tmp_path)
    same_bits(negated, -x)


def test_every_number_is_reinterpreted_exactly(tmp_path):
    x = ALL.view(np.float16)
    (bits,) = systole_run(unary("bitcast_convert", "f16", "ui16"), [x], tmp_path)
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(bits[numbers], ALL[numbers])
    (back,) = systole_run(unary("bitcast_convert", "ui16", "f16"), [ALL], tmp_path)
    same_bits(back, x)


def test_rounding_is_to_nearest_even_down_to_the_least_denormal(tmp_path):
    # Ties between all adjacent f16 values, and values next to them.
    values = np.unique(np.abs(NUMBERS.view(np.float16)).astype(np.float32))
    ties = (values[:-1] + values[1:]) / 2
    ties = ties[np.isfinite(ties)]
    below, above = (np.nextafter(ties, np.float32(to)) for to in (0, np.inf))
    ends = np.float32([65519.996, 65520, 2.0**-25, -(2.0**-26)])
    x = np.concatenate([ties, -ties, below, above, ends])
    (rounded,) = systole_run(unary("convert", "f32", "f16", x.shape), [x], tmp_path)
    with np.errstate(over="ignore"):
        same_bits(rounded, x.astype(np.float16))
