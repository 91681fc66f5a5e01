// Broadcasting CHLO operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

/// Broadcasts `value` to `shape`; its dimensions become `dims`.
static Value bring(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return stablehlo::BroadcastInDimOp::create(b, loc, type.clone(shape), value, dims);
}

Operation *expandBroadcast(OpBuilder &b, Operation *op) {
  constexpr StringRef prefix = "chlo.broadcast_";
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front(prefix))
    return nullptr;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    // broadcast_dimensions refer to the operand of lower rank.
    bool isLow = given && rank < result.getRank();
    SmallVector<int64_t> dims = chlo::broadcastDims(
        isLow ? std::optional(given.asArrayRef()) : std::nullopt, rank, result.getRank());
    operands.push_back(bring(b, op->getLoc(), operand, result.getShape(), dims));
  }
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    stablehlo::ComparisonTypeAttr type;
    // Both dialects use the same numbers for directions and types.
    if (auto given = compare.getCompareType())
      type = stablehlo::ComparisonTypeAttr::get(op->getContext(),
                                                static_cast<stablehlo::ComparisonType>(*given));
    return stablehlo::CompareOp::create(
        b, op->getLoc(), operands[0], operands[1],
        static_cast<stablehlo::ComparisonDirection>(compare.getComparisonDirection()), type);
  }
  bool isChlo =
      isa<chlo::BroadcastNextAfterOp, chlo::BroadcastPolygammaOp, chlo::BroadcastZetaOp>(op);
  StringRef dialect = isChlo ? "chlo." : "stablehlo.";
  OperationState state(op->getLoc(), (dialect + name).str(), operands, {result});
  return b.create(state);
}

} // namespace systole::expansion
