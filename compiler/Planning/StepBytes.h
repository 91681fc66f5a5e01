// The VMEM that the steps of a kernel's grid take.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_STEPBYTES_H
#define SYSTOLE_COMPILER_PLANNING_STEPBYTES_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/GroupTensors.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace systole {

/// Bytes of the operations of one kernel, for any way to cut them.
class StepBytes {
public:
  /// `tensors` are those of `ops`; both have to outlive this.
  StepBytes(llvm::ArrayRef<mlir::Operation *> ops, const GroupTensors &tensors)
      : ops(ops), inside(ops.begin(), ops.end()), tensors(tensors) {}

  /// Of VMEM that the blocks take; those that change are double buffered.
  int64_t footprint(const Blocking &blocking) const;

private:
  /// Of the places that windows need.
  int64_t windowBytes(const Blocking &blocking) const;
  template <typename F> void forEachBlock(const Blocking &blocking, F f) const;

  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::SmallPtrSet<mlir::Operation *, 32> inside;
  const GroupTensors &tensors;
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_STEPBYTES_H
