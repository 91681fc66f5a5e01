// Replaces calls by the bodies of their callees.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_INLINECALLS
#include "compiler/Import/Passes.h.inc"

namespace {

/// Whether the program asks the host to compute what `call` calls.
bool isForHost(Operation *call) {
  auto attributes = call->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  auto type = attributes ? attributes.getAs<StringAttr>("_xla_compute_type") : nullptr;
  return type && type == "host";
}

void inlineCall(Operation *call, func::FuncOp callee) {
  OpBuilder builder(call);
  const bool isOnHost = isForHost(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call->getOperands());
  for (Operation &op : callee.getBody().front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](Operation *inner) {
      inner->setLoc(inlinedLocation(inner->getLoc(), call->getLoc()));
      if (isOnHost)
        inner->setAttr(kernel::kHostComputeAttr, builder.getUnitAttr());
    });
  }
  Operation *terminator = callee.getBody().front().getTerminator();
  for (auto [result, value] : llvm::zip_equal(call->getResults(), terminator->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call->erase();
}

/// Each level of calls recurses, here and in the call-site locations that inlining creates.
constexpr size_t kMaxCallDepth = 512;

/// Functions that call others more than once may grow exponentially.
constexpr size_t kMaxOperations = 1 << 20;

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  /// The number of operations of each function without remaining calls.
  llvm::DenseMap<Operation *, size_t> flat;

  /// Inlines all calls below `function`, callees first; `stack` contains the current chain of
  /// callers.
  LogicalResult flatten(func::FuncOp function, llvm::SetVector<Operation *> &stack) {
    if (flat.contains(function))
      return success();
    if (stack.size() == kMaxCallDepth)
      return function.emitError() << "calls nest deeper than " << kMaxCallDepth;
    stack.insert(function);
    SmallVector<std::pair<Operation *, StringRef>> calls;
    size_t size = 0;
    function.walk([&](Operation *op) {
      ++size;
      if (auto call = dyn_cast<func::CallOp>(op))
        calls.push_back({op, call.getCallee()});
      else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
        calls.push_back({op, composite.getDecomposition()});
    });
    for (auto [call, name] : calls) {
      auto callee = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!callee)
        return call->emitError() << "calls '" << name << "', which is not a function";
      if (stack.contains(callee))
        return emitUnimplemented(call)
               << "recursive call of '" << name << "': recursion is not supported";
      if (failed(flatten(callee, stack)))
        return failure();
      size += flat.lookup(callee);
      if (size > kMaxOperations)
        return call->emitError() << "calls expand to more than " << kMaxOperations << " operations";
      inlineCall(call, callee);
    }
    stack.pop_back();
    flat[function] = size;
    return success();
  }

  /// The functions that custom calls of `entry` call, in a way that only these know.
  SmallVector<func::FuncOp> namedByCustomCalls(func::FuncOp entry) {
    SmallVector<func::FuncOp> callees;
    entry.walk([&](stablehlo::CustomCallOp call) {
      ArrayAttr names = call.getCalledComputationsAttr();
      for (Attribute name : names ? names.getValue() : ArrayRef<Attribute>())
        if (auto callee = getOperation().lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(name)))
          callees.push_back(callee);
    });
    return callees;
  }

  void rewrite() override {
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
    llvm::DenseSet<Operation *> kept = {entry};
    for (func::FuncOp callee : namedByCustomCalls(entry)) {
      if (failed(flatten(callee, stack)))
        return signalPassFailure();
      kept.insert(callee);
    }
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!kept.contains(function))
        function.erase();
  }
};

} // namespace
} // namespace systole
