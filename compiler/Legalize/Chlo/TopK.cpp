// Expands top_k to a sort and slices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Tensor/Tensors.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

SmallVector<Value> expandTopK(chlo::TopKOp op) {
  Tensors t(op);
  Value operand = op.getOperand();
  Type element = typeOf(operand).getElementType(), i32 = t.b.getI32Type();
  int64_t last = typeOf(operand).getRank() - 1;
  Value inputs[] = {operand, t.iota(i32, shapeOf(operand), last)};
  ComparisonTypeAttr order;
  if (isa<FloatType>(element))
    order = ComparisonTypeAttr::get(op.getContext(), ComparisonType::TOTALORDER);
  SmallVector<Value> sorted = t.sort(inputs, last, [&](ValueRange x, ValueRange y) -> Value {
    return CompareOp::create(t.b, t.loc, x[0], y[0], ComparisonDirection::GT, order);
  });
  auto first = [&](Value array) {
    return t.slice(array, last, 0, static_cast<int64_t>(op.getK()));
  };
  return llvm::map_to_vector(sorted, first);
}

} // namespace systole::expansion
