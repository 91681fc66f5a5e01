// Whether a value can be computed over the buffer of another.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/InPlace.h"

#include "compiler/Tiling/Windows.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

/// Whether one kernel may read `old` and write `result` over it: when it runs in
/// one step, all its inputs are in VMEM before it writes the first output; over a
/// grid, a step must write exactly the block that it read.
static bool readsBeforeWriting(kernel::FusionOp fusion, OpResult result, OpOperand &use,
                               llvm::function_ref<Blocking(kernel::FusionOp)> blockingOf) {
  // Windows are read and written when their turn comes.
  if (auto input = updatedInput(fusion, result.getResultNumber()))
    return use.getOperandNumber() == *input;
  if (readsInHbm(fusion, use.getOperandNumber()))
    return false;
  Blocking blocking = blockingOf(fusion);
  if (blocking.isWhole())
    return true;
  Block &body = fusion.getBody().front();
  Value input = body.getArgument(use.getOperandNumber());
  Value output = body.getTerminator()->getOperand(result.getResultNumber());
  return input.getType() == output.getType() && llvm::all_of(blocking.cuts, [&](const Cut &cut) {
           bool hasOffset = llvm::any_of(
               cut.offsetBlocks, [&](const OffsetBlock &block) { return block.value() == input; });
           return !hasOffset && cut.dimOf(input) && cut.dimOf(input) == cut.dimOf(output);
         });
}

bool canComputeInPlace(OpResult result, Value old,
                       llvm::function_ref<Blocking(kernel::FusionOp)> blockingOf) {
  if (!old)
    return true;
  Operation *writer = result.getOwner();
  Block *block = writer->getBlock();
  for (OpOperand &use : old.getUses()) {
    // Another shape of the same buffer.
    if (auto reinterpret = dyn_cast<kernel::ReinterpretOp>(use.getOwner())) {
      if (!canComputeInPlace(result, reinterpret.getResult(), blockingOf))
        return false;
      continue;
    }
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    // Uses outside of this block belong to the loop's condition, which runs
    // before everything here.
    if (!user || user->isBeforeInBlock(writer))
      continue;
    if (user != writer)
      return false;
    if (auto fusion = dyn_cast<kernel::FusionOp>(user)) {
      if (!readsBeforeWriting(fusion, result, use, blockingOf))
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
