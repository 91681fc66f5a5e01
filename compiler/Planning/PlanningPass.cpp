// Planners of passes that run by themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/PlanningPass.h"

#include "dialects/Machine/Target/Target.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace systole {

FailureOr<std::shared_ptr<Planner>> loadPlanner(StringRef target, int64_t vmemBytes, Location loc) {
  absl::StatusOr<Target> loaded = Target::load(target.str());
  if (!loaded.ok())
    return emitError(loc) << "target '" << target
                          << "': " << std::string(loaded.status().message());
  PlanningContext machine(*loaded);
  if (vmemBytes)
    machine.vmemBytes = vmemBytes;
  return std::make_shared<Planner>(machine);
}

} // namespace systole
