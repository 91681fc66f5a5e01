// Replaces calls by the bodies of their callees.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_INLINECALLS
#include "compiler/Import/Passes.h.inc"

namespace {

/// Keeps where the callee's line is and from where it was called, as a stack
/// trace would.
Location calledFrom(Location callee, Location caller) { return CallSiteLoc::get(callee, caller); }

void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  for (Operation &op : callee.getBody().front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk(
        [&](Operation *inner) { inner->setLoc(calledFrom(inner->getLoc(), call.getLoc())); });
  }
  Operation *terminator = callee.getBody().front().getTerminator();
  for (auto [result, value] : llvm::zip_equal(call.getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

/// Each level of calls is one of recursion, here and in the places that they leave behind.
constexpr size_t kMaxCallDepth = 512;

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  /// Functions whose bodies hold no call any more.
  llvm::DenseSet<Operation *> flat;

  /// Inlines everything below `function`, callees first; `stack` holds the
  /// functions on the way here.
  LogicalResult flatten(func::FuncOp function, llvm::SetVector<Operation *> &stack) {
    if (flat.contains(function))
      return success();
    if (stack.size() == kMaxCallDepth)
      return function.emitError() << "calls nest deeper than " << kMaxCallDepth;
    stack.insert(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee)
        return call.emitError() << "calls '" << call.getCallee() << "', which is not a function";
      if (stack.contains(callee))
        return call.emitError() << "recursive call of '" << call.getCallee()
                                << "': recursion is not supported";
      if (failed(flatten(callee, stack)))
        return failure();
      inlineCall(call, callee);
    }
    stack.pop_back();
    flat.insert(function);
    return success();
  }

  void runOnOperation() override {
    flat.clear();
    ModuleOp module = getOperation();
    auto entry = module.lookupSymbol<func::FuncOp>("main");
    if (!entry) {
      module.emitError("expects a function '@main'");
      return signalPassFailure();
    }
    llvm::SetVector<Operation *> stack;
    if (failed(flatten(entry, stack)))
      return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != entry)
        function.erase();
  }
};

} // namespace
} // namespace systole
