// Range analysis of a program's integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGES_H
#define SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/ConstantRange.h"

namespace systole::wide64 {

/// Bounds of the elements of every integer tensor, from one pass over a function. Values that a
/// loop carries or a reduction accumulates are widened to the full range of their type unless they
/// converge at once or the loop's condition bounds them.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::Block &body) { visit(body); }

  /// The range of a tensor of integers, the full range of its type if it is unknown.
  llvm::ConstantRange of(mlir::Value value) const;

  bool isSigned(mlir::Value value) const;
  bool fitsInt32(mlir::Value value) const;
  bool fitsUInt32(mlir::Value value) const;
  bool isNonNegative(mlir::Value value) const;

private:
  using Range = llvm::ConstantRange;
  using Ranges = llvm::SmallVector<Range>;

  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void set(mlir::Value value, const Range &range);
  Ranges of(mlir::ValueRange values) const;

  void visitWhile(mlir::Operation *loop);
  void visitChoice(mlir::Operation *choice);
  /// Visits an operation whose reducer takes two sets of scalars: accumulated values and elements.
  void visitCombination(mlir::Operation *op, mlir::ValueRange start, mlir::ValueRange added);
  /// Narrows the ranges of the body's arguments by the condition under which it is executed.
  void refine(mlir::Block &condition, mlir::Block &body, mlir::Value predicate);

  llvm::DenseMap<mlir::Value, Range> ranges;
  unsigned depth = 0; // of loops around the visited operation
};

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_LEGALIZE_WIDE64_RANGES_H
