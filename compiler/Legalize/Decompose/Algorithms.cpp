// Decomposes the algorithms of products into roundings of operands and results, and a product.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

/// Whether an operand has to be rounded before a product: the machine multiplies parts of bf16, of
/// which f32 and TF32 are made, and adds in f32.
static bool isRounded(Value operand, Type precision) {
  Type element = typeOf(operand).getElementType();
  if (element == precision || isa<FloatTF32Type>(precision))
    return false;
  return !(element.isF32() && precision.isBF16());
}

static bool isNarrowSum(Type accumulation) {
  return isa<FloatType>(accumulation) && accumulation.getIntOrFloatBitWidth() < 32;
}

Value decomposeAlgorithm(DotGeneralOp op) {
  DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  Type element = op.getType().getElementType();
  if (!algorithm || !isa<FloatType>(element))
    return {};
  Type sum = algorithm.getAccumulationType(), lhs = algorithm.getLhsPrecisionType(),
       rhs = algorithm.getRhsPrecisionType();
  bool isRoundedSum = isNarrowSum(sum) && element != sum;
  if (!isRounded(op.getLhs(), lhs) && !isRounded(op.getRhs(), rhs) && !isRoundedSum)
    return {};
  Tensors t(op);
  auto round = [&](Value operand, Type precision) {
    return isRounded(operand, precision) ? t.convert(operand, precision) : operand;
  };
  Type made = isRoundedSum ? sum : element;
  Value product = DotGeneralOp::create(
      t.b, t.loc, op.getType().clone(made), round(op.getLhs(), lhs), round(op.getRhs(), rhs),
      op.getDotDimensionNumbers(), op.getPrecisionConfigAttr(), algorithm);
  return t.convert(product, element);
}

} // namespace systole::decomposition
