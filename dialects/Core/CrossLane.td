//===- CrossLane.td - Cross-lane, transcendental, vector-to-scalar -*- tablegen -*-//
//
// Units that take a push and give a pop. Each unit's results leave in push
// order; a pop before the result is ready, of an empty FIFO, or a push into a
// full one is a trap, as is a push while the unit is busy (its issue interval).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_CROSSLANE_TD
#define SYSTOLE_DIALECTS_CORE_CROSSLANE_TD

include "dialects/Core/CoreBase.td"

//===----------------------------------------------------------------------===//
// XLU
//===----------------------------------------------------------------------===//

def Core_XluRotateOp : Core_Inst<"xlu.rotate", PushSlot, XluUnit, Lat_Rotate,
    (ins V:$a, S:$amount), (outs), "rotate towards higher lanes"> {
  let Pushes = 1;
  let description = [{ Cell (s, l) of the result is cell (s, (l - amount) mod 128) of `a`. }];
}
def Core_XluBroadcastOp : Core_Inst<"xlu.bcast", PushSlot, XluUnit, Lat_Rotate,
    (ins V:$a, S:$lane), (outs), "broadcast one lane to all"> {
  let Pushes = 1;
  let description = [{ Cell (s, l) of the result is cell (s, lane mod 128) of `a`. }];
}
def Core_XluGatherOp : Core_Inst<"xlu.gather", PushSlot, XluUnit, Lat_Gather,
    (ins V:$a, V:$index), (outs), "dynamic gather of lanes"> {
  let Pushes = 1;
  let description = [{ Cell (s, l) of the result is cell (s, index(s, l) mod 128) of `a`. }];
}

// The reduction tree: at distance 64, 32, 16, 8, 4, 2, 1 each lane l combines
// with lane l xor distance, the lower lane as first operand; so every lane
// ends with the same value, whatever the number of valid lanes.
class Core_XluReduce<string m, string semantics, string text>
    : Core_Inst<m, PushSlot, XluUnit, Lat_Reduce, (ins V:$a), (outs), text> {
  let Pushes = 1;
  let Semantics = semantics;
  let description = [{
    Combines the 128 lanes of each sublane by the fixed tree of distances 64, 32,
    16, 8, 4, 2, 1 (lane l with lane l xor distance, the lower lane first); every
    lane holds the result. The expression combines cells a and b.
  }];
}
def Core_XluFAddOp : Core_XluReduce<"xlu.fadd", "bits(f(a) + f(b))", "f32 sum of the lanes">;
def Core_XluFMulOp : Core_XluReduce<"xlu.fmul", "bits(f(a) * f(b))", "f32 product of the lanes">;
def Core_XluFMinOp : Core_XluReduce<"xlu.fmin", "fmin(a, b)", "f32 minimum of the lanes">;
def Core_XluFMaxOp : Core_XluReduce<"xlu.fmax", "fmax(a, b)", "f32 maximum of the lanes">;
def Core_XluAddOp  : Core_XluReduce<"xlu.add", "a + b", "integer sum of the lanes">;
def Core_XluMulOp  : Core_XluReduce<"xlu.mul", "a * b", "integer product of the lanes">;
def Core_XluMinOp  : Core_XluReduce<"xlu.min", "s32(a) < s32(b) ? a : b", "signed minimum of the lanes">;
def Core_XluMaxOp  : Core_XluReduce<"xlu.max", "s32(a) > s32(b) ? a : b", "signed maximum of the lanes">;
def Core_XluMinuOp : Core_XluReduce<"xlu.minu", "a < b ? a : b", "unsigned minimum of the lanes">;
def Core_XluMaxuOp : Core_XluReduce<"xlu.maxu", "a > b ? a : b", "unsigned maximum of the lanes">;
def Core_XluAndOp  : Core_XluReduce<"xlu.and", "a & b", "bitwise and of the lanes">;
def Core_XluOrOp   : Core_XluReduce<"xlu.or", "a | b", "bitwise or of the lanes">;
def Core_XluXorOp  : Core_XluReduce<"xlu.xor", "a ^ b", "bitwise exclusive or of the lanes">;

def Core_XluTransposeOp : Core_Inst<"xlu.tr", PushSlot, XluUnit, Lat_Transpose,
    (ins V:$a), (outs), "eight rows of a block to transpose"> {
  let description = [{
    Appends eight rows to the block that the unit collects (at most 16 times).
    Other XLU pushes before the block's `xlu.tr.end` are a trap.
  }];
}
def Core_XluTransposeEndOp : Core_Inst<"xlu.tr.end", PushSlot, XluUnit, Lat_Transpose,
    (ins V:$a, UImm<5>:$pops), (outs), "last rows of a block; deliver its transpose"> {
  let description = [{
    Appends the last eight rows and delivers `pops` (1 to 16) results: with n
    pushes X the rows (8 n x 128), cell (s, l) of result j is X(l, 8 j + s), and 0 for
    l >= 8 n.
  }];
}

