// Which numbers the integers of a program can be.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_WIDE64_RANGES_H
#define SYSTOLE_COMPILER_GRAPH_WIDE64_RANGES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/ConstantRange.h"

namespace systole::wide64 {

/// Bounds of every integer tensor's elements, of one pass over a function. Values that a loop
/// carries or a reduction accumulates are widened to all of their type unless they settle at once,
/// or the loop's condition bounds them.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::Block &body) { visit(body); }

  /// All numbers of the type for what is not known. The type has elements that are integers.
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
  /// An operation whose body takes two sets of scalars, what there is and what is added.
  void visitCombination(mlir::Operation *op, mlir::ValueRange start, mlir::ValueRange added);
  /// Bounds what the body gets by the condition under which it runs.
  void refine(mlir::Block &condition, mlir::Block &body, mlir::Value predicate);

  llvm::DenseMap<mlir::Value, Range> ranges;
  unsigned depth = 0; // of loops around what is visited
};

} // namespace systole::wide64

#endif // SYSTOLE_COMPILER_GRAPH_WIDE64_RANGES_H
