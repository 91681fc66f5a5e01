"""Arguments and results whose types have bounds.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
import pytest

from padded import SIZES, X, Compiled, check, poisoned
from systole_cli import load_results, save_args, systole


@pytest.mark.parametrize("dtype, name", [(np.int32, "i32"), (np.int64, "i64"), (np.float64, "f64"), (np.uint8, "ui8")])
def test_element_types(dtype, name, tmp_path):
    """Arguments and results of bounded types, whose arrays have their own sizes."""
    matrix = f"tensor<?x5x{name}, #stablehlo.bounds<9, ?>>"
    text = f"""func.func @main(%x: {matrix}) -> ({matrix}, tensor<5x{name}>) {{
      %zero = stablehlo.constant dense<0{".0" if name == "f64" else ""}> : tensor<{name}>
      %y = stablehlo.add %x, %x : {matrix}
      %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : ({matrix}, tensor<{name}>) -> tensor<5x{name}>
      return %y, %s : {matrix}, tensor<5x{name}>
    }}"""
    program = Compiled(text, tmp_path)
    for n in SIZES:
        x = (np.random.default_rng(n).normal(size=(n, 5)) * 4).astype(dtype)
        got = program(x)
        check(got, [x + x, (x + x).sum(0).astype(dtype)])
        assert [result.dtype for result in got] == [dtype, dtype]


def test_complex_elements(tmp_path):
    matrix = "tensor<?x5xcomplex<f32>, #stablehlo.bounds<9, ?>>"
    text = f"""func.func @main(%x: {matrix}) -> ({matrix}, tensor<5x5xcomplex<f32>>) {{
      %y = stablehlo.multiply %x, %x : {matrix}
      %p = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : ({matrix}, {matrix}) -> tensor<5x5xcomplex<f32>>
      return %y, %p : {matrix}, tensor<5x5xcomplex<f32>>
    }}"""
    program = Compiled(text, tmp_path)
    for n in SIZES:
        rng = np.random.default_rng(n)
        x = (rng.normal(size=(n, 5)) + 1j * rng.normal(size=(n, 5))).astype(np.complex64)
        check(program(x), [x * x, x.T @ x])


def test_arguments_of_other_bounds(tmp_path):
    """Of equal sizes, whatever their bounds; a result may have a known size, and a bound below that of its parts."""
    text = """func.func @main(%v: tensor<?xf32, #stablehlo.bounds<9>>, %w: tensor<?xf32, #stablehlo.bounds<7>>) -> (tensor<?xf32, #stablehlo.bounds<7>>, tensor<4xf32>, tensor<?xf32, #stablehlo.bounds<8>>) {
      %0 = stablehlo.add %v, %w : (tensor<?xf32, #stablehlo.bounds<9>>, tensor<?xf32, #stablehlo.bounds<7>>) -> tensor<?xf32, #stablehlo.bounds<7>>
      %1 = stablehlo.negate %v : (tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<4xf32>
      %2 = stablehlo.concatenate %v, %w, dim = 0 : (tensor<?xf32, #stablehlo.bounds<9>>, tensor<?xf32, #stablehlo.bounds<7>>) -> tensor<?xf32, #stablehlo.bounds<8>>
      return %0, %1, %2 : tensor<?xf32, #stablehlo.bounds<7>>, tensor<4xf32>, tensor<?xf32, #stablehlo.bounds<8>>
    }"""
    x, y = np.arange(4, dtype=np.float32), np.arange(4, 8, dtype=np.float32)
    check(Compiled(text, tmp_path)(x, y), [x + y, -x, np.concatenate([x, y])])


def test_a_loop_that_appends(tmp_path):
    bounded = "tensor<?xf32, #stablehlo.bounds<9>>"
    text = f"""func.func @main(%x: {bounded}, %n: tensor<i32>) -> {bounded} {{
      %one = stablehlo.constant dense<1.0> : tensor<1xf32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%v = %x, %i = %zero) : {bounded}, tensor<i32>
      cond {{
        %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      }} do {{
        %k = stablehlo.concatenate %v, %one, dim = 0 : ({bounded}, tensor<1xf32>) -> {bounded}
        %j = stablehlo.add %i, %step : tensor<i32>
        stablehlo.return %k, %j : {bounded}, tensor<i32>
      }}
      return %r#0 : {bounded}
    }}"""
    program = Compiled(text, tmp_path)
    for size, trips in ((0, 0), (0, 3), (4, 2), (8, 1)):
        x = np.arange(size, dtype=np.float32)
        check(program(x, np.int32(trips)), [np.concatenate([x, np.ones(trips, np.float32)])])


def test_arrays_that_do_not_fit(tmp_path):
    text = f"""func.func @main(%x: {X}) -> {X} {{
      %y = stablehlo.negate %x : {X}
      return %y : {X}
    }}"""
    program = Compiled(text, tmp_path)
    inputs = tmp_path / "args.npz"
    for shape in ((10, 5), (9, 4), (9,)):
        save_args(inputs, [np.zeros(shape, np.float32)])
        done = systole("run", program.program, "--args", inputs)
        assert done.returncode == 1
        assert "argument 0 is tensor<?x5xf32, #stablehlo.bounds<9, ?>> in the program" in done.stderr


def test_a_source_runs_on_any_size(tmp_path):
    """The shape of the array does not decide that of the program."""
    text = f"""func.func @main(%x: {X}, %y: tensor<?xf32>) -> tensor<5xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : ({X}, tensor<f32>) -> tensor<5xf32>
      %r = stablehlo.add %s, %y : (tensor<5xf32>, tensor<?xf32>) -> tensor<5xf32>
      return %r : tensor<5xf32>
    }}"""
    source, inputs, outputs = (tmp_path / name for name in ("in.mlir", "args.npz", "out.npz"))
    source.write_text(text)
    for n in SIZES:
        x, y = np.ones((n, 5), np.float32), np.arange(5, dtype=np.float32)
        save_args(inputs, [x, y])
        done = systole("run", source, "--args", inputs, "--out", outputs)
        assert done.returncode == 0, done.stderr
        check(load_results(outputs), [x.sum(0) + y])
    save_args(inputs, [np.ones((10, 5), np.float32), y])
    done = systole("run", source, "--args", inputs)
    assert "argument 0 has a dimension of size 10, but is declared as" in done.stderr


def test_hlo(tmp_path):
    """Dynamic dimensions in HLO have bounds, and so have constants beside them."""
    text = """HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[9,5] parameter(0)
  n = s32[] parameter(1)
  y = f32[<=9,5] set-dimension-size(x, n), dimensions={0}
  one = f32[] constant(1)
  ones = f32[<=9,5] broadcast(one), dimensions={}
  more = f32[<=9,5] add(y, ones)
  zero = f32[] constant(0)
  sums = f32[5] reduce(more, zero), dimensions={0}, to_apply=add
  size = s32[] get-dimension-size(more), dimensions={0}
  five = s32[] constant(5)
  count = s32[] multiply(size, five)
  flat = f32[<=45] dynamic-reshape(more, count)
  ROOT all = (f32[5], f32[<=9,5], s32[], f32[<=45]) tuple(sums, more, size, flat)
}
"""
    program = Compiled(text, tmp_path)
    for n in SIZES:
        whole, x = poisoned((9, 5), (n, 5))
        y = x + 1
        check(program(whole, np.int32(n)), [y.sum(0), y, np.int32(n), y.reshape(-1)])
