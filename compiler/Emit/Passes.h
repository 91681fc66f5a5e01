// Passes that print the machine levels in systole-opt.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_EMIT_PASSES_H
#define SYSTOLE_COMPILER_EMIT_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Emit/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Emit/Passes.h.inc"

} // namespace systole

#endif // SYSTOLE_COMPILER_EMIT_PASSES_H
