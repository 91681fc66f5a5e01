//===- Scalar.td - The scalar unit ---------------------------*- tablegen -*-===//
//
// 32 scalar registers of 32 bits, integer arithmetic, SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_SCALAR_TD
#define SYSTOLE_DIALECTS_CORE_SCALAR_TD

include "dialects/Core/CoreBase.td"

class Core_SUnary<string m, string semantics, string text>
    : Core_Inst<m, ScalarSlot, NoUnit, Lat_Scalar, (ins S:$a), (outs S:$d), text, [Pure]> {
  let Semantics = semantics;
}
class Core_SBinary<string m, string semantics, string text, LatencyClass l = Lat_Scalar>
    : Core_Inst<m, ScalarSlot, NoUnit, l, (ins S:$a, S:$b), (outs S:$d), text, [Pure]> {
  let Semantics = semantics;
}

def Core_SMovOp : Core_SUnary<"s.mov", "a", "copy, or load an immediate">;
def Core_SAddOp : Core_SBinary<"s.add", "a + b", "wrapping addition">;
def Core_SSubOp : Core_SBinary<"s.sub", "a - b", "wrapping subtraction">;
def Core_SMulOp : Core_SBinary<"s.mul", "a * b", "low 32 bits of the product", Lat_ScalarMul>;
def Core_SMulHiOp : Core_SBinary<"s.mulhi", "mulhiU(a, b)",
    "high 32 bits of the unsigned product", Lat_ScalarMul>;
def Core_SAndOp : Core_SBinary<"s.and", "a & b", "bitwise and">;
def Core_SOrOp  : Core_SBinary<"s.or", "a | b", "bitwise or">;
def Core_SXorOp : Core_SBinary<"s.xor", "a ^ b", "bitwise exclusive or">;
def Core_SShlOp : Core_SBinary<"s.shl", "shl(a, b)", "shift left; 0 when b >= 32">;
def Core_SShrOp : Core_SBinary<"s.shr", "shr(a, b)", "logical shift right; 0 when b >= 32">;
def Core_SSraOp : Core_SBinary<"s.sra", "sra(a, b)",
    "arithmetic shift right; the sign in every bit when b >= 32">;
def Core_SMinOp : Core_SBinary<"s.min", "s32(a) < s32(b) ? a : b", "signed minimum">;
def Core_SMaxOp : Core_SBinary<"s.max", "s32(a) > s32(b) ? a : b", "signed maximum">;
def Core_SEqOp  : Core_SBinary<"s.eq", "a == b", "1 when equal, else 0">;
def Core_SNeOp  : Core_SBinary<"s.ne", "a != b", "1 when different, else 0">;
def Core_SLtOp  : Core_SBinary<"s.lt", "s32(a) < s32(b)", "signed less-than, 1 or 0">;
def Core_SLeOp  : Core_SBinary<"s.le", "s32(a) <= s32(b)", "signed less-or-equal, 1 or 0">;
def Core_SLtuOp : Core_SBinary<"s.ltu", "a < b", "unsigned less-than, 1 or 0">;
def Core_SSelOp : Core_Inst<"s.sel", ScalarSlot, NoUnit, Lat_Scalar,
    (ins S:$c, S:$a, S:$b), (outs S:$d), "a when c is not zero, else b", [Pure]> {
  let Semantics = "c ? a : b";
}

def Core_SCoreOp : Core_Inst<"s.core", ScalarSlot, NoUnit, Lat_Scalar, (ins), (outs S:$d),
    "the number of this core among the program's", [Pure]> {
  let description = [{ From 0 on. All cores execute one program. }];
}

def Core_SLoadOp : Core_Inst<"s.ld", ScalarSlot, NoUnit, Lat_SmemLoad,
    (ins S:$address, Region:$region), (outs S:$d), "load a word from SMEM"> {
  let description = [{
    Reads the word at `address` (words from the base of `region`, which is in
    SMEM). An address outside the region, or inside a range that a DMA in flight
    owns, is a trap.
  }];
}
def Core_SStoreOp : Core_Inst<"s.st", ScalarSlot, NoUnit, Lat_SmemStore,
    (ins S:$value, S:$address, Region:$region), (outs), "store a word to SMEM"> {
  let description = [{
    Writes `value` to the word at `address` (words from the base of `region`,
    which is in SMEM). The same traps as `s.ld`.
  }];
}

#endif // SYSTOLE_DIALECTS_CORE_SCALAR_TD
