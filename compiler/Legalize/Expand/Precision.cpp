// Expands reduce_precision.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/Integers.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

Value expandReducePrecision(OpBuilder &b, ReducePrecisionOp op) {
  constexpr int64_t fractionBits = 23, exponentBits = 8, bias = 127;
  auto type = cast<RankedTensorType>(op.getType());
  // A format with the exponents of the operand's type keeps the subnormal values of that.
  const llvm::fltSemantics &own = cast<FloatType>(type.getElementType()).getFloatSemantics();
  const bool keepsSubnormals = op.getExponentBits() == llvm::APFloat::semanticsSizeInBits(own) -
                                                           llvm::APFloat::semanticsPrecision(own);
  RankedTensorType wide = type.clone(b.getF32Type());
  Value operand = op.getOperand();
  if (type != wide)
    operand = ConvertOp::create(b, op.getLoc(), wide, operand);
  Integers i{b, op.getLoc(), type.clone(b.getI32Type())};
  Value x = i.bits(operand), result = x;
  int64_t fraction = op.getMantissaBits(), exponent = op.getExponentBits();
  Value infinity = i.number(0x7f800000);
  Value size = i.apply<AndOp>(x, i.number(0x7fffffff));
  Value sign = i.apply<XorOp>(x, size);
  if (fraction < fractionBits) {
    // Rounds to nearest, ties to even: adds half a unit in the last place, less one if the last bit
    // is even. An overflow increments the exponent.
    int64_t dropped = fractionBits - fraction;
    Value last = i.apply<AndOp>(i.apply<ShiftRightLogicalOp>(x, i.number(dropped)), i.number(1));
    Value raised = i.apply<AddOp>(x, i.apply<AddOp>(last, i.number((1ll << (dropped - 1)) - 1)));
    result = i.apply<AndOp>(raised, i.number(-(1ll << dropped)));
  }
  if (exponent < exponentBits) {
    int64_t most = (1ll << (exponent - 1)) - 1;
    Value field = i.apply<AndOp>(result, infinity);
    auto beyond = [&](ComparisonDirection direction, int64_t limit) {
      return i.compare(direction, field, i.number(limit << fractionBits));
    };
    Value large = beyond(ComparisonDirection::GT, bias + most);
    Value small = beyond(ComparisonDirection::LE, bias - most), smallResult = sign;
    if (keepsSubnormals) {
      // Rounds to a multiple of the smallest one, by a number whose last place that is.
      const int64_t least = llvm::APFloat::semanticsMinExponent(own);
      small = beyond(ComparisonDirection::LT, bias + least);
      Value aligning = BitcastConvertOp::create(
          b, op.getLoc(), wide, i.number((bias + least + fractionBits - fraction) << fractionBits));
      Value magnitude = BitcastConvertOp::create(b, op.getLoc(), wide, size);
      Value sum = AddOp::create(b, op.getLoc(), magnitude, aligning);
      Value rounded = SubtractOp::create(b, op.getLoc(), sum, aligning);
      smallResult = i.apply<OrOp>(sign, i.bits(rounded));
    } // else they become zero
    result = i.select(large, i.apply<OrOp>(sign, infinity), result);
    result = i.select(small, smallResult, result);
  }
  Value isNaN = i.compare(ComparisonDirection::GT, size, infinity);
  result = i.select(isNaN, x, result);
  Value value = BitcastConvertOp::create(b, op.getLoc(), wide, result);
  return type == wide ? value : ConvertOp::create(b, op.getLoc(), type, value);
}

} // namespace systole::expansion
