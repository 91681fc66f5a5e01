//===- Vector.td - The vector unit's arithmetic --------------*- tablegen -*-===//
//
// Lane-wise operations on vector registers and masks. The semantics are those
// of one cell: a, b, c are the operands' cells (uint32_t), s and l its sublane
// and lane. f() reads a cell as f32, bits() writes one; arithmetic is IEEE
// round-to-nearest-even with denormal inputs and results flushed to signed zero.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_VECTOR_TD
#define SYSTOLE_DIALECTS_CORE_VECTOR_TD

include "dialects/Core/CoreBase.td"

class Core_VNullary<string m, string semantics, string text>
    : Core_Inst<m, VectorSlot, NoUnit, Lat_Valu, (ins), (outs V:$d), text, [Pure]> {
  let Semantics = semantics;
}
class Core_VUnary<string m, string semantics, string text, LatencyClass lat = Lat_Valu>
    : Core_Inst<m, VectorSlot, NoUnit, lat, (ins VS:$a), (outs V:$d), text, [Pure]> {
  let Semantics = semantics;
}
class Core_VBinary<string m, string semantics, string text, LatencyClass lat = Lat_Valu>
    : Core_Inst<m, VectorSlot, NoUnit, lat, (ins VS:$a, VS:$b), (outs V:$d), text, [Pure]> {
  let Semantics = semantics;
}
class Core_VCompare<string m, string semantics, string text>
    : Core_Inst<m, VectorSlot, NoUnit, Lat_Valu, (ins VS:$a, VS:$b), (outs M:$d), text, [Pure]> {
  let Semantics = semantics;
}
class Core_MBinary<string m, string semantics, string text>
    : Core_Inst<m, VectorSlot, NoUnit, Lat_Valu, (ins M:$a, M:$b), (outs M:$d), text, [Pure]> {
  let Semantics = semantics;
}

//===----------------------------------------------------------------------===//
// Moves and coordinates
//===----------------------------------------------------------------------===//

def Core_VMovOp : Core_VUnary<"v.mov", "a", "copy a register, or splat a scalar">;
def Core_VLaneIdOp : Core_VNullary<"v.lane", "l", "the lane number, 0 to 127, of each cell">;
def Core_VSublaneIdOp : Core_VNullary<"v.sublane", "s", "the sublane number, 0 to 7, of each cell">;
def Core_VSelectOp : Core_Inst<"v.sel", VectorSlot, NoUnit, Lat_Valu,
    (ins M:$m, VS:$a, VS:$b), (outs V:$d), "a where the mask is set, else b", [Pure]> {
  let Semantics = "m ? a : b";
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

def Core_VFAddOp : Core_VBinary<"v.fadd", "bits(f(a) + f(b))", "f32 addition">;
def Core_VFSubOp : Core_VBinary<"v.fsub", "bits(f(a) - f(b))", "f32 subtraction">;
def Core_VFMulOp : Core_VBinary<"v.fmul", "bits(f(a) * f(b))", "f32 multiplication", Lat_ValuMul>;
def Core_VFmaOp : Core_Inst<"v.fma", VectorSlot, NoUnit, Lat_ValuMul,
    (ins VS:$a, VS:$b, VS:$c), (outs V:$d), "a * b + c, rounded once", [Pure]> {
  let Semantics = "bits(fma(f(a), f(b), f(c)))";
}
def Core_VFMinOp : Core_VBinary<"v.fmin", "fmin(a, b)",
    "f32 minimum: NaN if either is NaN, -0 below +0">;
def Core_VFMaxOp : Core_VBinary<"v.fmax", "fmax(a, b)",
    "f32 maximum: NaN if either is NaN, -0 below +0">;
def Core_VFloorOp : Core_VUnary<"v.floor", "bits(floor(f(a)))", "largest integral value not above">;
def Core_VCeilOp : Core_VUnary<"v.ceil", "bits(ceil(f(a)))", "smallest integral value not below">;
def Core_VRoundOp : Core_VUnary<"v.round", "bits(roundEven(f(a)))",
    "nearest integral value, ties to even">;
def Core_VTruncOp : Core_VUnary<"v.trunc", "bits(trunc(f(a)))", "integral value towards zero">;
def Core_VRoundBf16Op : Core_VUnary<"v.rnd.bf16", "roundBf16(a)",
    "round f32 to the nearest bf16 (ties to even), kept as f32", Lat_ValuCvt>;
def Core_VRoundF16Op : Core_VUnary<"v.rnd.f16", "roundF16(a)",
    "round f32 to the nearest f16 (ties to even, denormals of f16 among them), kept as f32", Lat_ValuCvt>;
def Core_VSplitHiOp : Core_VUnary<"v.split.hi", "splitHi(a)",
    "the bf16 part of an f32 for a multi-pass product: nearest bf16, but finite when a is finite", Lat_ValuCvt>;
def Core_VSplitLoOp : Core_VBinary<"v.split.lo", "splitLo(a, b)",
    "the remainder of a after b in a multi-pass product: a - b, and +0 where a is infinite or NaN">;

//===----------------------------------------------------------------------===//
// Pairs of bf16
//===----------------------------------------------------------------------===//

// On both halves of a cell: the operation in f32, rounded once. These are the bits of
// elements that are widened, computed with in f32 and narrowed.
class Core_VPair<string m, string low, string high, string text, LatencyClass lat = Lat_Valu>
    : Core_VBinary<m, "halves(" # low # ", " # high # ")", text, lat> {
  let Feature = "bf16_valu";
}
def Core_VAddBf16Op : Core_VPair<"v.add.bf16", "bits(f(low(a)) + f(low(b)))",
    "bits(f(high(a)) + f(high(b)))", "addition of pairs of bf16">;
