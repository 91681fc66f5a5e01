// What a sort compares: its comparator as a total order of arrays of 32-bit elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTORDER_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTORDER_H

#include "compiler/Tensor/Tensors.h"

#include <optional>

namespace systole::expansion {

/// Where the comparator is that one value comes before another one, each computed from the elements
/// of one position, that value is computed once, as an integer in the same order: the key. Elements
/// are numbered where the order of equal ones matters, or where there is padding that may equal
/// elements.
class SortOrder {
public:
  /// `size` elements are sorted, with padding `padded`.
  SortOrder(stablehlo::SortOp op, int64_t size, int64_t padded);

  // Arrays are the key, if there is one, then operands, then the number of each element.

  /// The arrays that have to be padded and laid out, of the shape of the operands.
  llvm::SmallVector<mlir::Value> arrays(Tensors &t);
  /// The padding of array `number`.
  int64_t paddingOf(size_t number) const;
  /// The arrays that are sorted, from those with padding and the number of each element.
  llvm::SmallVector<mlir::Value> numbered(Tensors &t, llvm::ArrayRef<mlir::Value> padded,
                                          mlir::Value numbers) const;
  /// How many arrays are sorted.
  int64_t count() const;

  /// Whether elements of `first` come before those of `second`.
  mlir::Value isBefore(Tensors &t, mlir::ValueRange first, mlir::ValueRange second);

  /// The results of the operation, null for those without uses, from the sorted arrays without
  /// padding.
  llvm::SmallVector<mlir::Value> results(Tensors &t, llvm::ArrayRef<mlir::Value> sorted) const;

private:
  using Value = mlir::Value;

  /// The comparator's operand that the key is made of.
  struct Key {
    Value inBody;
    stablehlo::CompareOp compare;
    int64_t bits;                    ///< of the value
    std::optional<unsigned> operand; ///< of which the value is the element
  };
  void findKey();
  Value keyOf(Tensors &t) const;
  /// The element that a key was made of.
  Value elementOf(Tensors &t, Value key) const;
  bool isAscending() const;

  Value compare(Tensors &t, mlir::ValueRange first, mlir::ValueRange second);

  stablehlo::SortOp op;
  int64_t size, padded;
  std::optional<Key> key;
  bool isNumbered = false;
  /// The number is in the lower half of the key.
  bool isCombined = false;
  /// The operands that are sorted beside the key and the number: if there is a key, those with
  /// uses of which it is not the element.
  llvm::SmallVector<unsigned> carried;
  /// The operand that is the element's number.
  std::optional<unsigned> number;
};

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTORDER_H
