// The machine's model as an analysis of a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_MACHINEANALYSIS_H
#define SYSTOLE_COMPILER_MODEL_MACHINEANALYSIS_H

#include "compiler/Model/MachineModel.h"
#include "compiler/Model/SliceModel.h"

#include "mlir/Pass/AnalysisManager.h"

#include <memory>

namespace systole {

/// The model of the machine that a module is compiled for. A pass on the module gets it by
/// `getAnalysis<MachineAnalysis>().model()`, one on something inside by
/// `getCachedParentAnalysis`. `systole-set-target`, the first pass of a pipeline, says which
/// machine it is; without that pass it is v3.
class MachineAnalysis {
public:
  explicit MachineAnalysis(mlir::Operation *) {}

  const MachineModel &model();
  const SliceModel &slice();
  void setTarget(const Target &target, const CodeBudget &budget = {});

  /// No transformation of a program changes the machine.
  static bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) { return false; }

private:
  void setDefault();

  std::unique_ptr<MachineModel> current;
  std::unique_ptr<SliceModel> currentSlice;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_MACHINEANALYSIS_H