def Core_VSubBf16Op : Core_VPair<"v.sub.bf16", "bits(f(low(a)) - f(low(b)))",
    "bits(f(high(a)) - f(high(b)))", "subtraction of pairs of bf16">;
def Core_VMulBf16Op : Core_VPair<"v.mul.bf16", "bits(f(low(a)) * f(low(b)))",
    "bits(f(high(a)) * f(high(b)))", "multiplication of pairs of bf16", Lat_ValuMul>;
def Core_VMinBf16Op : Core_VPair<"v.min.bf16", "fmin(low(a), low(b))", "fmin(high(a), high(b))",
    "minimum of pairs of bf16: NaN if either is NaN, -0 below +0">;
def Core_VMaxBf16Op : Core_VPair<"v.max.bf16", "fmax(low(a), low(b))", "fmax(high(a), high(b))",
    "maximum of pairs of bf16: NaN if either is NaN, -0 below +0">;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

def Core_VAddOp : Core_VBinary<"v.add", "a + b", "wrapping 32-bit addition">;
def Core_VSubOp : Core_VBinary<"v.sub", "a - b", "wrapping 32-bit subtraction">;
def Core_VMulOp : Core_VBinary<"v.mul", "a * b", "low 32 bits of the product", Lat_ValuMul>;
def Core_VMulHiOp : Core_VBinary<"v.mulhi", "mulhiU(a, b)",
    "high 32 bits of the unsigned product", Lat_ValuMul>;
def Core_VAndOp : Core_VBinary<"v.and", "a & b", "bitwise and">;
def Core_VOrOp  : Core_VBinary<"v.or", "a | b", "bitwise or">;
def Core_VXorOp : Core_VBinary<"v.xor", "a ^ b", "bitwise exclusive or">;
def Core_VShlOp : Core_VBinary<"v.shl", "shl(a, b)", "shift left; 0 when b >= 32">;
def Core_VShrOp : Core_VBinary<"v.shr", "shr(a, b)", "logical shift right; 0 when b >= 32">;
def Core_VSraOp : Core_VBinary<"v.sra", "sra(a, b)",
    "arithmetic shift right; the sign in every bit when b >= 32">;
