// The error for a memory of the machine that is too small, for any of its memories.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H

#include "mlir/IR/Location.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A tensor that is live while the memory's use is at its peak.
struct MemoryUser {
  std::string description; ///< such as "argument 'x'"
  mlir::Type type;         ///< with its layout
  mlir::Location loc;
  int64_t bytes, elementBytes; ///< with and without padding
};

/// "`what` of jit(f)/layer (net.py:3)". The layer and the user's line are omitted if the location
/// has none; so is the line if diagnostics at the location print it anyway.
std::string ownerAt(llvm::StringRef what, mlir::Location loc);

/// Reports that `owner` needs more bytes of `memory` than a core has: how many a perfect layout,
/// without padding, would need (by default what `users` take), the largest tensors, and a remedy,
/// which is `advice` unless padding is the cause.
mlir::LogicalResult emitOverflow(mlir::Location loc, llvm::StringRef owner, llvm::StringRef memory,
                                 int64_t needed, int64_t available, std::vector<MemoryUser> users,
                                 llvm::StringRef advice,
                                 std::optional<int64_t> perfect = std::nullopt);

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H
