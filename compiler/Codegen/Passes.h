// The pass that generates machine instructions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_PASSES_H
#define SYSTOLE_COMPILER_CODEGEN_PASSES_H

#include "compiler/Codegen/Machine.h"
#include "dialects/Core/Core.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Codegen/Passes.h.inc"

class Target;

namespace codegen {
Machine machineOf(const Target &target, const CodeBudget &budget = {});
} // namespace codegen

/// The pass for a machine whose description is loaded already.
std::unique_ptr<mlir::Pass> createCodegen(const codegen::Machine &machine, bool excessPrecision);

} // namespace systole

#endif // SYSTOLE_COMPILER_CODEGEN_PASSES_H
