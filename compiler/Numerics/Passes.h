// Passes that send values of a program to the host, and that widen its types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_NUMERICS_PASSES_H
#define SYSTOLE_COMPILER_NUMERICS_PASSES_H

#include "compiler/Diagnostics/RewritePass.h"
#include "compiler/Numerics/Taps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace systole {

#define GEN_PASS_DECL
#include "compiler/Numerics/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Numerics/Passes.h.inc"

/// The passes of a compilation.
std::unique_ptr<mlir::Pass> createInsertTaps(const TapOptions &options);
std::unique_ptr<mlir::Pass> createRaisePrecision(const RaiseOptions &options);

} // namespace systole

#endif // SYSTOLE_COMPILER_NUMERICS_PASSES_H
