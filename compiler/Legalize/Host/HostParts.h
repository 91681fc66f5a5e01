// Which parts of an array in the memory of the host one copy can access.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTPARTS_H
#define SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTPARTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace systole {

/// Positions of the first dimension of an array, and all of its other dimensions.
struct HostPart {
  mlir::Value array;
  /// The first position, as a value that may be outside of the array, or as a constant.
  mlir::Value start;
  int64_t fixedStart = 0;
  int64_t count = 1;
  int64_t of = 1; ///< positions of the array
};

/// The part that `op`, a slice or an update at one, reads or writes; nothing if it is none.
std::optional<HostPart> hostPartOf(mlir::Operation *op);

/// How an argument of type `type` lies: its shape with full rows where these are tiled.
mlir::RankedTensorType lyingType(mlir::RankedTensorType type);

/// Whether `count` positions of an argument of type `array` are whole rows of 512 bytes, which lie
/// as an argument of their own would.
bool isRunOfRows(mlir::RankedTensorType array, int64_t count);

} // namespace systole

#endif // SYSTOLE_COMPILER_LEGALIZE_HOST_HOSTPARTS_H
