// Converts the operands of products to element types that the machine multiplies.
// See docs/decisions/integer-and-mixed-products.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <tuple>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_UNIFYPRODUCTS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// XLA's order of element types: floats by range, then by precision; integers, all below floats, by
/// width, signed above unsigned.
auto rankOf(Type element) {
  int range = -1, precision = -1;
  if (auto type = dyn_cast<FloatType>(element)) {
    range = llvm::APFloat::semanticsMaxExponent(type.getFloatSemantics());
    precision = static_cast<int>(type.getFPMantissaWidth());
  }
  return std::tuple(range, precision, element.getIntOrFloatBitWidth(),
                    !element.isUnsignedInteger());
}
Type higher(Type a, Type b) { return rankOf(a) < rankOf(b) ? b : a; }

/// Whether `type` represents every value of `integer`.
bool holds(FloatType type, IntegerType integer) {
  return integer.getWidth() - !(integer.isUnsigned() || integer.isInteger(1)) <=
         type.getFPMantissaWidth();
}
/// Whether `type` represents every value of `narrow`.
bool holds(FloatType type, FloatType narrow) {
  const llvm::fltSemantics &a = type.getFloatSemantics(), &b = narrow.getFloatSemantics();
  return type.getFPMantissaWidth() >= narrow.getFPMantissaWidth() &&
         llvm::APFloat::semanticsMaxExponent(a) >= llvm::APFloat::semanticsMaxExponent(b) &&
         llvm::APFloat::semanticsMinExponent(a) <= llvm::APFloat::semanticsMinExponent(b);
}

/// The element type for an operand of a product in `common`: the narrowest type that represents the
/// operand's values, since that takes the fewest passes of the matrix unit.
Type operandType(Type element, Type common) {
  // All bytes of 64-bit integers are multiplied.
  if (common.isInteger(64))
    return common;
  auto wanted = dyn_cast<FloatType>(common);
  if (!wanted) // Integers wrap; the machine extends narrower ones.
    return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
  if (auto type = dyn_cast<FloatType>(element))
    return holds(wanted, type) ? element : common;
  auto integer = cast<IntegerType>(element);
  FloatType narrow = BFloat16Type::get(element.getContext());
  return holds(narrow, integer) && holds(wanted, integer) ? Type(narrow) : common;
}

/// The element type in which a product is computed: XLA's, but no float narrower than f32 if the
/// result is an integer. Sums rounded to such a float would lose bits that the integer has, and
/// elements of the other operand theirs.
Type commonType(Type lhs, Type rhs, Type result) {
  Type common = higher(higher(lhs, rhs), result);
  const bool isNarrow = isa<FloatType>(common) && common.getIntOrFloatBitWidth() < 32;
  return isNarrow && isa<IntegerType>(result) ? Float32Type::get(common.getContext()) : common;
}

/// The result element type of a product in `common`: sums are wide and rounded once, so if only a
/// conversion to `result` follows, it is part of the product.
Type sumType(Type common, Type result) {
  if (result.isInteger(1) || common.isInteger(64))
    return common;
  bool isDirect = isa<IntegerType>(common) ? isa<IntegerType>(result)
                                           : common.isF32() && isa<FloatType>(result);
  return isDirect ? result : common;
}

void unify(Operation *op) {
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
  Type lhs = elementOf(op->getOperand(0)), rhs = elementOf(op->getOperand(1)),
       result = elementOf(op->getResult(0));
  auto isNumber = [](Type type) { return isa<FloatType, IntegerType>(type); };
  if (!isNumber(lhs) || !isNumber(rhs) || !isNumber(result) ||
      (lhs.isInteger(1) && rhs.isInteger(1)))
    return;
  Type common = commonType(lhs, rhs, result);
  OpBuilder b(op);
  auto convert = [&](Value value, Type element) -> Value {
    auto type = cast<RankedTensorType>(value.getType()).clone(element);
    return value.getType() == type ? value : ConvertOp::create(b, op->getLoc(), type, value);
  };
  for (OpOperand &operand : op->getOpOperands())
    operand.set(convert(operand.get(), operandType(elementOf(operand.get()), common)));
  Type sums = sumType(common, result);
  if (sums == result)
    return;
  Value value = op->getResult(0);
  value.setType(cast<RankedTensorType>(value.getType()).clone(sums));
  b.setInsertionPointAfter(op);
  Value narrow = convert(value, result);
  value.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

struct UnifyProducts : impl::UnifyProductsBase<UnifyProducts> {
  void rewrite() override {
    getOperation().walk([](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op))
        unify(op);
    });
  }
};

} // namespace
} // namespace systole
