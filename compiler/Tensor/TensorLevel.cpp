// The precondition of passes on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/TensorLevel.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole {

LogicalResult verifyTensorLevel(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (llvm::all_of(op->getOperandTypes(), isTensor) &&
        llvm::all_of(op->getResultTypes(), isTensor))
      return WalkResult::advance();
    return op->emitError("is not an operation on tensors; it belongs to a lower level");
  });
  return failure(result.wasInterrupted());
}

} // namespace systole
