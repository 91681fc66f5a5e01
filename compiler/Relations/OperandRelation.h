// Which elements of its operands an element of an operation's result is computed from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RELATIONS_OPERANDRELATION_H
#define SYSTOLE_COMPILER_RELATIONS_OPERANDRELATION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace systole {

enum class IteratorKind {
  Result,  ///< a dimension of the result
  Reduced, ///< a dimension that is reduced, contracted or, of a scatter, enumerates updates
  Tap,     ///< the elements of a window along one dimension
};

struct Iterator {
  IteratorKind kind;
  int64_t extent;
};

/// A sum of multiples of iterators and a constant.
struct LinearIndex {
  llvm::SmallVector<int64_t, 6> coefficients; ///< by iterator
  int64_t constant = 0;

  /// Whether it is iterator `number` alone.
  bool is(unsigned number) const;
};

/// How the index along one dimension of an operand follows from the iterators.
struct IndexRelation {
  enum Kind {
    Affine,   ///< the index is `expr`
    Computed, ///< the index is `expr` plus a start that is known only when the program runs
    Whole,    ///< all elements of the dimension are read
  };
  mlir::AffineExpr expr; ///< of the iterators
  Kind kind = Affine;
  /// The operand's elements are this far apart, as those of a padding or a dilated convolution:
  /// `expr` is the index times this. At what is no multiple of it there is padding.
  int64_t dilation = 1;

  /// `expr` as a sum of iterators; nothing if it has quotients or remainders.
  std::optional<LinearIndex> linear(unsigned iterators) const;
  /// The iterator that the index always equals, if there is one.
  std::optional<unsigned> iterator() const;
};

/// Which element of an operand a point of the iteration space reads. Where an index is beyond the
/// ends of its dimension or not a multiple of the dilation, the operand takes no part: that is
/// padding, or a piece of a concatenation that is elsewhere.
struct OperandIndices {
  llvm::SmallVector<IndexRelation, 4> dims;

  /// The dimension whose index always equals the iterator, if there is one.
  std::optional<int64_t> dimOf(unsigned iterator) const;
  /// Whether any index depends on the iterator.
  bool uses(unsigned iterator) const;
  /// The expressions of all dimensions.
  mlir::AffineMap map(unsigned iterators, mlir::MLIRContext *context) const;
};

/// The iteration space of an operation and the indices of all of its operands in it. The iterators
/// are the dimensions of the result (of several results, which have one shape), then those that
/// are reduced, then the taps of windows. An element of the result is computed from what the
/// operands have at all points with its indices.
struct OperandRelation {
  llvm::SmallVector<Iterator, 6> iterators;
  llvm::SmallVector<OperandIndices, 2> operands;

  unsigned resultRank() const;
  mlir::AffineMap mapOf(unsigned operand, mlir::MLIRContext *context) const {
    return operands[operand].map(iterators.size(), context);
  }
};

/// The relation of an operation that can be in a kernel; nothing for others.
std::optional<OperandRelation> relationOf(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_RELATIONS_OPERANDRELATION_H
