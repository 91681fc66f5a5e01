// Flattening of tuples.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace systole {

/// The leaf types of tuples, in order. A type that is not a tuple is its own leaf, and so is every
/// type while tuples are kept.
class Tuples {
public:
  bool isKept = true;

  static constexpr size_t kMaxElements = 1 << 16;

  /// The number of leaves, or `kMaxElements + 1` if there are more.
  size_t count(mlir::Type type);
  /// Appends the leaves, at most `kMaxElements`.
  void append(mlir::Type type, mlir::SmallVectorImpl<mlir::Type> &elements);
  /// The number of the leaf at the index path `indices`, whose first index selects one of `types`;
  /// none if the path ends at a tuple or is invalid.
  std::optional<int64_t> leafIndex(mlir::ArrayRef<mlir::Type> types,
                                   mlir::ArrayRef<int64_t> indices);

private:
  llvm::DenseMap<mlir::Type, size_t> counts;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H
