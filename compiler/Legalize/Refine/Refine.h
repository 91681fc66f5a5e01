// Static shapes from those of the arguments.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_REFINE_REFINE_H
#define SYSTOLE_COMPILER_LEGALIZE_REFINE_REFINE_H

#include "dialects/StableHLO/Imported.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace systole::refine {

/// The elements of small tensors of integers and predicates, in row-major order.
class Evaluator {
public:
  using Numbers = llvm::SmallVector<llvm::APInt, 4>;
  using Sizes = llvm::SmallVector<int64_t>;

  /// std::nullopt if the elements depend on more than constants. Operations must not be erased
  /// meanwhile.
  std::optional<Numbers> evaluate(mlir::Value value);
  /// The same as signed numbers.
  std::optional<Sizes> integers(mlir::Value value);

private:
  std::optional<Numbers> compute(mlir::Operation *op);
  std::optional<Numbers> combine(mlir::Operation *op);
  std::optional<Numbers> move(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, std::optional<Numbers>> known;
  int depth = 0;
};

/// The shapes of an operation's results as far as those of its operands decide them, without
/// regions and values; empty for an unknown operation.
llvm::SmallVector<llvm::SmallVector<int64_t>> inferShapes(mlir::Operation *op);

/// The static form of an operation whose sizes are operands: the values that replace
/// its results. Other operations are not replaced.
struct StaticForm {
  bool isReplaced = false;
  llvm::SmallVector<mlir::Value> results;
};
llvm::FailureOr<StaticForm> makeStatic(mlir::Operation *op, Evaluator &evaluator);

} // namespace systole::refine

#endif // SYSTOLE_COMPILER_LEGALIZE_REFINE_REFINE_H
