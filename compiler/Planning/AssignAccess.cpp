// Decides which operations at computed positions copy windows of arrays that stay in HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ASSIGNACCESS
#include "compiler/Planning/Passes.h.inc"

namespace {

struct AssignAccess : impl::AssignAccessBase<AssignAccess> {
  using AssignAccessBase::AssignAccessBase;

  void rewrite() override {
    getOperation()->walk([](Operation *op) { assignAccess(op); });
  }
};

} // namespace
} // namespace systole
