// Semaphores of a kernel, and the copies that count on them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_SEMAPHORES_H
#define SYSTOLE_COMPILER_CODEGEN_SEMAPHORES_H

#include "compiler/Codegen/CopyBox.h"

namespace systole::codegen {

/// The message of the one trap of compiled programs.
inline constexpr llvm::StringLiteral kSemaphoresNotZero =
    "a semaphore is not zero at the end of the kernel: a copy has not been waited for, or a signal";

/// The sync flags that are a kernel's semaphores: the last of those of operands. Instructions name
/// a flag by an immediate, so a semaphore that is chosen at run time has code for each flag.
class Semaphores {
public:
  /// Takes a flag for each semaphore of `kernel`.
  explicit Semaphores(kernel::FuncOp kernel);

  /// How many there are.
  int64_t count() const { return total; }
  /// Whether they leave flags for the kernel's operands; an error if not.
  mlir::LogicalResult verify(kernel::FuncOp kernel) const;
  /// Emits a trap for the end of the kernel if one of them is not zero then.
  void emitCheck(Emitter &e) const;
  /// The flag of the first semaphore of an allocation.
  int firstFlag(kernel::AllocOp alloc) const { return flags.lookup(alloc); }

private:
  llvm::DenseMap<mlir::Operation *, int> flags;
  int64_t total = 0;
};

/// The word of an element of a SMEM buffer, or the number of a semaphore, at `indices`.
mlir::Value wordAddress(Emitter &e, const BufferRef &buffer, llvm::ArrayRef<mlir::Value> indices);

/// Lowers a copy that counts on a semaphore, a wait for it, or another operation on semaphores. The
/// flag of the first semaphore of a buffer is its region.
mlir::LogicalResult
lowerSemaphore(mlir::Operation &op, Emitter &e, llvm::function_ref<BufferRef(mlir::Value)> bufferOf,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> scalarsOf,
               llvm::function_ref<void(mlir::Value, mlir::Value)> setScalar);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_SEMAPHORES_H
