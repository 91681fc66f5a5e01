// Small pieces of stages: maps over single elements, constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageElements.h"

using namespace mlir;

namespace systole {

void emitElements(OpBuilder &b, Location loc, ValueRange inputs, Value output,
                  llvm::function_ref<Value(ValueRange)> compute) {
  int64_t rank = cast<kernel::BufferType>(output.getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank));
  auto map = kernel::MapOp::create(b, loc, inputs, output, b.getAffineMapArrayAttr(maps));
  OpBuilder::InsertionGuard guard(b);
  Block &body = map.getBody().emplaceBlock();
  for (Value input : inputs) {
    Type element = cast<kernel::BufferType>(input.getType()).getElementType();
    body.addArgument(RankedTensorType::get({}, element), loc);
  }
  b.setInsertionPointToEnd(&body);
  kernel::YieldOp::create(b, loc, compute(body.getArguments()));
}

Value constantElement(OpBuilder &b, Location loc, TypedAttr value) {
  return stablehlo::ConstantOp::create(b, loc, cast<DenseElementsAttr>(value));
}

Value zeroElement(OpBuilder &b, Location loc, Type element) {
  auto type = RankedTensorType::get({}, element);
  return constantElement(b, loc, DenseElementsAttr::get(type, b.getZeroAttr(element)));
}

Value compareElements(OpBuilder &b, Location loc, Value x, Value y,
                      stablehlo::ComparisonDirection direction) {
  auto attr = stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction);
  return stablehlo::CompareOp::create(b, loc, RankedTensorType::get({}, b.getI1Type()), x, y, attr,
                                      stablehlo::ComparisonTypeAttr());
}

} // namespace systole
