//===- RewritePass.td - Passes that often change nothing -----*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_TD
#define SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_TD

include "mlir/Pass/PassBase.td"

/// A pass over a module that implements rewrite() in place of runOnOperation().
class RewritePass<string argument> : PassBase<argument, "::systole::RewritePass">;

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_TD
