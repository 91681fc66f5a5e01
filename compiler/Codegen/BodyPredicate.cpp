// Lane-wise operations on predicates, which are masks; selections and comparisons.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;
using hlo::ComparisonDirection;

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

template <typename Op> static Value binary(const BodyOp &o) {
  return o.m<Op>(o.args[0], o.args[1]);
}

static Value complement(const BodyOp &o) { return o.notMask(o.args[0]); }

static Value select(const BodyOp &o) {
  Value chosen = o.args[0], a = o.args[1], b = o.args[2];
  if (classOf(o.out) != ElementClass::Pred)
    return o.select(chosen, a, b);
  return o.m<core::MOrOp>(o.m<core::MAndOp>(chosen, a), o.m<core::MAndNotOp>(b, chosen));
}

static Value clamp(const BodyOp &o) {
  return o.m<core::MAndOp>(o.m<core::MOrOp>(o.args[0], o.args[1]), o.args[2]);
}

void codegen::addPredicateOps(BodyTable &table) {
  auto add = [&]<typename Op>(EmitElement emit) {
    table.add<Op>(ElementClass::Pred, emit, Finish::exact);
  };
  add.operator()<hlo::AndOp>(binary<core::MAndOp>);
  add.operator()<hlo::MulOp>(binary<core::MAndOp>);
  add.operator()<hlo::MinOp>(binary<core::MAndOp>);
  add.operator()<hlo::OrOp>(binary<core::MOrOp>);
  add.operator()<hlo::AddOp>(binary<core::MOrOp>);
  add.operator()<hlo::MaxOp>(binary<core::MOrOp>);
  add.operator()<hlo::XorOp>(binary<core::MXorOp>);
  add.operator()<hlo::NotOp>(complement);
  add.operator()<hlo::ClampOp>(clamp);
  add.operator()<hlo::SelectOp>(select);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

// The machine implements <, <=, = and their negations; > and >= swap operands.
template <typename Eq, typename Ne, typename Lt, typename Le>
static Value relation(const BodyOp &o, ComparisonDirection direction, Value a, Value b) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return o.m<Eq>(a, b);
  case ComparisonDirection::NE:
    return o.m<Ne>(a, b);
  case ComparisonDirection::LT:
    return o.m<Lt>(a, b);
  case ComparisonDirection::LE:
    return o.m<Le>(a, b);
  case ComparisonDirection::GT:
    return o.m<Lt>(b, a);
  case ComparisonDirection::GE:
    return o.m<Le>(b, a);
  }
  llvm_unreachable("every direction is handled");
}

static Value signedRelation(const BodyOp &o, ComparisonDirection direction, Value a, Value b) {
  return relation<core::VEqOp, core::VNeOp, core::VLtOp, core::VLeOp>(o, direction, a, b);
}

// The bits of a float as an integer with the same order: the magnitude of a negative float is
// complemented.
static Value totalOrderKey(const BodyOp &o, Value x) {
  Value negative = o.v<core::VSraOp>(x, o.bits(31));
  return o.v<core::VXorOp>(x, o.v<core::VAndOp>(negative, o.bits(0x7fffffffu)));
}

static Value compareFloats(const BodyOp &o) {
  auto compare = cast<hlo::CompareOp>(o.op);
  ComparisonDirection direction = compare.getComparisonDirection();
  Value a = o.args[0], b = o.args[1];
  if (compare.getCompareType() == hlo::ComparisonType::TOTALORDER)
    return signedRelation(o, direction, totalOrderKey(o, a), totalOrderKey(o, b));
  return relation<core::VFEqOp, core::VFNeOp, core::VFLtOp, core::VFLeOp>(o, direction, a, b);
}

static Value compareIntegers(const BodyOp &o) {
  ComparisonDirection direction = cast<hlo::CompareOp>(o.op).getComparisonDirection();
  Value a = o.args[0], b = o.args[1];
  if (!o.in.isUnsignedInteger())
    return signedRelation(o, direction, a, b);
  return relation<core::VEqOp, core::VNeOp, core::VLtuOp, core::VLeuOp>(o, direction, a, b);
}

static Value comparePredicates(const BodyOp &o) {
  Value a = o.args[0], b = o.args[1];
  Value differ = o.m<core::MXorOp>(a, b);
  switch (cast<hlo::CompareOp>(o.op).getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return o.notMask(differ);
  case ComparisonDirection::NE:
    return differ;
  case ComparisonDirection::LT:
    return o.m<core::MAndNotOp>(b, a);
  case ComparisonDirection::LE:
    return o.notMask(o.m<core::MAndNotOp>(a, b));
  case ComparisonDirection::GT:
    return o.m<core::MAndNotOp>(a, b);
  case ComparisonDirection::GE:
    return o.notMask(o.m<core::MAndNotOp>(b, a));
  }
  llvm_unreachable("every direction is handled");
}

void codegen::addComparisonOps(BodyTable &table) {
  table.add<hlo::CompareOp>(ElementClass::Float, compareFloats, Finish::exact);
  table.add<hlo::CompareOp>(ElementClass::Int, compareIntegers, Finish::exact);
  table.add<hlo::CompareOp>(ElementClass::Pred, comparePredicates, Finish::exact);
}
