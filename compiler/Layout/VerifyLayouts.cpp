// Checks what the layout level promises.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Order.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Tensor/TensorLevel.h"
#include "dialects/Layout/EntryLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_VERIFYLAYOUTS
#include "compiler/Layout/Passes.h.inc"

namespace {

struct VerifyLayouts : impl::VerifyLayoutsBase<VerifyLayouts> {
  LogicalResult checkEntry(func::FuncOp function, DictionaryAttr attributes, Type type,
                           const Twine &what) {
    auto layout =
        attributes ? attributes.getAs<kernel::LayoutAttr>(kernel::kEntryLayoutAttr) : nullptr;
    if (!layout)
      return function.emitError() << what << " has no kernel.entry_layout";
    RankedTensorType logical = layout.toLogical(cast<RankedTensorType>(type));
    FailureOr<Order> expected =
        entryOrderOf(attributes, logical, [&] { return function.emitError(); });
    if (failed(expected))
      return failure();
    int64_t tile = entryTileOf(logical, *expected);
    if (*expected != Order(layout.getOrder()) || tile != layout.getRowTile())
      return function.emitError() << what << " has layout " << layout << ", but a tensor of shape "
                                  << logical << " lies as "
                                  << kernel::LayoutAttr::inOrder(logical.getElementType(),
                                                                 *expected, tile);
    return success();
  }

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!function) {
      getOperation().emitError("expects a function '@main'");
      return signalPassFailure();
    }
    WalkResult walked = function.walk([](Operation *op) {
      if (!op->hasAttr(kernel::kLayoutsAttr))
        return WalkResult::advance();
      op->emitError() << "operation '" << op->getName() << "' still has layouts of its own";
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(checkEntry(function, function.getArgAttrDict(i), type, "argument " + Twine(i))))
        return signalPassFailure();
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (failed(checkEntry(function, function.getResultAttrDict(i), type, "result " + Twine(i))))
        return signalPassFailure();
  }
};

} // namespace
} // namespace systole
