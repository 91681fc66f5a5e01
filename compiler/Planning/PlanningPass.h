// The base of passes that ask the planner.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PLANNINGPASS_H
#define SYSTOLE_COMPILER_PLANNING_PLANNINGPASS_H

#include "compiler/Planning/Planner.h"

#include <memory>

namespace systole {

/// A planner for a target, by name or file, and for as much VMEM, if that is not 0; an error at
/// `loc` if there is no such target.
mlir::FailureOr<std::shared_ptr<Planner>> loadPlanner(llvm::StringRef target, int64_t vmemBytes,
                                                      mlir::Location loc);

/// `Base` is the generated base of a pass with PlanningOptions. The passes of a pipeline share one
/// planner, which knows all plans made so far; one by itself makes its own from its options.
template <typename Base> class PlanningPass : public Base {
public:
  using Base::Base;
  explicit PlanningPass(std::shared_ptr<Planner> planner) : shared(std::move(planner)) {}
  PlanningPass(const PlanningPass &other) : Base(other), shared(other.shared) {}

  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    if (shared)
      return mlir::success();
    mlir::FailureOr<std::shared_ptr<Planner>> loaded =
        loadPlanner(this->target, this->vmemBytes, mlir::UnknownLoc::get(context));
    if (mlir::succeeded(loaded))
      shared = *loaded;
    return loaded;
  }

protected:
  Planner &planner() const { return *shared; }

private:
  std::shared_ptr<Planner> shared;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PLANNINGPASS_H
