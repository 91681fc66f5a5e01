// Values of a loop that a fusion replaces by their next ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/CarriedValues.h"

#include "compiler/Model/MachineModel.h"
#include "compiler/Planning/Windows.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {

void addCarried(kernel::FusionOp fusion, Value argument, Value next,
                SmallVectorImpl<CarriedValue> &carried) {
  for (OpOperand &input : fusion->getOpOperands())
    if (input.get() == argument)
      carried.push_back({fusion.getBody().getArgument(input.getOperandNumber()), next,
                         readsInHbm(fusion, input.getOperandNumber())});
}

SmallVector<CarriedValue, 2> carriedValues(kernel::FusionOp fusion) {
  SmallVector<CarriedValue, 2> carried;
  if (!isa<stablehlo::WhileOp>(fusion->getParentOp()))
    return carried;
  Block *loop = fusion->getBlock();
  Block &body = fusion.getBody().front();
  for (auto [argument, next] :
       llvm::zip(loop->getArguments(), loop->getTerminator()->getOperands())) {
    if (next.getDefiningOp() != fusion)
      continue;
    auto number = cast<OpResult>(next).getResultNumber();
    addCarried(fusion, argument, body.getTerminator()->getOperand(number), carried);
  }
  return carried;
}

bool canWriteOver(const Blocking &blocking, Value old, Value next) {
  if (blocking.isWhole())
    return true;
  return old.getType() == next.getType() && llvm::all_of(blocking.cuts, [&](const Cut &cut) {
           bool isReadElsewhere = llvm::any_of(
               old.getUses(), [&](OpOperand &operand) { return cut.hasOwnBlock(operand); });
           return !isReadElsewhere && !cut.haloOf(old) && cut.dimOf(old) &&
                  cut.cutDimOf(old) == cut.cutDimOf(next);
         });
}

double copyCycles(RankedTensorType type, const MachineModel &model) {
  return model.emptyKernel() + model.channel(2 * double(paddedBytes(type)), 1);
}

double copyCycles(ArrayRef<CarriedValue> carried, const Blocking &blocking,
                  const MachineModel &model) {
  double cycles = 0;
  for (const CarriedValue &value : carried)
    if (value.isReadInHbm || !canWriteOver(blocking, value.old, value.next))
      cycles += copyCycles(cast<RankedTensorType>(value.next.getType()), model);
  return cycles;
}

} // namespace systole
