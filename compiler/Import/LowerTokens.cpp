// Replaces the order given by tokens with program order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "compiler/Import/TokenShardings.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Sdy/Sdy.h"
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

LogicalResult checkTransfer(Operation *op, bool isHostTransfer = true) {
  if (!isHostTransfer)
    return emitUnimplemented(op) << "transfers between devices are not supported yet";
  // Other regions are reducers.
  Operation *parent = op->getParentOp();
  if (!isa<func::FuncOp, WhileOp, IfOp, CaseOp>(parent) &&
      parent->getName().getStringRef() != "sdy.manual_computation")
    return emitUnimplemented(op) << "transfers inside of '" << parent->getName()
                                 << "' are not supported";
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape())
      return emitUnimplemented(op)
             << "arrays whose sizes depend on data cannot come from the host: " << type;
  return success();
}

/// The carrier of a transfer: a channel of the host, or a queue of the device.
struct Link {
  int64_t channel;
  bool isQueue;
};

/// Keeps the sharding of a transfer, whose results are others from here on.
void copySharding(Operation *from, Operation *to) {
  if (Attribute sharding = from->getDiscardableAttr("sdy.sharding"))
    to->setDiscardableAttr(sdy::kTransferShardingAttr, sharding);
}

/// Sends all operands but the last, a token. The accessors of `op` by name expect tokens, whose
/// types are lowered already.
void sendOver(Link link, Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> arrays(op->getOperands().drop_back());
  // The host receives transfers without arrays over a channel, too.
  if (arrays.empty() && !link.isQueue)
    arrays.push_back(placeholder(builder, op->getLoc()));
  for (auto [number, array] : llvm::enumerate(arrays))
    copySharding(op,
                 kernel::SendOp::create(builder, op->getLoc(), array, link.channel, number,
                                        kernel::WordsAttr(), kernel::LayoutAttr(), link.isQueue));
  op->getResult(0).replaceAllUsesWith(op->getOperands().back());
  op->erase();
}

/// Receives all results but the last, a token.
void receiveOver(Link link, Operation *op) {
  OpBuilder builder(op);
  auto receive = [&](Type type, int64_t array) -> Value {
    auto recv = kernel::RecvOp::create(builder, op->getLoc(), type, link.channel, array,
                                       kernel::WordsAttr(), kernel::LayoutAttr(), link.isQueue);
    copySharding(op, recv);
    return recv;
  };
  auto arrays = op->getResults().drop_back();
  if (arrays.empty() && !link.isQueue)
    receive(placeholderType(op->getContext()), 0);
  for (auto [number, array] : llvm::enumerate(arrays))
    array.replaceAllUsesWith(receive(array.getType(), number));
  op->getResults().back().replaceAllUsesWith(op->getOperand(0));
  op->erase();
}

/// Numbers the types of what goes through a queue.
class Queues {
public:
  Link of(TypeRange types, bool isSent) {
    DenseMap<Type, int64_t> &numbers = isSent ? sent : received;
    auto list = TupleType::get(context, llvm::to_vector(types));
    return {numbers.try_emplace(list, numbers.size()).first->second, /*isQueue=*/true};
  }

  explicit Queues(MLIRContext *context) : context(context) {}

private:
  MLIRContext *context;
  DenseMap<Type, int64_t> sent, received;
};

LogicalResult lowerTransfer(Operation *op, Queues &queues) {
  if (auto send = dyn_cast<SendOp>(op)) {
    if (failed(checkTransfer(op, send.getIsHostTransfer())))
      return failure();
    sendOver({send.getChannelHandle().getHandle(), /*isQueue=*/false}, op);
  } else if (auto recv = dyn_cast<RecvOp>(op)) {
    if (failed(checkTransfer(op, recv.getIsHostTransfer())))
      return failure();
    receiveOver({recv.getChannelHandle().getHandle(), /*isQueue=*/false}, op);
  } else if (isa<OutfeedOp>(op)) {
    if (failed(checkTransfer(op)))
      return failure();
    sendOver(queues.of(op->getOperands().drop_back().getTypes(), /*isSent=*/true), op);
  } else {
    if (failed(checkTransfer(op)))
      return failure();
    receiveOver(queues.of(op->getResults().drop_back().getTypes(), /*isSent=*/false), op);
  }
  return success();
}

struct LowerTokens : impl::LowerTokensBase<LowerTokens> {
  void rewrite() override {
    Queues queues(&getContext());
    bool failed = false;
    getOperation().walk([](Operation *op) { addDimensionsToTokens(op); });
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(lowered(argument.getType()));
      if (isa<SendOp, RecvOp, OutfeedOp, InfeedOp>(op)) {
        failed |= mlir::failed(lowerTransfer(op, queues));
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
