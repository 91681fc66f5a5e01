// Expands top_k to a sort and slices.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Chlo/Expansions.h"
#include "compiler/Graph/Expand/Tensors.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

SmallVector<Value> expandTopK(chlo::TopKOp op) {
  Tensors t(op);
  Value operand = op.getOperand();
  Type element = typeOf(operand).getElementType(), i32 = t.b.getI32Type();
  int64_t last = typeOf(operand).getRank() - 1;
  Value inputs[] = {operand, t.iota(i32, shapeOf(operand), last)};
  auto sort = SortOp::create(t.b, t.loc, TypeRange(ValueRange(inputs)), inputs, last,
                             /*is_stable=*/true);
  Type scalar = RankedTensorType::get({}, element), index = RankedTensorType::get({}, i32);
  Block &body = sort.getComparator().emplaceBlock();
  body.addArguments({scalar, scalar, index, index}, SmallVector<Location>(4, t.loc));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  ComparisonTypeAttr order;
  if (isa<FloatType>(element))
    order = ComparisonTypeAttr::get(op.getContext(), ComparisonType::TOTALORDER);
  Value isLarger = CompareOp::create(inner, t.loc, body.getArgument(0), body.getArgument(1),
                                     ComparisonDirection::GT, order);
  ReturnOp::create(inner, t.loc, isLarger);
  auto first = [&](Value sorted) {
    return t.slice(sorted, last, 0, static_cast<int64_t>(op.getK()));
  };
  return llvm::map_to_vector(sort.getResults(), first);
}

} // namespace systole::expansion
