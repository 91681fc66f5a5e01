// Cancellation of a compilation, polled by passes that run long.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_CANCELLATION_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_CANCELLATION_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace systole {

/// An action that does nothing: the context's handler does not run it after a cancellation.
struct PollAction : mlir::tracing::ActionImpl<PollAction> {
  using Base = mlir::tracing::ActionImpl<PollAction>;
  explicit PollAction(mlir::ArrayRef<mlir::IRUnit> units) : Base(units) {}
  static constexpr llvm::StringLiteral tag = "systole-poll";
};

/// Whether the compilation was cancelled. If so, a pass leaves valid IR and signals failure without
/// a diagnostic. A poll takes some nanoseconds; long-running passes poll for each operation.
inline bool isCancelled(mlir::MLIRContext *context) {
  bool cancelled = true;
  context->executeAction<PollAction>([&] { cancelled = false; }, {});
  return cancelled;
}

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_CANCELLATION_H
