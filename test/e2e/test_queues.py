"""Infeed and outfeed: arrays of all types through both queues, in loops, branches, artifacts and HLO.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess

import ml_dtypes
import numpy as np
import pytest

from systole_cli import BIN, save_args, systole
from test_small_types import SMALL, values

TYPES = {
    name: np.dtype(dtype)
    for name, dtype in {
        "i1": bool,
        "i8": np.int8,
        "i16": np.int16,
        "i32": np.int32,
        "i64": np.int64,
        "ui8": np.uint8,
        "ui16": np.uint16,
        "ui32": np.uint32,
        "ui64": np.uint64,
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "f64": np.float64,
        "complex<f32>": np.complex64,
        "complex<f64>": np.complex128,
        **SMALL,
    }.items()
}


def save(path, arrays, prefix):
    np.savez(path, **{f"{prefix}{number}": array for number, array in enumerate(arrays)})


def load(path):
    with np.load(path) as archive:
        return [archive[f"out{number}"] for number in range(len(archive.files))]


def run(program, directory, infeed, args=(), suffix=".mlir"):
    """The results of a program and what it put into the outfeed."""
    path, out, outfeed = (directory / name for name in (f"program{suffix}", "out.npz", "outfeed.npz"))
    path.write_bytes(program) if isinstance(program, bytes) else path.write_text(program)
    save(directory / "infeed.npz", infeed, "in")
    save_args(directory / "args.npz", args)
    words = ["run", path, "--infeed", directory / "infeed.npz", "--out", out, "--outfeed", outfeed]
    done = systole(*words, *(["--args", directory / "args.npz"] if args else []))
    assert done.returncode == 0, done.stderr[-4000:]
    return load(out), load(outfeed)


def bits(array):
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("name", TYPES)
def test_all_types_pass(name, tmp_path):
    """Arrays that pass the machine unchanged have the same bits."""
    dtype = TYPES[name]
    if name in SMALL:
        x = values(name)
    else:
        numbers = np.random.default_rng(1).integers(-100, 100, 300)
        x = (numbers > 0) if name == "i1" else numbers.astype(dtype)
    arrays = [x, x[:4].reshape(2, 2), x[3]]
    types = [f"tensor<{x.size}x{name}>", f"tensor<2x2x{name}>", f"tensor<{name}>"]
    text = f"""func.func @main() -> {types[0]} {{
      %t = stablehlo.create_token : !stablehlo.token
      %x:4 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> ({", ".join(types)}, !stablehlo.token)
      %o = "stablehlo.outfeed"(%x#1, %x#2, %x#0, %x#3)
        : ({types[1]}, {types[2]}, {types[0]}, !stablehlo.token) -> !stablehlo.token
      return %x#0 : {types[0]}
    }}"""
    results, outfeed = run(text, tmp_path, arrays)
    assert bits(results[0]) == bits(x)
    assert [bits(array) for array in outfeed] == [bits(arrays[1]), bits(arrays[2]), bits(x)]


QUANTIZED = "!quant.uniform<i8:f32, 0.5:3>"


def test_quantized_arrays_pass(tmp_path):
    text = f"""func.func @main() -> tensor<5xf32> {{
      %t = stablehlo.create_token : !stablehlo.token
      %x:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<5x{QUANTIZED}>, !stablehlo.token)
      %o = "stablehlo.outfeed"(%x#0, %x#1) : (tensor<5x{QUANTIZED}>, !stablehlo.token) -> !stablehlo.token
      %r = stablehlo.uniform_dequantize %x#0 : (tensor<5x{QUANTIZED}>) -> tensor<5xf32>
      return %r : tensor<5xf32>
    }}"""
    x = np.array([-128, 0, 3, 4, 127], np.int8)
    results, outfeed = run(text, tmp_path, [x])
    np.testing.assert_array_equal(results[0], (x.astype(np.float32) - 3) * np.float32(0.5))
    np.testing.assert_array_equal(outfeed[0], x)


# Sums what comes until a flag says so, and tells after each step. Even sums are told twice.
LOOP = """func.func @main(%start: tensor<3xi32>) -> tensor<3xi32> {
  %t = stablehlo.create_token : !stablehlo.token
  %true = stablehlo.constant dense<true> : tensor<i1>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%more = %true, %sum = %start, %token = %t)
      : tensor<i1>, tensor<3xi32>, !stablehlo.token
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %x:3 = "stablehlo.infeed"(%token) <{infeed_config = "of a step"}>
      : (!stablehlo.token) -> (tensor<3xi32>, tensor<i1>, !stablehlo.token)
    %next = stablehlo.add %sum, %x#0 : tensor<3xi32>
    %told = "stablehlo.outfeed"(%next, %x#2) <{outfeed_config = "of a step"}>
      : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
    %first = stablehlo.slice %next [0:1] : (tensor<3xi32>) -> tensor<1xi32>
    %scalar = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
    %low = stablehlo.and %scalar, %one : tensor<i32>
    %even = stablehlo.compare EQ, %low, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %last = "stablehlo.if"(%even) ({
      %y:2 = "stablehlo.infeed"(%told) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      %twice = "stablehlo.outfeed"(%next, %y#0, %y#1)
        : (tensor<3xi32>, tensor<f32>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %twice : !stablehlo.token
    }, {
      stablehlo.return %told : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    stablehlo.return %x#1, %next, %last : tensor<i1>, tensor<3xi32>, !stablehlo.token
  }
  return %r#1 : tensor<3xi32>
}
"""


def steps():
    """The infeed, the result and the outfeed of the loop."""
    total, infeed, outfeed = np.array([10, 20, 30], np.int32), [], []
    for step in range(6):
        x = np.array([step, 7, -step], np.int32)
        total = total + x
        infeed += [x, np.bool_(step < 5)]
        outfeed.append(total)
        if total[0] % 2 == 0:
            infeed.append(np.float32(step / 4))
            outfeed += [total, infeed[-1]]
    return infeed, total, outfeed


@pytest.mark.parametrize("form", ["text", "generic", "artifact"])
def test_order_in_loops_and_branches(form, tmp_path):
    program = LOOP
    if form != "text":
        (tmp_path / "loop.mlir").write_text(LOOP)
        options = ["--mlir-print-op-generic"] if form == "generic" else ["--emit-portable-artifact=1.0.0"]
        subprocess.run([BIN / "systole-opt", tmp_path / "loop.mlir", *options, "-o", tmp_path / "form"], check=True)
        program = (tmp_path / "form").read_bytes()
    infeed, total, outfeed = steps()
    results, told = run(program, tmp_path, infeed, [np.array([10, 20, 30], np.int32)])
    np.testing.assert_array_equal(results[0], total)
    assert len(told) == len(outfeed)
    for array, wanted in zip(told, outfeed, strict=True):
        np.testing.assert_array_equal(array, wanted)


HLO = """HloModule queues

body {
  p = (s32[], f32[3], token[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  sum = f32[3]{0} get-tuple-element(p), index=1
  before = token[] get-tuple-element(p), index=2
  got = ((f32[3], (pred[2], s64[])), token[]) infeed(before), infeed_config="of a step"
  arrays = (f32[3], (pred[2], s64[])) get-tuple-element(got), index=0
  x = f32[3] get-tuple-element(arrays), index=0
  rest = (pred[2], s64[]) get-tuple-element(arrays), index=1
  wide = s64[] get-tuple-element(rest), index=1
  then = token[] get-tuple-element(got), index=1
  next-sum = f32[3] add(sum, x)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  told = (f32[3], s64[]) tuple(next-sum, wide)
  after = token[] outfeed(told, then), outfeed_shape=(f32[3]{0}, s64[]), outfeed_config="of a step"
  ROOT r = (s32[], f32[3], token[]) tuple(next, next-sum, after)
}

condition {
  p = (s32[], f32[3], token[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(2)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  token = token[] after-all()
  zero = s32[] constant(0)
  start = f32[3] parameter(0)
  init = (s32[], f32[3], token[]) tuple(zero, start, token)
  loop = (s32[], f32[3], token[]) while(init), condition=condition, body=body
  last = token[] get-tuple-element(loop), index=2
  end = (u8[], token[]) infeed(last)
  byte = u8[] get-tuple-element(end), index=0
  sent = token[] get-tuple-element(end), index=1
  unused = token[] outfeed(byte, sent), outfeed_shape=u8[]
  ROOT sum = f32[3] get-tuple-element(loop), index=1
}
"""


def test_hlo(tmp_path):
    """Tuples are their elements; an outfeed happens even if nothing depends on it."""
    start, x, y = (np.array(numbers, np.float32) for numbers in ([1, 2, 3], [10, 20, 30], [0.5, 1, 2]))
    infeed = [x, np.array([True, False]), np.int64(2**40), y, np.array([True, False]), np.int64(-3), np.uint8(7)]
    results, told = run(HLO, tmp_path, infeed, [start], suffix=".hlo")
    np.testing.assert_array_equal(results[0], start + x + y)
    for array, wanted in zip(told, [start + x, 2**40, start + x + y, -3, 7], strict=True):
        np.testing.assert_array_equal(array, wanted)


ADD = """func.func @main(%x: tensor<3xf32>) -> tensor<i64> {
  %t = stablehlo.create_token : !stablehlo.token
  %i:3 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<3xf32>, tensor<i64>, !stablehlo.token)
  %s = stablehlo.add %x, %i#0 : tensor<3xf32>
  %o = "stablehlo.outfeed"(%s, %i#2) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %i#1 : tensor<i64>
}
"""


def add(directory, *infeed):
    """Runs the tool on a program that takes two arrays, with an .npy for each that is there."""
    (directory / "add.mlir").write_text(ADD)
    save_args(directory / "args.npz", [np.ones(3, np.float32)])
    for number, array in enumerate(infeed):
        np.save(directory / f"{number}.npy", array)
    files = [directory / f"{number}.npy" for number in range(len(infeed))]
    return systole("run", directory / "add.mlir", "--args", directory / "args.npz", "--infeed", *files)


def test_the_outfeed_is_printed(tmp_path):
    done = add(tmp_path, np.array([1, 2, 3], np.float32), np.int64(2**40))
    assert done.stdout == "out0 tensor<i64>\n1099511627776\noutfeed0 tensor<3xf32>\n[2. 3. 4.]\n"


def test_an_infeed_that_does_not_fit_is_an_error(tmp_path):
    x, place = np.array([1, 2, 3], np.float32), "add.mlir:3:10: "
    assert place + "the infeed ends after 1 array, where tensor<i64> is expected" in add(tmp_path, x).stderr
    narrow = add(tmp_path, x, np.int32(7)).stderr
    assert place in narrow
    assert "1.npy: the infeed's next array is tensor<i64> in the program, but tensor<i32> in the file" in narrow
    assert "tensor<3xf32> in the program, but tensor<2xf32> in the file" in add(tmp_path, x[:2]).stderr
