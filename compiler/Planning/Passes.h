// Passes on the plans of fusions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PASSES_H
#define SYSTOLE_COMPILER_PLANNING_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Planning/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Planning/Passes.h.inc"

class Planner;

std::unique_ptr<mlir::Pass> createAssignAccess(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createMarkSinglePass(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createPlanFusions(std::shared_ptr<Planner> planner);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PASSES_H
