// Replaces broadcasting CHLO operations by others on operands of the result's shape.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDBROADCASTS
#include "compiler/Legalize/Passes.h.inc"

/// Broadcasts `value` to `shape`; its dimensions become `dims`.
static Value bring(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return stablehlo::BroadcastInDimOp::create(b, loc, type.clone(shape), value, dims);
}

/// The operation on operands of the result's shape; null if `op` does not broadcast.
static Operation *expandBroadcast(OpBuilder &b, Operation *op) {
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

namespace {

struct ExpandBroadcasts : impl::ExpandBroadcastsBase<ExpandBroadcasts> {
  void rewrite() override {
    getOperation()->walk([](Operation *op) {
      if (!isa_and_nonnull<chlo::CHLODialect>(op->getDialect()))
        return;
      OpBuilder builder(op);
      if (Operation *equal = expandBroadcast(builder, op)) {
        op->replaceAllUsesWith(equal);
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace systole
