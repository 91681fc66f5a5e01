// Passes that make StableHLO of any types and operations what the compiler computes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_PASSES_H
#define SYSTOLE_COMPILER_LEGALIZE_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Legalize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Legalize/Passes.h.inc"

} // namespace systole

#endif // SYSTOLE_COMPILER_LEGALIZE_PASSES_H
