"""Sharded programs from the command line, with their operations divided and without.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import numpy as np
import pytest
from systole_cli import systole

PROGRAM = """
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<16x8xf32>)
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.abs %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
"""


@pytest.mark.parametrize("options, sent", [((), False), (("--no-partition",), True)])
def test_division(tmp_path, options, sent):
    """Rows of the product follow from rows of `x` alone: nothing moves between cores if it is divided."""
    x = np.arange(128, dtype=np.float32).reshape(8, 16) % 7 - 3
    w = np.arange(128, dtype=np.float32).reshape(16, 8) % 5 - 2
    (tmp_path / "program.mlir").write_text(PROGRAM)
    np.savez(tmp_path / "in.npz", arg0=x, arg1=w)
    compiled = systole("compile", tmp_path / "program.mlir", "--target", "v3-8", *options, "-o", tmp_path / "p.sysx")
    assert compiled.returncode == 0, compiled.stderr
    run = systole(
        "run", tmp_path / "p.sysx", "--args", tmp_path / "in.npz", "--out", tmp_path / "out.npz", "--report", "json"
    )
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["out0"], abs(x @ w))
    assert (json.loads(run.stdout)["slice"]["sent_bytes"] > 0) == sent
