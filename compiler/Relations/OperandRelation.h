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

/// The elements that blocks of an iterator read along one dimension of an operand, all other
/// iterators taking all of their values. Element i of the iterator meets the elements whose indices
/// times `den` are in [i * num + first, i * num + last].
struct BlockIndex {
  int64_t num = 0, den = 1;
  int64_t first = 0, last = 0;

  /// The first index that element 0 meets.
  int64_t offset() const;
  /// The elements that a block meets beyond |num| / den for each of its own: those of a halo. It
  /// is negative if steps are larger than what one element meets.
  int64_t extra() const;
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

  bool dependsOn(unsigned iterator) const;
};

/// Which element of an operand a point of the iteration space reads. Where an index is beyond the
/// ends of its dimension or not a multiple of the dilation, the operand takes no part: that is
/// padding, or a piece of a concatenation that is elsewhere.
struct OperandIndices {
  llvm::SmallVector<IndexRelation, 4> dims;

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
  /// The dimension of an operand whose index always equals the iterator, if there is one.
  /// Iterators of extent 1 are 0.
  std::optional<int64_t> dimOf(unsigned operand, unsigned iterator) const;
  /// The iterator that the index along a dimension of an operand always equals, if there is one.
  std::optional<unsigned> iteratorOf(unsigned operand, int64_t dim) const;
  /// Elements that blocks of the iterator read along a dimension of an operand that depends on it;
  /// nothing where no blocks follow from those of the iterator, as where it is part of a remainder.
  std::optional<BlockIndex> blockOf(unsigned operand, int64_t dim, unsigned iterator) const;
};

/// The relation of an operation that can be in a kernel; nothing for others.
std::optional<OperandRelation> relationOf(mlir::Operation *op);

} // namespace systole

#endif // SYSTOLE_COMPILER_RELATIONS_OPERANDRELATION_H
