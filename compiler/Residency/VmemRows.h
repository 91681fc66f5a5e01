// The rows of VMEM that several kernels of a program use, and what is left to each kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_VMEMROWS_H
#define SYSTOLE_COMPILER_RESIDENCY_VMEMROWS_H

#include "compiler/Planning/PlanningContext.h"
#include "dialects/Kernel/Resident.h"

#include "llvm/ADT/SmallVector.h"

namespace systole {

/// The first row of VMEM and the one behind the last, counted from its end.
using RowRange = std::pair<int64_t, int64_t>;

/// The rows that arrays take which VMEM keeps.
class VmemRows {
public:
  /// Those of all `kernel.resident` in `root`.
  VmemRows(mlir::Operation *root, const PlanningContext &machine);

  void add(kernel::ResidentOp resident) { residents.push_back(resident); }
  void remove(kernel::ResidentOp resident) { llvm::erase(residents, resident); }

  /// The first row, from `begin` on, of `rows` rows that are neither in `other` nor taken at a time
  /// of `lifetime`; the end of VMEM if there are none.
  int64_t firstFreeRow(int64_t begin, int64_t rows, kernel::Lifetime lifetime,
                       std::optional<RowRange> other = std::nullopt) const;
  /// Bytes for the kernel of `fusion` if `place` rows from the end of VMEM are not its own.
  int64_t freeBytes(kernel::FusionOp fusion, int64_t place) const;
  /// Whether copies, which may be called anywhere, have room if `place` rows are taken.
  bool hasRoomForCopies(int64_t place) const;

private:
  int64_t vmemBytes;
  llvm::SmallVector<kernel::ResidentOp> residents;
  llvm::SmallVector<mlir::Operation *>
      ownKernels; ///< calls of kernels that the program brings along
};

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_VMEMROWS_H
