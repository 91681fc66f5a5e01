// Turns Mosaic kernels into kernels over stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/Passes.h"
#include "compiler/Mosaic/Skeleton.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_LOWERMOSAIC
#include "compiler/Mosaic/Passes.h.inc"

namespace {

struct LowerMosaic : impl::LowerMosaicBase<LowerMosaic> {
  using LowerMosaicBase::LowerMosaicBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<StringAttr, kernel::MosaicCallOp> calls;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op) && op != module)
        return WalkResult::skip();
      if (auto call = dyn_cast<kernel::MosaicCallOp>(op))
        calls.insert({call.getCalleeAttr().getAttr(), call});
      return WalkResult::advance();
    });
    for (auto [name, call] : calls)
      if (failed(lower(call)))
        return signalPassFailure();
  }

  LogicalResult lower(kernel::MosaicCallOp call) {
    auto body = getOperation().lookupSymbol<ModuleOp>(call.getCalleeAttr().getAttr());
    if (!body)
      return success(); // a kernel already
    if (failed(mosaic::checkCall(call, body)))
      return failure();
    StringAttr name = body.getNameAttr();
    FailureOr<kernel::FuncOp> lowered = mosaic::lowerKernel(call, body, {precision, overlap});
    if (failed(lowered))
      return failure();
    body.erase();
    lowered->setSymNameAttr(name);
    return success();
  }
};

} // namespace
} // namespace systole
