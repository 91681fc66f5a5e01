// Passes that lower an imported module to a single function of supported types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_PASSES_H
#define SYSTOLE_COMPILER_IMPORT_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/VHLO/VHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

/// Whether tensors may have this element type: i1, integers of 2 to 64 bits of either signedness,
/// f32, bf16, f16, floats of at most 8 bits and complex numbers of f32 or f64.
bool isSupportedElementType(mlir::Type type);

/// The attribute of a ui64 argument that contains the bits of an f64.
inline constexpr llvm::StringLiteral kDoubleAttr = "systole.double";

#define GEN_PASS_DECL
#include "compiler/Import/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Import/Passes.h.inc"

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_PASSES_H
