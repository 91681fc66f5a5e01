// Regions of operations that use no value from outside.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/ClosedBodies.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {

LogicalResult closeBody(Region &body) {
  WalkResult result = body.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (body.isAncestor(operand.get().getParentRegion()))
        continue;
      auto constant = operand.get().getDefiningOp<stablehlo::ConstantOp>();
      if (!constant) {
        op->emitError() << "the body of '" << body.getParentOp()->getName() << "' captures a value";
        return WalkResult::interrupt();
      }
      OpBuilder builder = OpBuilder::atBlockBegin(&body.front());
      operand.set(builder.clone(*constant)->getResult(0));
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace systole
