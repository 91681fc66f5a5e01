// The pass that plans what lives across kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_PASSES_H
#define SYSTOLE_COMPILER_RESIDENCY_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Residency/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Residency/Passes.h.inc"

class Planner;

/// The part of the plan that a run of the pass decides.
enum class ResidencyStep {
  Arrays,      ///< arrays on their way from the host, and those that VMEM keeps
  FirstBlocks, ///< what kernels load for those behind them, by the plans as they are
};

/// The pass of a pipeline, which shares a planner with others.
std::unique_ptr<mlir::Pass> createPlanResidency(std::shared_ptr<Planner> planner,
                                                ResidencyStep step, int64_t hbmRows);

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_PASSES_H
