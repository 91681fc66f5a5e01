// Stores elements that the machine lacks as integers.
// See docs/decisions/integers-and-small-types.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Legalize/Planes/Splitter.h"
#include "compiler/Legalize/Small/Storage.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_STORESMALLTYPES
#include "compiler/Legalize/Passes.h.inc"

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
