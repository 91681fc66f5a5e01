// Lane-wise floating-point operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

constexpr uint32_t signBit = 0x80000000u, magnitude = 0x7fffffffu;
constexpr uint32_t infinity = 0x7f800000u, quietNan = 0x7fc00000u;

template <typename Op> static Value unary(const BodyOp &o) { return o.v<Op>(o.args[0]); }
template <typename Op> static Value binary(const BodyOp &o) {
  return o.v<Op>(o.args[0], o.args[1]);
}
template <typename Op> static Value function(const BodyOp &o) {
  return o.e.eup<Op>(o.body.vector(o.args[0]));
}
template <typename Op> static Value function2(const BodyOp &o) {
  return o.e.eup<Op>(o.body.vector(o.args[0]), o.body.vector(o.args[1]));
}

static Value absolute(const BodyOp &o) { return o.v<core::VAndOp>(o.args[0], o.bits(magnitude)); }
static Value negate(const BodyOp &o) { return o.v<core::VXorOp>(o.args[0], o.bits(signBit)); }

// Signed zeros and NaNs are unchanged; otherwise 1 with the sign of x.
static Value sign(const BodyOp &o) {
  Value x = o.args[0];
  Value isZero = o.m<core::VFEqOp>(x, o.bits(0));
  Value one = o.select(isZero, o.bits(0), o.f32(1));
  Value signedOne = o.v<core::VOrOp>(o.v<core::VAndOp>(x, o.bits(signBit)), one);
  return o.select(o.m<core::VFNeOp>(x, x), x, signedOne);
}

// The fraction x - trunc(x) is exact, so one half is recognized exactly; adding only where the
// fraction is that large preserves the sign of zero for -0.3.
static Value roundAwayFromZero(const BodyOp &o) {
  Value x = o.args[0];
  Value whole = o.v<core::VTruncOp>(x);
  Value fraction = o.v<core::VAndOp>(o.v<core::VFSubOp>(x, whole), o.bits(magnitude));
  Value one = o.v<core::VOrOp>(o.v<core::VAndOp>(x, o.bits(signBit)), o.f32(1));
  return o.select(o.m<core::VFLeOp>(o.f32(0.5f), fraction), o.v<core::VFAddOp>(whole, one), whole);
}

static Value isFinite(const BodyOp &o) {
  return o.m<core::VLtOp>(o.v<core::VAndOp>(o.args[0], o.bits(magnitude)), o.bits(infinity));
}

static Value clamp(const BodyOp &o) {
  Value raised = o.v<core::VFMaxOp>(o.args[0], o.args[1]);
  return o.v<core::VFMinOp>(raised, o.args[2]);
}

// fmod by long division with digits of 22 bits: for k = 242, 220, ... 0 the
// rest r < |y| 2^(k + 22) is reduced modulo s = |y| 2^k. Invariant: 0 <= r < s 2^22.
//  - The quotient r / s is below 2^22, so rounding it to f32 and truncating gives
//    q = floor(r / s), or one more when r / s lies just below an integer.
//  - r and s are multiples of the last place of s (where r >= s; otherwise q is
//    0), and |r - q s| <= s: so fma(-q, s, r) is exact, but for being flushed to a
//    signed zero. A set sign says that q was one too large; an exact zero has none.
//  - A step whose s overflows is skipped: r < s there. A rest that is flushed to +0
//    is below |y|, so it would be the result, which is flushed as well.
Value codegen::emitFloatRemainder(const BodyOp &o) {
  constexpr int digitBits = 22, steps = 12; // 12 * 22 exceeds the 254 exponents of f32
  Emitter &e = o.e;
  Value x = o.body.vector(o.args[0]), y = o.body.vector(o.args[1]);
  Value ax = o.v<core::VAndOp>(x, o.bits(magnitude));
  Value ay = o.v<core::VAndOp>(y, o.bits(magnitude));
  SmallVector<Value> rest = e.loop(0, steps, 1, ValueRange{ax}, [&](Value i, ValueRange carried) {
    Value r = carried[0];
    // k 2^23, to be added to the bits of |y|.
    Value exponent = e.mul(e.sub(e.constant(steps - 1), i), int64_t(digitBits) << 23);
    Value s = o.v<core::VAddOp>(ay, exponent);
    Value isFiniteScale = o.m<core::VLtuOp>(s, o.bits(infinity));
    Value quotient = e.eup<core::EupDivOp>(r, s);
    Value q = o.v<core::VTruncOp>(quotient);
    Value minus = o.v<core::VXorOp>(q, o.bits(signBit));
    Value reduced = o.v<core::VFmaOp>(minus, s, r);
    Value oneLess = o.v<core::VFmaOp>(o.v<core::VFAddOp>(minus, o.f32(1)), s, r);
    reduced = o.select(o.m<core::VLtOp>(reduced, o.bits(0)), oneLess, reduced);
    return SmallVector<Value>{o.select(isFiniteScale, reduced, r)};
  });
  Value result = o.v<core::VOrOp>(rest[0], o.v<core::VAndOp>(x, o.bits(signBit)));
  // NaN for an infinite or NaN x, and for a zero or NaN y.
  Value badX = o.m<core::VLeOp>(o.bits(infinity), ax);
  Value nanY = o.m<core::VFNeOp>(y, y), zeroY = o.m<core::VFEqOp>(y, o.bits(0));
  Value bad = o.m<core::MOrOp>(badX, o.m<core::MOrOp>(nanY, zeroY));
  return o.select(bad, o.bits(quietNan), result);
}

