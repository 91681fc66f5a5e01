// The precondition of passes on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/TensorLevel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole {

LogicalResult verifyTensorLevel(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    // Kernels have levels of their own, those that the program brings along from the start.
    if (op->getParentOp() == module && !isa<func::FuncOp>(op))
      return WalkResult::skip();
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (llvm::all_of(op->getOperandTypes(), isTensor) &&
        llvm::all_of(op->getResultTypes(), isTensor))
      return WalkResult::advance();
    return op->emitError("is not an operation on tensors; it belongs to a lower level");
  });
  return failure(result.wasInterrupted());
}

void forEachFunction(ModuleOp module, llvm::function_ref<void(func::FuncOp)> visit) {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    visit(function);
}

void forEachBlock(ModuleOp module, llvm::function_ref<void(Block &)> visit) {
  forEachFunction(
      module, [&](func::FuncOp function) { function.walk([&](Block *block) { visit(*block); }); });
}

} // namespace systole
