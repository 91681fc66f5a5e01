// A program, or one of its operations, in wider floating-point types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_NUMERICS_WIDETYPES_H
#define SYSTOLE_COMPILER_NUMERICS_WIDETYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace systole::numerics {

/// Operations by their numbers: those of the function's body and of the regions of control flow, in
/// program order. Regions of reducers and comparators count with their operation.
llvm::SmallVector<mlir::Operation *> numberedOperations(mlir::Operation *root);

/// Whether the operation is control flow, whose regions have operations of their own.
bool isControlFlow(mlir::Operation *op);

class WideTypes {
public:
  /// `wide` is f32 or f64. Sends of `taps` send wide values.
  WideTypes(mlir::FloatType wide, llvm::DenseSet<mlir::Operation *> taps = {})
      : wide(wide), taps(std::move(taps)) {}

  /// A tensor type with elements that are at least as wide; other types unchanged.
  mlir::Type widened(mlir::Type type) const;
  mlir::Value convert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      mlir::Type type) const;

  /// Whether `apply` computes otherwise than the operation by itself. Not control flow.
  bool changes(mlir::Operation *op) const;
  /// The results of an operation in wide types: of the wide values of operands that `map` has, else
  /// of operands in the program's types. `map` then has them.
  llvm::SmallVector<mlir::Value> apply(mlir::OpBuilder &b, mlir::Operation *op,
                                       mlir::IRMapping &map) const;

  /// Rewrites the body of a function, whose arguments and results keep their types.
  void rewrite(mlir::Region &body) const;

private:
  /// Creates the operation in wide types; `map` has wide values of all that it reads.
  void clone(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &map) const;
  /// Creates it in the types of the program.
  void cloneNarrow(mlir::OpBuilder &b, mlir::Operation &op, mlir::IRMapping &map) const;
  void cloneBlock(mlir::OpBuilder &b, mlir::Block &from, mlir::IRMapping &map) const;
  bool isNarrow(mlir::Operation &op) const;
  /// The wide value of one that `map` may not have: of a value outside of what is rewritten.
  mlir::Value wideOf(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &map) const;

  mlir::FloatType wide;
  llvm::DenseSet<mlir::Operation *> taps;
};

} // namespace systole::numerics

#endif // SYSTOLE_COMPILER_NUMERICS_WIDETYPES_H
