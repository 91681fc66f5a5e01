// The one error that a memory of the machine is too small, whichever memory it is.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H
#define SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace systole {

/// An array that is in a memory while most of it is taken.
struct MemoryUser {
  std::string description; ///< such as "argument 'x'"
  mlir::Type type;         ///< as it is laid out
  mlir::Location loc;
  int64_t bytes, elementBytes; ///< with and without padding
};

/// "`what` `name` of jit(f)/layer (net.py:3)": the layer and the user's line are left out where the
/// location has none, and the line where errors at the location name it anyway.
std::string ownerAt(llvm::StringRef what, mlir::Location loc);

/// Says that `owner` needs more bytes of `memory` than there are, whether its elements or their
/// padding is too much, which arrays are the largest, and what to try: `advice`, unless it is the
/// padding.
mlir::LogicalResult emitOverflow(mlir::Location loc, llvm::StringRef owner, llvm::StringRef memory,
                                 int64_t needed, int64_t available, std::vector<MemoryUser> users,
                                 llvm::StringRef advice);

} // namespace systole

#endif // SYSTOLE_COMPILER_DIAGNOSTICS_OVERFLOW_H
