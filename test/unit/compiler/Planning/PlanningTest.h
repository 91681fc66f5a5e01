// A module of fusions, for tests of planning.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_PLANNING_PLANNINGTEST_H
#define SYSTOLE_TEST_UNIT_COMPILER_PLANNING_PLANNINGTEST_H

#include "compiler/Planning/PlanAttribute.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace systole {

struct PlanningTest : testing::Test {
  PlanningTest() {
    context
        .loadDialect<kernel::KernelDialect, stablehlo::StableHLODialect, mlir::func::FuncDialect>();
  }

  /// The fusions of a module, in order.
  std::vector<kernel::FusionOp> parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    std::vector<kernel::FusionOp> fusions;
    if (module)
      module->walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
    return fusions;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_COMPILER_PLANNING_PLANNINGTEST_H
