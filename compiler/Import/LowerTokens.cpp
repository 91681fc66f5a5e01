// Replaces the order given by tokens with program order.
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

/// The type that replaces tokens in signatures and region arguments: a tensor without elements, as
/// JAX passes for a token.
RankedTensorType placeholderType(MLIRContext *context) {
  return RankedTensorType::get({0}, IntegerType::get(context, 1));
}

Type lowered(Type type) { return isa<TokenType>(type) ? placeholderType(type.getContext()) : type; }

SmallVector<Type> lowered(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return lowered(type); });
}

Value placeholder(OpBuilder &builder, Location loc) {
  RankedTensorType type = placeholderType(builder.getContext());
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>()));
}

/// Replaces an operation whose only results are tokens by a constant.
void replaceToken(Operation *op) {
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(placeholder(builder, op->getLoc()));
  op->erase();
}

LogicalResult checkTransfer(Operation *op, bool isHostTransfer) {
  if (!isHostTransfer)
    return emitUnimplemented(op) << "transfers between devices are not supported yet";
  // Other regions are reducers.
  if (Operation *parent = op->getParentOp(); !isa<func::FuncOp, WhileOp, IfOp, CaseOp>(parent))
    return emitUnimplemented(op) << "transfers inside of '" << parent->getName()
                                 << "' are not supported";
  return success();
}

LogicalResult lowerSend(SendOp op) {
  if (failed(checkTransfer(op, op.getIsHostTransfer())))
    return failure();
  OpBuilder builder(op);
  SmallVector<Value> arrays(op.getInputs());
  // The host receives transfers without arrays, too.
  if (arrays.empty())
    arrays.push_back(placeholder(builder, op.getLoc()));
  for (auto [number, array] : llvm::enumerate(arrays))
    kernel::SendOp::create(builder, op.getLoc(), array, op.getChannelHandle().getHandle(), number,
                           kernel::WordsAttr(), kernel::LayoutAttr());
  // The accessors by name expect tokens, whose types are lowered already.
  op->getResult(0).replaceAllUsesWith(op->getOperands().back());
  op.erase();
  return success();
}

LogicalResult lowerRecv(RecvOp op) {
  if (failed(checkTransfer(op, op.getIsHostTransfer())))
    return failure();
  OpBuilder builder(op);
  auto receive = [&](Type type, int64_t array) -> Value {
    return kernel::RecvOp::create(builder, op.getLoc(), type, op.getChannelHandle().getHandle(),
                                  array, kernel::WordsAttr(), kernel::LayoutAttr());
  };
  unsigned arrays = op->getNumResults() - 1;
  if (arrays == 0)
    receive(placeholderType(op.getContext()), 0);
  for (unsigned i = 0; i < arrays; ++i)
    op->getResult(i).replaceAllUsesWith(receive(op->getResult(i).getType(), i));
  op->getResult(arrays).replaceAllUsesWith(op->getOperand(0));
  op.erase();
  return success();
}

struct LowerTokens : impl::LowerTokensBase<LowerTokens> {
  void rewrite() override {
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
