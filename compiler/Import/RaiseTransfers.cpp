// Rewrites transfers with the host as StableHLO, in whose text others read a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/ChannelType.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RAISETRANSFERS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

/// A transfer after the effects of `token`; returns its own token.
Value raise(Operation *op, Value token) {
  OpBuilder b(op);
  auto channel = [&](int64_t number, ChannelType kind) {
    return ChannelHandleAttr::get(op->getContext(), number, kind);
  };
  Value after;
  if (auto send = dyn_cast<kernel::SendOp>(op)) {
    after = SendOp::create(b, op->getLoc(), token.getType(), send.getOperand(), token,
                           channel(send.getChannel(), kDeviceToHost), b.getBoolAttr(true),
                           DenseIntElementsAttr());
  } else {
    auto recv = cast<kernel::RecvOp>(op);
    auto raised = RecvOp::create(b, op->getLoc(), TypeRange{recv.getType(), token.getType()}, token,
                                 channel(recv.getChannel(), kHostToDevice), b.getBoolAttr(true),
                                 DenseIntElementsAttr());
    recv.getResult().replaceAllUsesWith(raised->getResult(0));
    after = raised->getResult(1);
  }
  op->erase();
  return after;
}

/// Whether it is a transfer over a channel.
bool isOverChannel(Operation &op) {
  if (auto send = dyn_cast<kernel::SendOp>(op))
    return !send.getQueued();
  auto recv = dyn_cast<kernel::RecvOp>(op);
  return recv && !recv.getQueued();
}

struct RaiseTransfers : impl::RaiseTransfersBase<RaiseTransfers> {
  void rewrite() override {
    getOperation().walk([&](Block *block) {
      Value token;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (!isOverChannel(op))
          continue;
        if (!token) {
          OpBuilder b(&op);
          token = CreateTokenOp::create(b, op.getLoc(), TokenType::get(&getContext()));
        }
        token = raise(&op, token);
      }
    });
  }
};

} // namespace
} // namespace systole
