// Values of a loop that a fusion replaces by their next ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_CARRIEDVALUES_H
#define SYSTOLE_COMPILER_PLANNING_CARRIEDVALUES_H

#include "compiler/Planning/Blocking.h"
#include "dialects/Kernel/Kernel.h"

namespace systole {

class MachineModel;

/// An argument of a fusion's body, and the value that leaves it to take its place in the next
/// iteration of the loop around the fusion.
struct CarriedValue {
  mlir::Value old, next;
  bool isReadInHbm = false; ///< `old`: it has to stay there until the kernel ends
};
/// Adds the arguments of `fusion` that are `argument` of the loop, which `next` replaces.
void addCarried(kernel::FusionOp fusion, mlir::Value argument, mlir::Value next,
                llvm::SmallVectorImpl<CarriedValue> &carried);
/// Those that the loop's body hands on as they are.
llvm::SmallVector<CarriedValue, 2> carriedValues(kernel::FusionOp fusion);

/// Whether a kernel with these blocks may write `next` over `old`, which it reads in blocks: when
/// it runs in one step, all its operands are in VMEM before it writes the first result; over a
/// grid, a step must write exactly the block that it read.
bool canWriteOver(const Blocking &blocking, mlir::Value old, mlir::Value next);

/// Cycles of copying an array into the buffer of another one.
double copyCycles(mlir::RankedTensorType type, const MachineModel &model);
/// Cycles of copying the values to which a kernel with these blocks cannot write in place.
double copyCycles(llvm::ArrayRef<CarriedValue> carried, const Blocking &blocking,
                  const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_CARRIEDVALUES_H
