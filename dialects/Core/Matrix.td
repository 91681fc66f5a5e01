//===- Matrix.td - The matrix units --------------------------*- tablegen -*-===//
//
// Weight-stationary systolic arrays (MXUs) of 128 x 128 or 256 x 256 weights. Weights are
// loaded eight rows at a time into a shadow latch while the MXU computes; a swap makes them
// current. An MXU of 256 is four tiles of 128 x 128, of which each has sums of its own: sums
// over 128 rows of weights, in order, are what a product consists of on every target.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_MATRIX_TD
#define SYSTOLE_DIALECTS_CORE_MATRIX_TD

include "dialects/Core/CoreBase.td"

class Core_Mxu<string m, LatencyClass lat, dag operands, string text>
    : Core_Inst<m, PushSlot, MxuUnit, lat, operands, (outs), text>;

def Core_MxuLatchOp : Core_Mxu<"mxu.latch", Lat_Latch,
    (ins V:$a, S:$group, UImm<3>:$mxu), "eight weight rows into the shadow latch"> {
  let description = [{
    Weight (k, n) = (8 group + s, l) of the shadow latch of MXU `mxu` becomes
    cell (s, l) of `a`, rounded to bf16 (nearest even, denormals flushed). In an MXU of
    256, groups 0 to 31 are rows of columns 0 to 127, groups 32 to 63 the same rows of
    columns 128 to 255.
  }];
}
def Core_MxuLatchTOp : Core_Mxu<"mxu.latch.t", Lat_Latch,
    (ins V:$a, S:$group, UImm<3>:$mxu), "eight weight columns into the shadow latch"> {
  let description = [{
    As `mxu.latch`, transposed: weight (k, n) = (l, 8 group + s) becomes cell (s, l). In an
    MXU of 256, groups 32 to 63 are columns of rows 128 to 255.
  }];
}
def Core_MxuSwapOp : Core_Mxu<"mxu.swap", Lat_Swap,
    (ins S:$k, S:$n, UImm<3>:$mxu), "make the shadow latch current"> {
  let description = [{
    The latched weights become the current weights of the MXU, of which rows
    below `k` and columns below `n` (0 to the size) take part; the shadow latch
    becomes zero. The swap does not wait: earlier pushes keep their weights.
  }];
}
def Core_MxuPushOp : Core_Mxu<"mxu.push", Lat_Matmul,
    (ins V:$a, S:$rows, UImm<3>:$mxu), "eight rows through the MXU"> {
  let Pushes = 1;
  let description = [{
    For s < `rows` and l < n: cell (s, l) of the result is the sum over k below 128, in
    ascending order from +0, of bf16(a(s, k)) * weight(k, l) by fused multiply-add
    in f32, denormals flushed. Other cells are +0.
  }];
}
def Core_MxuPushWideOp : Core_Mxu<"mxu.push.wide", Lat_Matmul,
    (ins V:$a, V:$b, S:$rows, UImm<3>:$depths, UImm<3>:$columns, UImm<3>:$mxu),
    "eight rows of up to 256 cells through the MXU"> {
  let description = [{
    As `mxu.push` for `depths` x `columns` tiles of the weights (each 1 or 2, at most the
    size of the MXU over 128), of which each adds a result to the FIFO: for each block of
    128 columns, in order, the sum over k from 0 to 127 with the cells of `a`, then, if
    `depths` is 2, the sum over k from 128 to 255 with those of `b`, from +0 as well.
  }];
}
def Core_MxuLatchS8Op : Core_Mxu<"mxu.latch.s8", Lat_Latch,
    (ins V:$a, S:$group, UImm<3>:$mxu), "eight rows of int8 weights into the shadow latch"> {
  let Feature = "mxu_int8";
  let description = [{ As `mxu.latch`, with the low 8 bits of each cell as a signed weight. }];
}
def Core_MxuPushS8Op : Core_Mxu<"mxu.push.s8", Lat_Matmul,
    (ins V:$a, S:$rows, UImm<3>:$mxu), "eight rows of int8 through the MXU"> {
  let Pushes = 1;
  let Feature = "mxu_int8";
  let description = [{
    As `mxu.push` over the low 8 bits of each cell, signed, with exact 32-bit sums.
  }];
}
def Core_MxuPopOp : Core_Inst<"mxu.pop", PopSlot, MxuUnit, Lat_Valu,
    (ins UImm<3>:$mxu), (outs V:$d), "next eight result rows of MXU `mxu`">;

#endif // SYSTOLE_DIALECTS_CORE_MATRIX_TD
