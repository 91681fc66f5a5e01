// The rows of memory that operations of the program around kernels read and write.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_TILING_ROWACCESSES_H
#define SYSTOLE_COMPILER_TILING_ROWACCESSES_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace systole {

/// Rows of 512 bytes, from `first` up to `end`: those of VMEM are counted from its end backwards.
struct RowAccess {
  enum Memory { hbm, vmem, pinned };
  Memory memory = hbm;
  int64_t first = 0, end = 0;
  /// The array whose contents are read or written: a region of `kernel.hbm_plan`, an entry of
  /// `kernel.vmem_plan`, or RowOwners::kNobody for contents that no other kernel may read.
  int32_t owner = -1;
  bool writes = false;
  /// Of a call: an operand's number, or -1.
  int32_t operand = -1;

  bool overlaps(const RowAccess &other) const {
    return memory == other.memory && first < other.end && other.first < end;
  }
  /// Whether both may not happen at the same time.
  bool conflicts(const RowAccess &other) const {
    return (writes || other.writes) && overlaps(other);
  }
  bool operator==(const RowAccess &) const = default;
};

using RowAccesses = llvm::SmallVector<RowAccess, 6>;

/// Finds the rows that operations of a module of kernels access.
class RowAccessFinder {
public:
  explicit RowAccessFinder(mlir::ModuleOp module);

  /// Those of an operation of the program around kernels, reads first. Of a call also the rows of
  /// VMEM that the kernel has for itself, as written for nobody.
  RowAccesses of(mlir::Operation *op);
  /// Arrays that have contents when the program begins.
  RowAccesses atEntry() const;
  /// The program's results, which are read when it has ended.
  RowAccesses atExit() const;

private:
  RowAccess inHbm(mlir::Value buffer, bool writes) const;
  RowAccess inVmem(kernel::PlacementAttr placement, int32_t number, bool writes) const;
  void addCall(kernel::CallOp call, RowAccesses &reads, RowAccesses &writes);
  RowAccess region(mlir::StringRef plan, RowAccess::Memory memory, int32_t number,
                   bool writes) const;

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_TILING_ROWACCESSES_H
