"""A few rows of benchmarks/conformance: an operation of its own, another's form, and quantized types.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import subprocess
import sys

import pytest

from systole_cli import BIN, ROOT


@pytest.mark.parametrize(
    "operations, element, count",
    [
        (["add", "einsum", "dynamic_pad"], "f32", 3),
        (["add", "divide", "dynamic_reshape", "sort"], "!quant.uniform<i4:f32, 0.5:1>", 4),
        (["convolution", "dot_general of scales per feature"], "!quant.uniform<i8:f32, 0.25:0>", 2),
    ],
)
def test_rows(operations, element, count):
    words = [ROOT / "benchmarks/conformance/run.py", *operations, "--types", element, "--build", BIN.parent]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert f"| all | {count} | 0 | 0 | 0 | 0 | 0 |" in done.stdout
