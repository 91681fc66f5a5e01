// Simplification of optimization barriers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Barriers.h"

#include "compiler/Tensor/OpKinds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

static bool isGenerated(Value value) {
  Operation *producer = value.getDefiningOp();
  return producer && (isa<ConstantOp>(producer) || kindOf(producer) == OpKind::Generator);
}

static bool isIntegerOfRankZero(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 0 && type.getElementType().isInteger();
}

LogicalResult simplifyBarrier(OptimizationBarrierOp op, PatternRewriter &rewriter) {
  Operation *parent = op->getParentOp();
  if (!isa<func::FuncOp>(parent) && kindOf(parent) != OpKind::Control) {
    rewriter.replaceOp(op, op.getOperands());
    return success();
  }
  SmallVector<Value> waited;
  bool changes = op.getOperands().empty();
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults())) {
    if (isGenerated(operand)) {
      changes = true;
      continue;
    }
    auto broadcast = operand.getDefiningOp<BroadcastInDimOp>();
    waited.push_back(broadcast ? broadcast.getOperand() : operand);
    changes |= broadcast || (isIntegerOfRankZero(operand) && !result.use_empty());
  }
  if (!changes)
    return failure();

  Location loc = op.getLoc();
  SmallVector<Value> results;
  ValueRange passed;
  if (!waited.empty())
    passed = OptimizationBarrierOp::create(rewriter, loc, waited)->getResults();
  for (Value operand : op.getOperands()) {
    if (isGenerated(operand)) {
      results.push_back(operand);
      continue;
    }
    auto broadcast = operand.getDefiningOp<BroadcastInDimOp>();
    if (broadcast)
      results.push_back(BroadcastInDimOp::create(rewriter, loc, broadcast.getType(), passed.front(),
                                                 broadcast.getBroadcastDimensions()));
    else
      results.push_back(isIntegerOfRankZero(operand) ? operand : passed.front());
    passed = passed.drop_front();
  }
  rewriter.replaceOp(op, results);
  return success();
}

} // namespace systole
