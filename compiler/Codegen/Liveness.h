// Live ranges of the buffers in a kernel's body.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_LIVENESS_H
#define SYSTOLE_COMPILER_CODEGEN_LIVENESS_H

#include "compiler/Codegen/Memory.h"

namespace systole::codegen {

/// Positions of a kernel's operations in program order, from 1, and the live ranges of
/// its buffers. A buffer from outside of a loop that uses it is live throughout the
/// loop.
class BodyLiveness {
public:
  explicit BodyLiveness(kernel::FuncOp kernel);

  int64_t position(mlir::Operation *op) const { return positions.lookup(op); }
  /// The position after the last operation.
  int64_t end() const { return last + 1; }
  /// The live range of a block argument or allocation, uses of its views included; nothing if it is
  /// unused.
  std::optional<LiveRange> range(mlir::Value buffer) const;

private:
  void extend(mlir::Value buffer, mlir::Block *definedIn, std::optional<LiveRange> &range) const;

  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Operation *, int64_t> ends; // of operations with regions
  int64_t last = 0;
};

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_LIVENESS_H
