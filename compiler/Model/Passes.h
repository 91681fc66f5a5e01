// Passes of the machine's model.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_PASSES_H
#define SYSTOLE_COMPILER_MODEL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Model/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Model/Passes.h.inc"

class Target;

/// The pass for a machine whose description is loaded already.
std::unique_ptr<mlir::Pass> createSetTarget(const Target &target, const CodeBudget &budget = {});

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_PASSES_H
