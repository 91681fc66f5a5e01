// How a long pass learns that nobody wants its result any more.
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

/// Whether the compilation was cancelled: then a pass leaves valid IR and fails without an error.
/// Costs some nanoseconds; passes ask for each operation that takes them long.
inline bool isCancelled(mlir::MLIRContext *context) {
  bool cancelled = true;
  context->executeAction<PollAction>([&] { cancelled = false; }, {});
  return cancelled;
}

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_CANCELLATION_H
