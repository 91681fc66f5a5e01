"""Runs programs with sizes that depend on data on arrays whose padding is poisoned.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Arrays are padded to their bounds. Here the padding is NaN, or a large number, and the results are those of NumPy on
arrays of the actual sizes: nothing of the padding may reach them.
"""

import numpy as np
from jaxlib.mlir.dialects import stablehlo

from systole_cli import load_results, rotated_target, save_args, systole

BOUND = 9
SIZES = (0, 1, 7, BOUND)
POISON = {"f": np.nan, "i": 10**6, "u": 10**6, "b": True}


class Compiled:
    """A program that is compiled once and run with several sizes. jaxlib makes a portable artifact of it, and so
    checks that it is StableHLO; CHLO and HLO are compiled as text."""

    def __init__(self, text, directory):
        self.directory = directory
        self.program = directory / "program.sysx"
        if "chlo." in text or text.startswith("HloModule"):
            source = directory / "program.mlir"
            source.write_text(text)
        else:
            source = directory / "program.mlirbc"
            source.write_bytes(stablehlo.serialize_portable_artifact_str(text, stablehlo.get_current_version()))
        words = ["compile", source, "-o", self.program, "--target", rotated_target(), "--precision", "highest"]
        done = systole(*words)
        assert done.returncode == 0, done.stderr[-4000:]

    def __call__(self, *args):
        inputs, outputs = self.directory / "args.npz", self.directory / "out.npz"
        save_args(inputs, args)
        done = systole("run", self.program, "--args", inputs, "--out", outputs)
        assert done.returncode == 0, done.stderr[-4000:]
        return load_results(outputs)


def poisoned(shape, sizes, dtype=np.float32, seed=0):
    """An array with padding behind `sizes`, and the array of these sizes."""
    rng = np.random.default_rng(seed)
    whole = (rng.normal(size=shape) * 4).astype(dtype)
    inside = tuple(slice(0, size) for size in sizes)
    array = whole[inside].copy()
    whole[...] = POISON[np.dtype(dtype).kind]
    whole[inside] = array
    return whole, array


def check(got, expected):
    assert len(got) == len(expected)
    for number, (result, value) in enumerate(zip(got, expected)):
        value = np.asarray(value)
        assert result.shape == value.shape, f"result {number}"
        np.testing.assert_allclose(result, value, rtol=3e-6, atol=3e-6, err_msg=f"result {number}")


def rows(body, results, size="%n", more=""):
    """A program on the first n rows of an array of 9 x 5, and on the first n elements of one of 9."""
    names, types = zip(*results)
    return f"""func.func @main(%whole: tensor<9x5xf32>, %line: tensor<9xf32>, %n: tensor<i32>{more})
        -> ({", ".join(types)}) {{
      %x = stablehlo.set_dimension_size %whole, {size}, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> {X}
      %v = stablehlo.set_dimension_size %line, {size}, dim = 0 : (tensor<9xf32>, tensor<i32>) -> {V}
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      {body}
      return {", ".join(names)} : {", ".join(types)}
    }}"""


X = "tensor<?x5xf32, #stablehlo.bounds<9, ?>>"
XT = "tensor<5x?xf32, #stablehlo.bounds<?, 9>>"
V = "tensor<?xf32, #stablehlo.bounds<9>>"
COLUMNS = "tensor<5xf32>"
SCALAR = "tensor<f32>"


def run_rows(tmp_path, body, results, reference, sizes=SIZES):
    program = Compiled(rows(body, results), tmp_path)
    for n in sizes:
        whole, x = poisoned((9, 5), (n, 5), seed=n)
        line, v = poisoned((9,), (n,), seed=n + 100)
        check(program(whole, line, np.int32(n)), reference(x, v, n))
