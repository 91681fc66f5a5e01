//===- PlanningOptions.td - Options of passes that plan ------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_PLANNING_PLANNINGOPTIONS_TD
#define SYSTOLE_COMPILER_PLANNING_PLANNINGOPTIONS_TD

include "mlir/Pass/PassBase.td"

// Options of a pass that runs by itself, from which `PlanningPass` (PlanningPass.h) makes a planner.
class PlanningOptionsOf {
  list<Option> options = [
    Option<"target", "target", "std::string", "\"v3\"", "name or file of the target description">,
    Option<"vmemBytes", "vmem-bytes", "int64_t", "0",
           "VMEM that the blocks and stages of one kernel may take; 0 for the target's">];
}
def PlanningOptions : PlanningOptionsOf;

#endif // SYSTOLE_COMPILER_PLANNING_PLANNINGOPTIONS_TD
