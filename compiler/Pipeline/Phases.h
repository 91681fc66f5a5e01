// The phases of the compiler, each a pipeline of passes with a name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_PHASES_H
#define SYSTOLE_COMPILER_PIPELINE_PHASES_H

#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Planning/Planner.h"

#include <memory>

namespace systole {

/// Target, options and planner, which the passes of all phases share.
struct PhaseContext {
  const Target &target;
  const PipelineOptions &options;
  std::shared_ptr<Planner> planner;
};

struct Phase {
  llvm::StringLiteral name, description;
  Level to; ///< which its last phase reaches
  void (*addPasses)(mlir::OpPassManager &passes, const PhaseContext &context);
};

inline constexpr llvm::StringLiteral kSpmdPhase = "spmd";

/// All phases, in order.
llvm::ArrayRef<Phase> phases();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_PHASES_H
