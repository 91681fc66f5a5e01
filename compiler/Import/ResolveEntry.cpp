// Finds the entry function.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RESOLVEENTRY
#include "compiler/Import/Passes.h.inc"

namespace {

LogicalResult checkBody(func::FuncOp function) {
  if (function.isExternal())
    return function.emitError() << "function '" << function.getName() << "' has no body";
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "function '" << function.getName()
                                << "' has more than one block";
  return success();
}

/// Makes numbers of type `index`, as arguments that are shapes have it, integers of 64 bits.
void replaceIndices(func::FuncOp function) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](IndexType index) -> Type { return IntegerType::get(index.getContext(), 64); });
  auto replace = [&](Value value) { value.setType(replacer.replace(value.getType())); };
  function.setType(replacer.replace(function.getFunctionType()));
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), replace);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), replace);
  });
}

struct ResolveEntry : impl::ResolveEntryBase<ResolveEntry> {
  void rewrite() override {
    ModuleOp module = getOperation();
    // Some producers end functions with a region terminator.
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        if (auto end = dyn_cast_or_null<stablehlo::ReturnOp>(block.getTerminator())) {
          OpBuilder b(end);
          func::ReturnOp::create(b, end.getLoc(), end.getOperands());
          end.erase();
        }
    for (auto function : module.getOps<func::FuncOp>())
      replaceIndices(function);
    auto entry = module.lookupSymbol<func::FuncOp>("main");
    if (!entry) {
      SmallVector<func::FuncOp> candidates;
      for (auto function : module.getOps<func::FuncOp>())
        if (function.isPublic())
          candidates.push_back(function);
      if (candidates.size() != 1) {
        module.emitError() << "expects a function '@main' or exactly one public function; found "
                           << candidates.size() << " public functions";
        return signalPassFailure();
      }
      entry = candidates.front();
      if (failed(SymbolTable::replaceAllSymbolUses(
              entry.getOperation(), StringAttr::get(&getContext(), "main"), module))) {
        entry.emitError("cannot be renamed to 'main'");
        return signalPassFailure();
      }
      entry.setName("main");
    }
    entry.setPublic();
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(checkBody(function)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace systole
