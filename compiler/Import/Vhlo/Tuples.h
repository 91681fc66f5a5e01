// The elements of tuples.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H
#define SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace systole {

/// What types hold that is no tuple itself, in order. Another type holds itself, and so does every
/// type while tuples are kept.
class Tuples {
public:
  bool isKept = true;

  static constexpr size_t kMaxElements = 1 << 16;

  /// The number of elements, and `kMaxElements + 1` if they are more.
  size_t count(mlir::Type type);
  /// Expects at most `kMaxElements`.
  void append(mlir::Type type, mlir::SmallVectorImpl<mlir::Type> &elements);
  /// The number of the element that indices lead to, of the types and then within tuples; none if
  /// they lead to a tuple or out of it.
  std::optional<int64_t> place(mlir::ArrayRef<mlir::Type> types, mlir::ArrayRef<int64_t> indices);

private:
  llvm::DenseMap<mlir::Type, size_t> counts;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_IMPORT_VHLO_TUPLES_H
