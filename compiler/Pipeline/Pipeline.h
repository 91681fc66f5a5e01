// The compiler's pipeline of MLIR passes, level by level.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PIPELINE_PIPELINE_H
#define SYSTOLE_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/Decisions/Decisions.h"
#include "compiler/Model/CodeBudget.h"
#include "compiler/Numerics/Taps.h"
#include "dialects/Machine/Target/Target.h"

#include "mlir/Pass/PassManager.h"

#include <optional>

namespace systole {

/// The levels between input and machine, in order.
enum class Level { Input, Graph, Layout, Fusion, Kernel, Core };

std::optional<Level> levelFromName(llvm::StringRef name);

/// The number of bf16 passes of a precision: 1 for "default", 3 for "high", 6 for
/// "highest".
std::optional<int> precisionFromName(llvm::StringRef name);

struct PipelineOptions {
  int precision = 1; ///< bf16 passes
  bool excessPrecision = false;
  /// Arrays that stay in VMEM for several kernels, and copies that are in flight while kernels run.
  bool crossKernel = true;
  CodeBudget budget;
  Decisions *decisions = nullptr; ///< filled if not null, which takes time
  std::string argumentShapes;     ///< as JSON, for arguments of dynamic sizes; "" for none
  std::vector<int> places = {};   ///< as in CompileOptions
  bool divideOperations = true;   ///< as in CompileOptions
  std::optional<TapOptions> taps = std::nullopt;    ///< as in CompileOptions
  std::optional<RaiseOptions> raise = std::nullopt; ///< as in CompileOptions
};

/// Adds the passes that take a module from level `from` to level `to`.
void buildPipeline(mlir::OpPassManager &passes, const Target &target,
                   const PipelineOptions &options, Level from, Level to);

/// Adds the passes of the first phases, up to the one that makes a sharded program that of one
/// core.
void buildSpmdPipeline(mlir::OpPassManager &passes, const Target &target,
                       const PipelineOptions &options);

/// Registers `--systole-pipeline="to=core target=v3 precision=default"`, and a pipeline for each of
/// its phases (Phases.h): `--systole-legalize-pipeline="target=v3"`.
void registerPipelines();

} // namespace systole

#endif // SYSTOLE_COMPILER_PIPELINE_PIPELINE_H
