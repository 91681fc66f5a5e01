// Whether a value can be computed over the buffer of another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/InPlaceReuse.h"

#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/Windows.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

/// Whether one kernel may read `old` and write `result` over it.
static bool readsBeforeWriting(kernel::FusionOp fusion, OpResult result, OpOperand &use,
                               const KernelBuilder &kernels) {
  // Windows are read and written when their turn comes.
  if (auto input = updatedInput(fusion, result.getResultNumber()))
    return use.getOperandNumber() == *input;
  Block &body = fusion.getBody().front();
  Value input = body.getArgument(use.getOperandNumber());
  if (readsInHbm(fusion, use.getOperandNumber()) || kernels.streamsOf(fusion).isStaged(input))
    return false;
  FailureOr<Blocking> found = blockingOf(fusion);
  return canWriteOver(succeeded(found) ? *found : Blocking(), input,
                      body.getTerminator()->getOperand(result.getResultNumber()));
}

bool canComputeInPlace(OpResult result, Value old, const KernelBuilder &kernels) {
  if (!old)
    return true;
  Operation *writer = result.getOwner();
  Block *block = writer->getBlock();
  for (OpOperand &use : old.getUses()) {
    // Another shape of the same buffer.
    if (auto reinterpret = dyn_cast<kernel::ReinterpretOp>(use.getOwner())) {
      if (!canComputeInPlace(result, reinterpret.getResult(), kernels))
        return false;
      continue;
    }
    if (auto part = dyn_cast<kernel::PartOp>(use.getOwner())) {
      if (!canComputeInPlace(result, part.getResult(), kernels))
        return false;
      continue;
    }
    if (use.getOwner() == writer && isa<kernel::ReplacePartOp>(writer))
      continue;
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    // Uses outside of this block belong to the loop's condition, which runs
    // before everything here.
    if (!user || user->isBeforeInBlock(writer))
      continue;
    if (user != writer)
      return false;
    if (auto fusion = dyn_cast<kernel::FusionOp>(user)) {
      if (!readsBeforeWriting(fusion, result, use, kernels))
        return false;
      continue;
    }
    // A nested loop may go on with the value, as the one that it replaces.
    auto loop = dyn_cast<stablehlo::WhileOp>(user);
    if (!loop || use.getOwner() != user || use.getOperandNumber() != result.getResultNumber())
      return false;
  }
  return true;
}

} // namespace systole