def Core_XluPopOp : Core_Inst<"xlu.pop", PopSlot, XluUnit, Lat_Valu,
    (ins), (outs V:$d), "next result of the cross-lane unit">;

//===----------------------------------------------------------------------===//
// EUP
//===----------------------------------------------------------------------===//

// Results are within 2 ulp of the correctly rounded f32 (sqrt and div exact),
// special values as IEEE 754 recommends for the function.
class Core_EupUnary<string m, string semantics, string text, LatencyClass lat>
    : Core_Inst<m, PushSlot, EupUnit, lat, (ins V:$a), (outs), text> {
  let Pushes = 1;
  let Semantics = semantics;
}
class Core_EupBinary<string m, string semantics, string text>
    : Core_Inst<m, PushSlot, EupUnit, Lat_EupLong, (ins V:$a, V:$b), (outs), text> {
  let Pushes = 1;
  let Semantics = semantics;
}
def Core_EupExpOp      : Core_EupUnary<"eup.exp", "eupExp(a)", "e to the power a", Lat_Eup>;
def Core_EupExp2Op     : Core_EupUnary<"eup.exp2", "eupExp2(a)", "2 to the power a", Lat_Eup>;
def Core_EupLogOp      : Core_EupUnary<"eup.log", "eupLog(a)", "natural logarithm", Lat_Eup>;
def Core_EupLog2Op     : Core_EupUnary<"eup.log2", "eupLog2(a)", "binary logarithm", Lat_Eup>;
def Core_EupTanhOp     : Core_EupUnary<"eup.tanh", "eupTanh(a)", "hyperbolic tangent", Lat_Eup>;
def Core_EupRecipOp    : Core_EupUnary<"eup.recip", "eupRecip(a)", "reciprocal", Lat_Eup>;
def Core_EupRsqrtOp    : Core_EupUnary<"eup.rsqrt", "eupRsqrt(a)", "reciprocal square root", Lat_Eup>;
def Core_EupSqrtOp     : Core_EupUnary<"eup.sqrt", "eupSqrt(a)", "square root", Lat_EupLong>;
def Core_EupExpm1Op    : Core_EupUnary<"eup.expm1", "eupExpm1(a)", "e to the power a, minus 1", Lat_EupLong>;
def Core_EupLog1pOp    : Core_EupUnary<"eup.log1p", "eupLog1p(a)", "logarithm of 1 + a", Lat_EupLong>;
def Core_EupLogisticOp : Core_EupUnary<"eup.logistic", "eupLogistic(a)", "1 / (1 + exp(-a))", Lat_EupLong>;
def Core_EupSinOp      : Core_EupUnary<"eup.sin", "eupSin(a)", "sine, over the whole range", Lat_EupLong>;
def Core_EupCosOp      : Core_EupUnary<"eup.cos", "eupCos(a)", "cosine, over the whole range", Lat_EupLong>;
def Core_EupTanOp      : Core_EupUnary<"eup.tan", "eupTan(a)", "tangent, over the whole range", Lat_EupLong>;
def Core_EupCbrtOp     : Core_EupUnary<"eup.cbrt", "eupCbrt(a)", "cube root", Lat_EupLong>;
def Core_EupDivOp      : Core_EupBinary<"eup.div", "eupDiv(a, b)", "a / b">;
def Core_EupPowOp      : Core_EupBinary<"eup.pow", "eupPow(a, b)", "a to the power b">;
def Core_EupAtan2Op    : Core_EupBinary<"eup.atan2", "eupAtan2(a, b)", "angle of the point (b, a)">;

def Core_EupPopOp : Core_Inst<"eup.pop", PopSlot, EupUnit, Lat_Valu,
    (ins), (outs V:$d), "next result of the transcendental unit">;

//===----------------------------------------------------------------------===//
// Vector to scalar
//===----------------------------------------------------------------------===//

def Core_V2SOp : Core_Inst<"v2s", PushSlot, S2vUnit, Lat_V2S,
    (ins V:$a, S:$sublane, S:$lane), (outs), "send one cell to the scalar unit"> {
  let Pushes = 1;
  let description = [{ Queues cell (sublane mod 8, lane mod 128) of `a` for `v2s.pop`. }];
}
def Core_V2SPopOp : Core_Inst<"v2s.pop", PopSlot, S2vUnit, Lat_Scalar,
    (ins), (outs S:$d), "next cell sent by the vector unit">;

#endif // SYSTOLE_DIALECTS_CORE_CROSSLANE_TD
