// Lane-wise constants, conversions and reinterpretations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Body.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

static unsigned width(Type type) { return type.getIntOrFloatBitWidth(); }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static DenseElementsAttr constantElements(const BodyOp &o) {
  auto elements = dyn_cast<DenseElementsAttr>(cast<hlo::ConstantOp>(o.op).getValue());
  if (!elements)
    o.op->emitOpError("expects a dense constant in a stage's body");
  return elements;
}

static Value floatConstant(const BodyOp &o) {
  DenseElementsAttr elements = constantElements(o);
  if (!elements)
    return nullptr;
  APFloat value = *elements.value_begin<APFloat>();
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return o.bits(static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue()));
}

static Value integerConstant(const BodyOp &o) {
  DenseElementsAttr elements = constantElements(o);
  if (!elements)
    return nullptr;
  APInt value = *elements.value_begin<APInt>();
  return o.bits(static_cast<uint32_t>(o.out.isUnsignedInteger() ? value.getZExtValue()
                                                                : value.getSExtValue()));
}

static Value predicateConstant(const BodyOp &o) {
  DenseElementsAttr elements = constantElements(o);
  if (!elements)
    return nullptr;
  Value all = o.e.allMask();
  return *elements.value_begin<bool>() ? all : o.m<core::MXorOp>(all, all);
}

//===----------------------------------------------------------------------===//
// convert
//===----------------------------------------------------------------------===//

static Value convertFloat(const BodyOp &o) {
  Value x = o.args[0];
  switch (classOf(o.out)) {
  case ElementClass::Float:
    // An explicit conversion rounds even if intermediate results are kept in f32.
    if (o.out.isBF16())
      return o.v<core::VRoundBf16Op>(x);
    return o.out.isF16() ? o.v<core::VRoundF16Op>(x) : x;
  case ElementClass::Pred:
    return o.m<core::VFNeOp>(x, o.bits(0));
  case ElementClass::Int:
    break;
  }
  // Saturates: to 32 bits in the conversion, then by comparisons.
  if (o.out.isUnsignedInteger()) {
    Value whole = o.v<core::VF32ToU32Op>(x);
    return width(o.out) == 32 ? whole : o.v<core::VMinuOp>(whole, o.bits((1u << width(o.out)) - 1));
  }
  Value whole = o.v<core::VF32ToS32Op>(x);
  if (width(o.out) == 32)
    return whole;
  uint32_t limit = 1u << (width(o.out) - 1);
  return o.v<core::VMaxOp>(o.v<core::VMinOp>(whole, o.bits(limit - 1)), o.bits(-limit));
}

static Value convertInteger(const BodyOp &o) {
  Value x = o.args[0];
  switch (classOf(o.out)) {
  case ElementClass::Float: {
    Value real = o.in.isUnsignedInteger() ? o.v<core::VU32ToF32Op>(x) : o.v<core::VS32ToF32Op>(x);
    if (o.out.isBF16())
      return o.v<core::VRoundBf16Op>(real);
    return o.out.isF16() ? o.v<core::VRoundF16Op>(real) : real;
  }
  case ElementClass::Pred:
    return o.m<core::VNeOp>(x, o.bits(0));
  case ElementClass::Int:
    break;
  }
  // A wider signed type, or one that represents all values, keeps the cell.
  bool holdsAll =
      width(o.out) > width(o.in) && (!o.out.isUnsignedInteger() || o.in.isUnsignedInteger());
  return holdsAll ? x : o.body.wrap(x, o.out);
}

static Value convertPredicate(const BodyOp &o) {
  switch (classOf(o.out)) {
  case ElementClass::Float:
    return o.select(o.args[0], o.f32(1), o.bits(0));
  case ElementClass::Pred:
    return o.args[0];
  case ElementClass::Int:
    return o.select(o.args[0], o.bits(1), o.bits(0));
  }
  llvm_unreachable("every class is handled");
}

//===----------------------------------------------------------------------===//
// bitcast_convert between types of one width
//===----------------------------------------------------------------------===//

// The difference of the exponent biases of f32 and f16, at the position of f32's exponent.
constexpr uint32_t rebias = 112u << 23;
// Denormals of f16 are multiples of 2^-24, one unit in the last place of f32 in [0.5, 1): when one
// is added to 0.5, the mantissa is its bits.
constexpr uint32_t half = 126u << 23;

