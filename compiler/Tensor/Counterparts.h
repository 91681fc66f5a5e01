// Values of a body that are computed alike from different arguments.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TENSOR_COUNTERPARTS_H
#define SYSTOLE_COMPILER_TENSOR_COUNTERPARTS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace systole {

/// Compares values by the structure of the operations that compute them.
class Counterparts {
public:
  /// `partnerOf` gives the number of the argument that takes the place of another one; nothing for
  /// those that have none.
  Counterparts(mlir::Block &body, std::function<std::optional<unsigned>(unsigned)> partnerOf)
      : body(body), partnerOf(std::move(partnerOf)) {}

  /// Whether `x` becomes `y` if each argument is replaced by its partner.
  bool contain(mlir::Value x, mlir::Value y);

private:
  bool compare(mlir::Value x, mlir::Value y);

  mlir::Block &body;
  std::function<std::optional<unsigned>(unsigned)> partnerOf;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> known;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TENSOR_COUNTERPARTS_H
