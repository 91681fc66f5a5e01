// The base class of passes that leave most programs as they are.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace systole {

/// A pass over a module that tells the pass manager when it has changed nothing: a module that has
/// been verified is not verified again. Most passes rewrite operations that most programs do not
/// have, and the verifier takes longer than such a pass.
class RewritePass : public mlir::OperationPass<mlir::ModuleOp> {
protected:
  using OperationPass::OperationPass;

  /// Rewrites getOperation(), or signals failure.
  virtual void rewrite() = 0;

private:
  void runOnOperation() final;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_REWRITEPASS_H
