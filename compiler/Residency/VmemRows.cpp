// The rows of VMEM that several kernels of a program use, and what is left to each kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Residency/VmemRows.h"

#include "compiler/Planning/StepBytes.h"

using namespace mlir;

namespace systole {

VmemRows::VmemRows(Operation *root, const PlanningContext &machine) : vmemBytes(machine.vmemBytes) {
  root->walk([&](Operation *op) {
    if (auto resident = dyn_cast<kernel::ResidentOp>(op))
      add(resident);
    else if (isa<kernel::MosaicCallOp>(op))
      ownKernels.push_back(op);
  });
}

int64_t VmemRows::firstFreeRow(int64_t begin, int64_t rows, kernel::Lifetime lifetime,
                               std::optional<RowRange> other) const {
  // Kernels of the program may use all of VMEM.
  for (Operation *call : ownKernels)
    if (kernel::overlap(lifetime, {call, call}))
      return vmemBytes / kRowBytes;
  SmallVector<RowRange> taken;
  if (other)
    taken.push_back(*other);
  for (kernel::ResidentOp resident : residents)
    if (kernel::overlap(lifetime, kernel::lifetimeOf(resident)))
      taken.emplace_back(resident.getPlacement().firstRow(), resident.getPlacement().endRow());
  llvm::sort(taken);
  for (auto [first, last] : taken) {
    if (begin + rows <= first)
      break;
    begin = std::max(begin, last);
  }
  return begin;
}

int64_t VmemRows::freeBytes(kernel::FusionOp fusion, int64_t place) const {
  return vmemBytes - std::max(kernel::residentRowsAt(fusion), place) * kRowBytes;
}

bool VmemRows::hasRoomForCopies(int64_t place) const {
  return (place + kMostCopyRows) * kRowBytes <= vmemBytes;
}

} // namespace systole
