//===- Matrix.td - The matrix units --------------------------*- tablegen -*-===//
//
// Weight-stationary systolic arrays (MXUs) of 128 x 128. Weights are loaded eight rows
// at a time into a shadow latch while the MXU computes; a swap makes them current.
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
    cell (s, l) of `a`, rounded to bf16 (nearest even, denormals flushed).
  }];
}
def Core_MxuLatchTOp : Core_Mxu<"mxu.latch.t", Lat_Latch,
    (ins V:$a, S:$group, UImm<3>:$mxu), "eight weight columns into the shadow latch"> {
  let description = [{
    As `mxu.latch`, transposed: weight (k, n) = (l, 8 group + s) becomes cell (s, l).
  }];
}
def Core_MxuSwapOp : Core_Mxu<"mxu.swap", Lat_Swap,
    (ins S:$k, S:$n, UImm<3>:$mxu), "make the shadow latch current"> {
  let description = [{
    The latched weights become the current weights of the MXU, of which rows
    below `k` and columns below `n` (0 to 128) take part; the shadow latch
    becomes zero. The swap does not wait: earlier pushes keep their weights.
  }];
}
def Core_MxuPushOp : Core_Mxu<"mxu.push", Lat_Matmul,
    (ins V:$a, S:$rows, UImm<3>:$mxu), "eight rows through the MXU"> {
  let Pushes = 1;
  let description = [{
    For s < `rows` and l < n: cell (s, l) of the result is the sum over k, in
    ascending order from +0, of bf16(a(s, k)) * weight(k, l) by fused multiply-add
    in f32, denormals flushed. Other cells are +0.
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
