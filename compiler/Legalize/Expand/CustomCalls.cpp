// Expands custom calls of known targets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Tensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDCUSTOMCALLS
#include "compiler/Legalize/Passes.h.inc"

namespace {

using stablehlo::CustomCallOp;
using Expansion = SmallVector<Value> (*)(CustomCallOp);

/// Memory that the program does not read before it writes it.
SmallVector<Value> allocate(CustomCallOp op) {
  auto type = op.getNumResults() == 1 && op.getNumOperands() == 0
                  ? dyn_cast<RankedTensorType>(op.getResultTypes()[0])
                  : RankedTensorType();
  if (!type || !type.hasStaticShape())
    return {};
  expansion::Tensors t(op);
  Type element = type.getElementType();
  return {isa<FloatType, ComplexType>(element) ? t.real(element, 0, type.getShape())
                                               : t.number(element, 0, type.getShape())};
}

/// A value whose layout the program asks for. Layouts inside of a program are the compiler's.
SmallVector<Value> keep(CustomCallOp op) {
  return op.getOperandTypes() == op.getResultTypes() ? SmallVector<Value>(op.getInputs())
                                                     : SmallVector<Value>();
}

/// Something that nothing reads.
SmallVector<Value> drop(CustomCallOp) { return {}; }

Expansion expansionOf(CustomCallOp op) {
  return llvm::StringSwitch<Expansion>(op.getCallTargetName())
      .Case("AllocateBuffer", allocate)
      .Case("ApproxTopK", expansion::expandApproxTopK)
      .Case("Eigh", expansion::expandEigh)
      .Case("Qr", expansion::expandQr)
      .Case("LayoutConstraint", keep)
      .Case("LuDecomposition", expansion::expandLuDecomposition)
      .Case("ProductOfElementaryHouseholderReflectors", expansion::expandReflectors)
      .Cases({"ResizeBilinear", "ResizeBilinearGrad"}, expansion::expandResize)
      .Cases({"ResizeNearest", "ResizeNearestGrad"}, expansion::expandResize)
      .Case("dce_sink", drop)
      .Default(nullptr);
}

struct ExpandCustomCalls : impl::ExpandCustomCallsBase<ExpandCustomCalls> {
  void rewrite() override {
    llvm::SetVector<func::FuncOp> callees;
    WalkResult result = getOperation()->walk([&](CustomCallOp op) {
      bool isCopied = op.getCallTargetName() == "ApproxTopK";
      ArrayAttr names = isCopied ? op.getCalledComputationsAttr() : ArrayAttr();
      for (Attribute name : names ? names.getValue() : ArrayRef<Attribute>())
        if (auto callee = getOperation().lookupSymbol<func::FuncOp>(cast<FlatSymbolRefAttr>(name)))
          callees.insert(callee);
      Expansion expand = expansionOf(op);
      SmallVector<Value> results = expand ? expand(op) : SmallVector<Value>();
      if (!expand || results.size() != op.getNumResults()) {
        emitUnsupported(op);
        return WalkResult::interrupt();
      }
      op.replaceAllUsesWith(results);
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (func::FuncOp callee : callees)
      if (callee.getName() != "main" && SymbolTable::symbolKnownUseEmpty(callee, getOperation()))
        callee.erase();
  }
};

} // namespace
} // namespace systole
