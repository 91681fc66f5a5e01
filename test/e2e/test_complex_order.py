"""The order of complex numbers.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest

from test_complex import run_text


@pytest.mark.parametrize("direction", ["EQ", "NE", "LT", "LE", "GT", "GE"])
def test_order(direction, tmp_path):
    """Lexicographic: imaginary parts decide where real parts are equal. No order holds of a NaN that decides."""
    parts = np.array([0.0, -0.0, 1.0, -1.0, np.inf, np.nan], np.float32)
    points = np.array([complex(re, im) for re in parts for im in parts], np.complex64)
    x, y = np.repeat(points, len(points)), np.tile(points, len(points))
    before = (x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag))
    behind = (x.real > y.real) | ((x.real == y.real) & (x.imag > y.imag))
    equal = (x.real == y.real) & (x.imag == y.imag)
    wanted = {
        "EQ": equal,
        "NE": ~equal,
        "LT": before,
        "LE": before | equal,
        "GT": behind,
        "GE": behind | equal,
    }
    t, p = f"tensor<{len(x)}xcomplex<f32>>", f"tensor<{len(x)}xi1>"
    text = f"""func.func @main(%x: {t}, %y: {t}) -> {p} {{
      %r = stablehlo.compare {direction}, %x, %y, FLOAT : ({t}, {t}) -> {p}
      return %r : {p}
    }}"""
    np.testing.assert_array_equal(run_text(text, [x, y], tmp_path)[0], wanted[direction])
