// Lane-wise integer operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

static unsigned width(Type type) { return type.getIntOrFloatBitWidth(); }
static bool isUnsigned(Type type) { return type.isUnsignedInteger(); }

// The bits of a narrow element, zero-extended.
static Value zeroExtended(const BodyOp &o, Value value) {
  if (width(o.in) == 32 || isUnsigned(o.in))
    return value;
  return o.v<core::VAndOp>(value, o.bits((1u << width(o.in)) - 1));
}

static Value signExtended(const BodyOp &o, Value value) {
  if (width(o.in) == 32 || !isUnsigned(o.in))
    return value;
  Value shift = o.bits(32 - width(o.in));
  return o.v<core::VSraOp>(o.v<core::VShlOp>(value, shift), shift);
}

template <typename Op> static Value binary(const BodyOp &o) {
  return o.v<Op>(o.args[0], o.args[1]);
}

static Value absolute(const BodyOp &o) {
  return o.v<core::VMaxOp>(o.args[0], o.v<core::VSubOp>(o.bits(0), o.args[0]));
}

static Value negate(const BodyOp &o) { return o.v<core::VSubOp>(o.bits(0), o.args[0]); }

static Value sign(const BodyOp &o) {
  return o.v<core::VMinOp>(o.v<core::VMaxOp>(o.args[0], o.bits(~0u)), o.bits(1));
}

static Value complement(const BodyOp &o) { return o.v<core::VXorOp>(o.args[0], o.bits(~0u)); }

static Value populationCount(const BodyOp &o) {
  return o.v<core::VPopcntOp>(zeroExtended(o, o.args[0]));
}

