// Stores elements that the machine lacks as integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/Planes/Splitter.h"
#include "compiler/Graph/Small/Storage.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_STORESMALLTYPES
#include "compiler/Graph/Passes.h.inc"

namespace {

struct StoreSmallTypes : impl::StoreSmallTypesBase<StoreSmallTypes> {
  void rewrite() override {
    if (!planes::hasWide(getOperation(), [](Type type) { return small::isStored(type); }))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(small::Storage().lower(function)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace systole
