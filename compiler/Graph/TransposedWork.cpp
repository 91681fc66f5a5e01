// Transpositions of elementwise work.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/TransposedWork.h"

#include "compiler/Tensor/OpKinds.h"

using namespace mlir;

namespace systole {

/// Whether `value` is there in the order `permutation` anyway, beside what `except` makes of it: it
/// is transposed, or elementwise work of such values that nothing else reads, or a splat.
static bool isTransposed(Value value, ArrayRef<int64_t> permutation, Operation *except,
                         int depth = 0) {
  constexpr int mostDepth = 8;
  Operation *producer = value.getDefiningOp();
  if (isSplatConstant(producer))
    return true;
  if (llvm::any_of(value.getUsers(), [&](Operation *user) {
        auto transpose = dyn_cast<stablehlo::TransposeOp>(user);
        return transpose && transpose != except && transpose.getPermutation() == permutation;
      }))
    return true;
  return depth < mostDepth && producer && kindOf(producer) == OpKind::Elementwise &&
         value.hasOneUse() &&
         llvm::all_of(
             producer->getOperands(),
             [&](Value operand) { return isTransposed(operand, permutation, except, depth + 1); });
}

LogicalResult transposeOfElementwise(stablehlo::TransposeOp op, PatternRewriter &rewriter) {
  Operation *producer = op.getOperand().getDefiningOp();
  if (!producer || kindOf(producer) != OpKind::Elementwise || !op.getOperand().hasOneUse() ||
      llvm::all_of(producer->getOperands(),
                   [](Value operand) { return isSplatConstant(operand.getDefiningOp()); }) ||
      !llvm::all_of(producer->getOperands(), [&](Value operand) {
        return cast<RankedTensorType>(operand.getType()).getShape() ==
                   cast<RankedTensorType>(op.getOperand().getType()).getShape() &&
               isTransposed(operand, op.getPermutation(), op);
      }))
    return failure();
  SmallVector<Value> operands;
  for (Value operand : producer->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType()).clone(op.getType().getShape());
    operands.push_back(
        stablehlo::TransposeOp::create(rewriter, op.getLoc(), type, operand, op.getPermutation()));
  }
  Operation *work = rewriter.clone(*producer);
  work->setOperands(operands);
  work->getResult(0).setType(op.getType());
  rewriter.replaceOp(op, work->getResults());
  return success();
}

} // namespace systole
