// Passes that group tensor operations into kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_FUSION_PASSES_H
#define SYSTOLE_COMPILER_FUSION_PASSES_H

#include "compiler/Decisions/Decisions.h"
#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Fusion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Fusion/Passes.h.inc"

class Planner;

// Passes of a pipeline, which share a planner.
std::unique_ptr<mlir::Pass> createSplitConvolutions(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createLookUpGathers(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createLookUpTransposes(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createFlattenReshapes(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createFuse(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createRecompute(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createMergeFusions(std::shared_ptr<Planner> planner);
std::unique_ptr<mlir::Pass> createRematerialize(std::shared_ptr<Planner> planner, int64_t hbmRows);

/// Fills `decisions`, in the order of the fusions, each of which then has its number there.
std::unique_ptr<mlir::Pass> createExplainFusions(std::shared_ptr<Planner> planner,
                                                 Decisions &decisions);

} // namespace systole

#endif // SYSTOLE_COMPILER_FUSION_PASSES_H