static Value countLeadingZeros(const BodyOp &o) {
  Value zeros = o.v<core::VClzOp>(zeroExtended(o, o.args[0]));
  if (width(o.in) == 32)
    return zeros;
  return o.v<core::VSubOp>(zeros, o.bits(32 - width(o.in)));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

// n / d from a 32-bit fixed-point reciprocal. With u = 2^-24, D = d (1 + a),
// |a| <= u, the f32 of d, and C = 2^32 - 2^9 = 2^32 (1 - 2u):
//  1. z = trunc(f32(C / D)). C / D rounded is at most (2^32 / d) (1 - 2u) (1 + u) /
//     (1 - u) < 2^32 / d and at least (2^32 / d) (1 - 4u), so e = 2^32 - d z is
//     in (0, 2^10 + d]. As z d < 2^32, e is (-d z) mod 2^32, unless z = 0, which
//     needs d > C; then z stays 0 below, the quotient is 0 or 1, and one correction
//     finds it.
//  2. Newton: z' = z + floor(z e / 2^32). With h = e / 2^32 and z = (2^32 / d) (1 - h),
//     z (1 + h) = (2^32 / d) (1 - h^2); so z' < 2^32 / d and
//     2^32 - d z' < 2^32 h^2 + d.
//  3. q = floor(n z' / 2^32) <= n / d, and n / d - q < 1 + n (2^32 - d z') / (2^32 d)
//     < 2 + 2^32 h^2 / d <= 2 + 2^-12 / d + 2^-21 + d / 2^32. For d < 2^31 that is
//     below 3, so floor(n / d) - q is at most 2; for larger d the quotient is
//     at most 1. Two corrections by the remainder make q exact.
Value codegen::emitUnsignedDivision(const BodyOp &o, Value n, Value d) {
  Value divisor = o.v<core::VU32ToF32Op>(d);
  Value scale = o.body.vector(o.bits(0x4f7ffffeu)); // 2^32 - 2^9
  Value z = o.v<core::VF32ToU32Op>(o.e.eup<core::EupDivOp>(scale, divisor));
  Value error = o.v<core::VMulOp>(o.v<core::VSubOp>(o.bits(0), d), z);
  z = o.v<core::VAddOp>(z, o.v<core::VMulHiOp>(z, error));
  Value q = o.v<core::VMulHiOp>(n, z);
  Value rest = o.v<core::VSubOp>(n, o.v<core::VMulOp>(q, d));
  Value again = o.m<core::VLeuOp>(d, rest);
  q = o.select(again, o.v<core::VAddOp>(q, o.bits(1)), q);
  rest = o.select(again, o.v<core::VSubOp>(rest, d), rest);
  again = o.m<core::VLeuOp>(d, rest);
  return o.select(again, o.v<core::VAddOp>(q, o.bits(1)), q);
}

// The quotient rounded towards zero; unspecified if the divisor is 0.
static Value quotient(const BodyOp &o, Value n, Value d) {
  if (width(o.in) < 32) {
    // Both operands are below 2^16 in magnitude, so a quotient that is not an integer differs from
    // one by at least 1 / (n d), relatively, which is more than half a unit in the last place of
    // f32: rounding does not reach the next integer.
    Value real = o.e.eup<core::EupDivOp>(o.v<core::VS32ToF32Op>(n), o.v<core::VS32ToF32Op>(d));
    return o.v<core::VF32ToS32Op>(real);
  }
  if (isUnsigned(o.in))
    return emitUnsignedDivision(o, n, d);
  auto magnitude = [&](Value x) { return o.v<core::VMaxOp>(x, o.v<core::VSubOp>(o.bits(0), x)); };
  // The magnitude of the minimum is correct as an unsigned number.
  Value q = emitUnsignedDivision(o, magnitude(n), magnitude(d));
  Value differ = o.m<core::VLtOp>(o.v<core::VXorOp>(n, d), o.bits(0));
  return o.select(differ, o.v<core::VSubOp>(o.bits(0), q), q);
}

static Value divide(const BodyOp &o) {
  Value n = o.args[0], d = o.args[1];
  return o.select(o.m<core::VEqOp>(d, o.bits(0)), o.bits(~0u), quotient(o, n, d));
}

static Value remainder(const BodyOp &o) {
  Value n = o.args[0], d = o.args[1];
  Value rest = o.v<core::VSubOp>(n, o.v<core::VMulOp>(quotient(o, n, d), d));
  return o.select(o.m<core::VEqOp>(d, o.bits(0)), n, rest);
}

// The product of x^(2^i) over the set bits i of the exponent. With a negative exponent the result
// is the power of 1 or -1 by the lowest bit, and 0 for any other base.
static Value power(const BodyOp &o) {
  Emitter &e = o.e;
  Value x = o.body.vector(o.args[0]), n = o.body.vector(o.args[1]);
  Value one = e.splatBits(1);
  SmallVector<Value> carried =
      e.loop(0, width(o.in), 1, ValueRange{one, x, n}, [&](Value, ValueRange state) {
        Value odd = o.m<core::VNeOp>(o.v<core::VAndOp>(state[2], o.bits(1)), o.bits(0));
        Value product = o.select(odd, o.v<core::VMulOp>(state[0], state[1]), state[0]);
        return SmallVector<Value>{product, o.v<core::VMulOp>(state[1], state[1]),
                                  o.v<core::VShrOp>(state[2], o.bits(1))};
      });
  if (isUnsigned(o.in))
    return carried[0];
  Value odd = o.m<core::VNeOp>(o.v<core::VAndOp>(n, o.bits(1)), o.bits(0));
  Value unit = o.select(o.m<core::VEqOp>(x, o.bits(~0u)), o.select(odd, x, one),
                        o.select(o.m<core::VEqOp>(x, one), one, o.bits(0)));
  return o.select(o.m<core::VLtOp>(n, o.bits(0)), unit, carried[0]);
}

//===----------------------------------------------------------------------===//
// Shifts: an amount of the width or more, or a negative one, shifts all bits out
//===----------------------------------------------------------------------===//

static Value shiftRightLogical(const BodyOp &o) {
  return o.v<core::VShrOp>(zeroExtended(o, o.args[0]), o.args[1]);
}

static Value shiftRightArithmetic(const BodyOp &o) {
  return o.v<core::VSraOp>(signExtended(o, o.args[0]), o.args[1]);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Value least(const BodyOp &o, Value a, Value b) {
  return isUnsigned(o.in) ? o.v<core::VMinuOp>(a, b) : o.v<core::VMinOp>(a, b);
}
static Value greatest(const BodyOp &o, Value a, Value b) {
  return isUnsigned(o.in) ? o.v<core::VMaxuOp>(a, b) : o.v<core::VMaxOp>(a, b);
}
static Value minimum(const BodyOp &o) { return least(o, o.args[0], o.args[1]); }
static Value maximum(const BodyOp &o) { return greatest(o, o.args[0], o.args[1]); }
static Value clamp(const BodyOp &o) {
  return least(o, greatest(o, o.args[0], o.args[1]), o.args[2]);
}

void codegen::addIntegerOps(BodyTable &table) {
  auto add = [&]<typename Op>(EmitElement emit, Finish finish) {
    table.add<Op>(ElementClass::Int, emit, finish);
  };
  add.operator()<hlo::AbsOp>(absolute, Finish::wrap);
  add.operator()<hlo::NegOp>(negate, Finish::wrap);
  add.operator()<hlo::SignOp>(sign, Finish::exact);
  add.operator()<hlo::NotOp>(complement, Finish::wrap);
  add.operator()<hlo::PopulationCountOp>(populationCount, Finish::exact);
  add.operator()<hlo::ClzOp>(countLeadingZeros, Finish::exact);
  add.operator()<hlo::AddOp>(binary<core::VAddOp>, Finish::wrap);
  add.operator()<hlo::SubtractOp>(binary<core::VSubOp>, Finish::wrap);
  add.operator()<hlo::MulOp>(binary<core::VMulOp>, Finish::wrap);
  add.operator()<kernel::MulHighOp>(binary<core::VMulHiOp>, Finish::exact);
  add.operator()<hlo::DivOp>(divide, Finish::wrap);
  add.operator()<hlo::RemOp>(remainder, Finish::wrap);
  add.operator()<hlo::PowOp>(power, Finish::wrap);
  add.operator()<hlo::MinOp>(minimum, Finish::exact);
  add.operator()<hlo::MaxOp>(maximum, Finish::exact);
  add.operator()<hlo::ClampOp>(clamp, Finish::exact);
  add.operator()<hlo::AndOp>(binary<core::VAndOp>, Finish::exact);
  add.operator()<hlo::OrOp>(binary<core::VOrOp>, Finish::exact);
  add.operator()<hlo::XorOp>(binary<core::VXorOp>, Finish::exact);
  add.operator()<hlo::ShiftLeftOp>(binary<core::VShlOp>, Finish::wrap);
  add.operator()<hlo::ShiftRightLogicalOp>(shiftRightLogical, Finish::wrap);
  add.operator()<hlo::ShiftRightArithmeticOp>(shiftRightArithmetic, Finish::wrap);
}
