// Replaces the order that tokens state by the order of operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_LOWERTOKENS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

/// What stands for a token in signatures and in what regions pass on: an array without elements,
/// as JAX passes for it.
RankedTensorType placeholderType(MLIRContext *context) {
  return RankedTensorType::get({0}, IntegerType::get(context, 1));
}

Type lowered(Type type) { return isa<TokenType>(type) ? placeholderType(type.getContext()) : type; }

SmallVector<Type> lowered(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return lowered(type); });
}

/// An operation that only makes tokens becomes a constant.
void replaceToken(Operation *op) {
  OpBuilder builder(op);
  RankedTensorType type = placeholderType(op->getContext());
  op->getResult(0).replaceAllUsesWith(
      ConstantOp::create(builder, op->getLoc(), DenseElementsAttr::get(type, ArrayRef<bool>())));
  op->erase();
}

LogicalResult checkTransfer(Operation *op, bool isHostTransfer, size_t arrays) {
  if (!isHostTransfer)
    return emitLack(op) << "transfers between devices are not supported yet";
  if (arrays != 1)
    return emitLack(op) << "a transfer of " << arrays
                        << " arrays over one channel is not supported; one is";
  return success();
}

LogicalResult lowerSend(SendOp op) {
  if (failed(checkTransfer(op, op.getIsHostTransfer(), op.getInputs().size())))
    return failure();
  OpBuilder builder(op);
  kernel::SendOp::create(builder, op.getLoc(), op.getInputs().front(),
                         op.getChannelHandle().getHandle(), kernel::LayoutAttr());
  op.getResult().replaceAllUsesWith(op.getToken());
  op.erase();
  return success();
}

LogicalResult lowerRecv(RecvOp op) {
  if (failed(checkTransfer(op, op.getIsHostTransfer(), op->getNumResults() - 1)))
    return failure();
  OpBuilder builder(op);
  auto recv = kernel::RecvOp::create(builder, op.getLoc(), op->getResult(0).getType(),
                                     op.getChannelHandle().getHandle(), kernel::LayoutAttr());
  op->getResult(0).replaceAllUsesWith(recv.getResult());
  op->getResult(1).replaceAllUsesWith(op.getToken());
  op.erase();
  return success();
}

struct LowerTokens : impl::LowerTokensBase<LowerTokens> {
  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(lowered(argument.getType()));
      if (auto send = dyn_cast<SendOp>(op)) {
        failed |= mlir::failed(lowerSend(send));
      } else if (auto recv = dyn_cast<RecvOp>(op)) {
        failed |= mlir::failed(lowerRecv(recv));
      } else if (isa<CreateTokenOp, AfterAllOp>(op)) {
        replaceToken(op);
      } else {
        for (Value result : op->getResults())
          result.setType(lowered(result.getType()));
        if (auto function = dyn_cast<func::FuncOp>(op))
          function.setType(FunctionType::get(&getContext(), lowered(function.getArgumentTypes()),
                                             lowered(function.getResultTypes())));
      }
      return failed ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
