// Computes what is asynchronous where it starts: there is nothing to overlap it with.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Passes.h"
#include "dialects/StableHLO/Imported.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_INLINEASYNC
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

LogicalResult inlineStart(AsyncStartOp start) {
  SmallVector<AsyncDoneOp> ends;
  for (Operation *user : start->getUsers()) {
    auto done = dyn_cast<AsyncDoneOp>(user);
    if (!done)
      return emitUnimplemented(user)
             << "'" << user->getName() << "' of a future is not supported; stablehlo.async_done is";
    ends.push_back(done);
  }
  Block &body = start.getBody().front();
  Operation *last = body.getTerminator();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), start.getInputs()))
    argument.replaceAllUsesWith(input);
  SmallVector<Value> results(last->getOperands());
  last->erase();
  start->getBlock()->getOperations().splice(start->getIterator(), body.getOperations());
  for (AsyncDoneOp done : ends) {
    done.replaceAllUsesWith(results);
    done.erase();
  }
  start.erase();
  return success();
}

struct InlineAsync : impl::InlineAsyncBase<InlineAsync> {
  void rewrite() override {
    SmallVector<AsyncStartOp> starts;
    getOperation().walk([&](AsyncStartOp op) { starts.push_back(op); });
    for (AsyncStartOp start : starts)
      if (failed(inlineStart(start)))
        return signalPassFailure();
    WalkResult ends = getOperation().walk([](AsyncDoneOp op) {
      emitUnimplemented(op) << "a future that does not come from stablehlo.async_start of the same "
                               "function is not supported";
      return WalkResult::interrupt();
    });
    if (ends.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
