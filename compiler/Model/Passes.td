//===- Passes.td - Passes of the machine's model -------------*- tablegen -*-===//
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_MODEL_PASSES_TD
#define SYSTOLE_COMPILER_MODEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"systole-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which machine later passes compile for";
  let description = [{
    Sets the model of the machine that passes get as the analysis `MachineAnalysis`. It changes
    nothing in the module.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"v3\"",
           "name or file of the target description">];
}

#endif // SYSTOLE_COMPILER_MODEL_PASSES_TD
