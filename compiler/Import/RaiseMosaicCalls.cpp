// Rewrites calls of Pallas kernels as StableHLO, in whose text others read a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RAISEMOSAICCALLS
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

ArrayAttr aliasesOf(kernel::MosaicCallOp call) {
  SmallVector<Attribute> aliases;
  for (auto [result, operand] : llvm::enumerate(call.getAliases()))
    if (operand >= 0) {
      SmallVector<int64_t> path;
      if (call->getNumResults() > 1)
        path.push_back(static_cast<int64_t>(result));
      aliases.push_back(OutputOperandAliasAttr::get(call.getContext(), path, operand, {}));
    }
  return ArrayAttr::get(call.getContext(), aliases);
}

void raise(kernel::MosaicCallOp call) {
  OpBuilder b(call);
  OperationState state(call.getLoc(), CustomCallOp::getOperationName());
  state.addOperands(call.getInputs());
  state.addTypes(call.getResultTypes());
  state.addAttribute("call_target_name", b.getStringAttr("tpu_custom_call"));
  state.addAttribute("kernel_name", call.getCalleeAttr().getAttr());
  state.addAttribute("has_side_effect", b.getBoolAttr(call.getSideEffects()));
  if (ArrayAttr aliases = aliasesOf(call); !aliases.empty())
    state.addAttribute("output_operand_aliases", aliases);
  Operation *raised = b.create(state);
  call.replaceAllUsesWith(raised->getResults());
  call.erase();
}

struct RaiseMosaicCalls : impl::RaiseMosaicCallsBase<RaiseMosaicCalls> {
  void rewrite() override {
    SmallVector<kernel::MosaicCallOp> calls;
    getOperation().walk([&](kernel::MosaicCallOp call) { calls.push_back(call); });
    llvm::SmallPtrSet<Operation *, 4> kernels;
    for (kernel::MosaicCallOp call : calls) {
      if (Operation *kernel = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()))
        kernels.insert(kernel);
      raise(call);
    }
    for (Operation *kernel : kernels)
      kernel->erase();
  }
};

} // namespace
} // namespace systole
