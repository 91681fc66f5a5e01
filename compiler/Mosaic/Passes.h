// Passes from Mosaic kernels to kernels over stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MOSAIC_PASSES_H
#define SYSTOLE_COMPILER_MOSAIC_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Mosaic/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Mosaic/Passes.h.inc"

} // namespace systole

#endif // SYSTOLE_COMPILER_MOSAIC_PASSES_H