def Core_VMinOp : Core_VBinary<"v.min", "s32(a) < s32(b) ? a : b", "signed minimum">;
def Core_VMaxOp : Core_VBinary<"v.max", "s32(a) > s32(b) ? a : b", "signed maximum">;
def Core_VMinuOp : Core_VBinary<"v.minu", "a < b ? a : b", "unsigned minimum">;
def Core_VMaxuOp : Core_VBinary<"v.maxu", "a > b ? a : b", "unsigned maximum">;
def Core_VPopcntOp : Core_VUnary<"v.popcnt", "popcnt(a)", "number of set bits">;
def Core_VClzOp : Core_VUnary<"v.clz", "clz(a)", "number of leading zero bits; 32 for 0">;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def Core_VS32ToF32Op : Core_VUnary<"v.cvt.s32.f32", "bits(float(s32(a)))",
    "signed integer to f32, nearest even", Lat_ValuCvt>;
def Core_VU32ToF32Op : Core_VUnary<"v.cvt.u32.f32", "bits(float(a))",
    "unsigned integer to f32, nearest even", Lat_ValuCvt>;
def Core_VF32ToS32Op : Core_VUnary<"v.cvt.f32.s32", "f32ToS32(a)",
    "f32 to signed integer, towards zero, saturating; NaN gives 0", Lat_ValuCvt>;
def Core_VF32ToU32Op : Core_VUnary<"v.cvt.f32.u32", "f32ToU32(a)",
    "f32 to unsigned integer, towards zero, saturating; NaN gives 0", Lat_ValuCvt>;

//===----------------------------------------------------------------------===//
// Comparisons into masks
//===----------------------------------------------------------------------===//

def Core_VFEqOp : Core_VCompare<"v.feq", "f(a) == f(b)", "ordered equal">;
def Core_VFNeOp : Core_VCompare<"v.fne", "f(a) != f(b)", "unordered or different">;
def Core_VFLtOp : Core_VCompare<"v.flt", "f(a) < f(b)", "ordered less-than">;
def Core_VFLeOp : Core_VCompare<"v.fle", "f(a) <= f(b)", "ordered less-or-equal">;
def Core_VEqOp  : Core_VCompare<"v.eq", "a == b", "equal bits">;
def Core_VNeOp  : Core_VCompare<"v.ne", "a != b", "different bits">;
def Core_VLtOp  : Core_VCompare<"v.lt", "s32(a) < s32(b)", "signed less-than">;
def Core_VLeOp  : Core_VCompare<"v.le", "s32(a) <= s32(b)", "signed less-or-equal">;
def Core_VLtuOp : Core_VCompare<"v.ltu", "a < b", "unsigned less-than">;
def Core_VLeuOp : Core_VCompare<"v.leu", "a <= b", "unsigned less-or-equal">;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

def Core_MAndOp : Core_MBinary<"m.and", "a & b", "both masks">;
def Core_MOrOp  : Core_MBinary<"m.or", "a | b", "either mask">;
def Core_MXorOp : Core_MBinary<"m.xor", "a ^ b", "one mask but not the other">;
def Core_MAndNotOp : Core_MBinary<"m.andn", "a & !b", "the first mask but not the second">;

//===----------------------------------------------------------------------===//
// Movement between sublanes
//===----------------------------------------------------------------------===//

def Core_VSublaneRotateOp : Core_Inst<"v.rots", VectorSlot, NoUnit, Lat_Valu,
    (ins V:$a, S:$amount), (outs V:$d), "rotate towards higher sublanes", [Pure]> {
  let description = [{
    Cell (s, l) of the result is cell ((s - amount) mod 8, l) of `a`.
  }];
}
def Core_VSublaneGatherOp : Core_Inst<"v.gathers", VectorSlot, NoUnit, Lat_Valu,
    (ins V:$a, VS:$index), (outs V:$d), "dynamic gather of sublanes", [Pure]> {
  let description = [{
    Cell (s, l) of the result is cell (index(s, l) mod 8, l) of `a`; with a
    scalar index one sublane is broadcast to all.
  }];
}

#endif // SYSTOLE_DIALECTS_CORE_VECTOR_TD