void codegen::addFloatOps(BodyTable &table) {
  auto add = [&]<typename Op>(EmitElement emit, Finish finish) {
    table.add<Op>(ElementClass::Float, emit, finish);
  };
  add.operator()<hlo::AbsOp>(absolute, Finish::exact);
  add.operator()<hlo::NegOp>(negate, Finish::exact);
  add.operator()<hlo::SignOp>(sign, Finish::exact);
  add.operator()<hlo::CeilOp>(unary<core::VCeilOp>, Finish::wrap);
  add.operator()<hlo::FloorOp>(unary<core::VFloorOp>, Finish::wrap);
  add.operator()<hlo::RoundNearestEvenOp>(unary<core::VRoundOp>, Finish::wrap);
  add.operator()<hlo::RoundOp>(roundAwayFromZero, Finish::wrap);
  add.operator()<hlo::IsFiniteOp>(isFinite, Finish::exact);
  add.operator()<hlo::ExpOp>(function<core::EupExpOp>, Finish::wrap);
  add.operator()<hlo::Expm1Op>(function<core::EupExpm1Op>, Finish::wrap);
  add.operator()<hlo::LogOp>(function<core::EupLogOp>, Finish::wrap);
  add.operator()<hlo::Log1pOp>(function<core::EupLog1pOp>, Finish::wrap);
  add.operator()<hlo::LogisticOp>(function<core::EupLogisticOp>, Finish::wrap);
  add.operator()<hlo::TanhOp>(function<core::EupTanhOp>, Finish::wrap);
  add.operator()<hlo::TanOp>(function<core::EupTanOp>, Finish::wrap);
  add.operator()<hlo::SineOp>(function<core::EupSinOp>, Finish::wrap);
  add.operator()<hlo::CosineOp>(function<core::EupCosOp>, Finish::wrap);
  add.operator()<hlo::SqrtOp>(function<core::EupSqrtOp>, Finish::wrap);
  add.operator()<hlo::RsqrtOp>(function<core::EupRsqrtOp>, Finish::wrap);
  add.operator()<hlo::CbrtOp>(function<core::EupCbrtOp>, Finish::wrap);
  add.operator()<hlo::AddOp>(binary<core::VFAddOp>, Finish::wrap);
  add.operator()<hlo::SubtractOp>(binary<core::VFSubOp>, Finish::wrap);
  add.operator()<hlo::MulOp>(binary<core::VFMulOp>, Finish::wrap);
  add.operator()<hlo::DivOp>(function2<core::EupDivOp>, Finish::wrap);
  add.operator()<hlo::RemOp>(emitFloatRemainder, Finish::wrap);
  add.operator()<hlo::MaxOp>(binary<core::VFMaxOp>, Finish::exact);
  add.operator()<hlo::MinOp>(binary<core::VFMinOp>, Finish::exact);
  add.operator()<hlo::PowOp>(function2<core::EupPowOp>, Finish::wrap);
  add.operator()<hlo::Atan2Op>(function2<core::EupAtan2Op>, Finish::wrap);
  add.operator()<hlo::ClampOp>(clamp, Finish::exact);
}