// The f16 bits of an f32 that represents an f16: exponent and mantissa move down by 13 bits.
// Infinities and NaNs have the largest exponent in both types.
static Value bitsOfF16(const BodyOp &o, Value x) {
  Value sign = o.v<core::VAndOp>(o.v<core::VShrOp>(x, o.bits(16)), o.bits(0x8000));
  Value size = o.v<core::VAndOp>(x, o.bits(0x7fffffffu));
  Value normal = o.v<core::VShrOp>(o.v<core::VSubOp>(size, o.bits(rebias)), o.bits(13));
  Value fraction = o.v<core::VAndOp>(o.v<core::VShrOp>(size, o.bits(13)), o.bits(0x3ff));
  Value special = o.v<core::VOrOp>(fraction, o.bits(0x7c00));
  Value isSpecial = o.m<core::VLeOp>(o.bits(0x7f800000u), size);
  Value small = o.v<core::VSubOp>(o.v<core::VFAddOp>(size, o.bits(half)), o.bits(half));
  Value isSmall = o.m<core::VLtOp>(size, o.bits(rebias + (1u << 23)));
  Value bits = o.select(isSpecial, special, o.select(isSmall, small, normal));
  return o.v<core::VOrOp>(sign, bits);
}

// The reverse.
static Value f16OfBits(const BodyOp &o, Value x) {
  Value sign = o.v<core::VShlOp>(o.v<core::VAndOp>(x, o.bits(0x8000)), o.bits(16));
  Value size = o.v<core::VAndOp>(x, o.bits(0x7fff));
  Value moved = o.v<core::VShlOp>(size, o.bits(13));
  Value isSpecial = o.m<core::VLeOp>(o.bits(0x7c00), size);
  Value isSmall = o.m<core::VLtOp>(size, o.bits(0x400));
  Value small = o.v<core::VFSubOp>(o.v<core::VOrOp>(size, o.bits(half)), o.bits(half));
  Value special = o.v<core::VOrOp>(moved, o.bits(0x7f800000u));
  Value value = o.select(isSpecial, special,
                         o.select(isSmall, small, o.v<core::VAddOp>(moved, o.bits(rebias))));
  return o.v<core::VOrOp>(sign, value);
}

// The bits of an element; the upper bits are unspecified.
static Value bitsOf(const BodyOp &o) {
  Value x = o.args[0];
  if (o.in.isBF16())
    return o.v<core::VShrOp>(o.body.excessPrecision ? o.v<core::VRoundBf16Op>(x) : x, o.bits(16));
  if (o.in.isF16())
    return bitsOfF16(o, o.body.excessPrecision ? o.v<core::VRoundF16Op>(x) : x);
  return x;
}

static Value reinterpret(const BodyOp &o) {
  if (width(o.in) != width(o.out)) {
    o.op->emitOpError() << "between elements of different widths, " << o.in << " and " << o.out
                        << ", has no lowering to vector instructions";
    return nullptr;
  }
  if (o.in == o.out)
    return o.args[0];
  Value bits = bitsOf(o);
  if (o.out.isBF16())
    return o.v<core::VShlOp>(bits, o.bits(16));
  if (o.out.isF16())
    return f16OfBits(o, bits);
  return classOf(o.out) == ElementClass::Int ? o.body.wrap(bits, o.out) : bits;
}

static Value forward(const BodyOp &o) { return o.args[0]; }

void codegen::addConversionOps(BodyTable &table) {
  table.add<hlo::ConstantOp>(ElementClass::Float, floatConstant, Finish::exact);
  table.add<hlo::ConstantOp>(ElementClass::Int, integerConstant, Finish::exact);
  table.add<hlo::ConstantOp>(ElementClass::Pred, predicateConstant, Finish::exact);
  table.add<hlo::ConvertOp>(ElementClass::Float, convertFloat, Finish::exact);
  table.add<hlo::ConvertOp>(ElementClass::Int, convertInteger, Finish::exact);
  table.add<hlo::ConvertOp>(ElementClass::Pred, convertPredicate, Finish::exact);
  for (ElementClass cls : {ElementClass::Float, ElementClass::Int, ElementClass::Pred}) {
    table.add<hlo::BitcastConvertOp>(cls, reinterpret, Finish::exact);
    // A reshape of a single element is the identity.
    table.add<hlo::ReshapeOp>(cls, forward, Finish::exact);
    table.add<hlo::BroadcastInDimOp>(cls, forward, Finish::exact);
  }
}
