// Removes invariant and unused loop-carried values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SIMPLIFYLOOPS
#include "compiler/Graph/Passes.h.inc"

namespace {

using stablehlo::WhileOp;

/// Loop-carried values that can be removed: invariant ones, whose users can read the initial value,
/// and unused ones.
llvm::BitVector removableValues(WhileOp loop) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  llvm::BitVector removable(loop.getNumOperands());
  for (unsigned i = 0; i < removable.size(); ++i) {
    bool invariant = body.getTerminator()->getOperand(i) == body.getArgument(i);
    bool unread = cond.getArgument(i).use_empty() && body.getArgument(i).use_empty() &&
                  loop.getResult(i).use_empty();
    removable[i] = invariant || unread;
  }
  return removable;
}

void simplify(WhileOp loop) {
  llvm::BitVector removable = removableValues(loop);
  if (removable.none())
    return;
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  SmallVector<Value> kept;
  SmallVector<Type> keptTypes;
  for (unsigned i = 0; i < removable.size(); ++i) {
    Value init = loop.getOperand()[i];
    if (!removable[i]) {
      kept.push_back(init);
      keptTypes.push_back(init.getType());
      continue;
    }
    cond.getArgument(i).replaceAllUsesWith(init);
    body.getArgument(i).replaceAllUsesWith(init);
    loop.getResult(i).replaceAllUsesWith(init);
  }
  body.getTerminator()->eraseOperands(removable);
  cond.eraseArguments(removable);
  body.eraseArguments(removable);

  OpBuilder builder(loop);
  auto simplified = WhileOp::create(builder, loop.getLoc(), keptTypes, kept);
  simplified.getCond().takeBody(loop.getCond());
  simplified.getBody().takeBody(loop.getBody());
  unsigned next = 0;
  for (unsigned i = 0; i < removable.size(); ++i)
    if (!removable[i])
      loop.getResult(i).replaceAllUsesWith(simplified.getResult(next++));
  loop.erase();
}

struct SimplifyLoops : impl::SimplifyLoopsBase<SimplifyLoops> {
  void rewrite() override {
    // Inner loops first: that may make values of outer loops
    // invariant.
    getOperation().walk<WalkOrder::PostOrder>([](WhileOp loop) { simplify(loop); });
  }
};

} // namespace
} // namespace systole
