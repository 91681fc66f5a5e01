// Splits f64 into two 32-bit words.
// See docs/decisions/f64.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Splitter.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Legalize/Planes/Entry.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITDOUBLES
#include "compiler/Legalize/Passes.h.inc"

namespace {

struct SplitDoubles : impl::SplitDoublesBase<SplitDoubles> {
  void rewrite() override {
    if (!planes::hasWide(getOperation(), [](Type type) { return float64::isDouble(type); }))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      float64::Splitter splitter;
      if (failed(planes::splitEntry(function, splitter)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace systole
