// Arrays that VMEM keeps for all kernels of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Keep.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::kernel;

// StableHLO is no dialect that this one depends on.
static bool isLoop(Operation *op) { return op->getName().getStringRef() == "stablehlo.while"; }

int64_t KeepOp::getRows() {
  auto type = cast<RankedTensorType>(getType());
  return rowsInBlocks(type, getBlock());
}

Operation *KeepOp::getLoop() {
  Operation *next = getOperation();
  while (isa_and_nonnull<KeepOp>(next))
    next = next->getNextNode();
  auto isThere = [&](Operation *user) { return next->isAncestor(user); };
  if (next && isLoop(next) && llvm::all_of(getResult().getUsers(), isThere))
    return next;
  Operation *around = (*this)->getParentOp();
  return around && isLoop(around) ? around : nullptr;
}

static bool isInLoop(KeepOp keep) { return keep.getLoop() == keep->getParentOp(); }

bool systole::kernel::isMadeInLoop(KeepOp keep) {
  return isInLoop(keep) && keep.getSource().getDefiningOp<FusionOp>();
}

bool systole::kernel::isLoadedAhead(KeepOp keep) {
  return isInLoop(keep) && keep.getSource().getDefiningOp<PartOp>();
}

std::pair<Operation *, Operation *> systole::kernel::readersOf(KeepOp keep) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : keep->getUsers()) {
    Operation *reader = keep->getBlock()->findAncestorOpInBlock(*user);
    first = !first || reader->isBeforeInBlock(first) ? reader : first;
    last = !last || last->isBeforeInBlock(reader) ? reader : last;
  }
  return {first, last};
}

bool systole::kernel::isLoadedInTrip(KeepOp keep) {
  if (!isLoadedAhead(keep))
    return false;
  Operation *first = readersOf(keep).first;
  for (Operation *op = keep->getNextNode(); op && op != first; op = op->getNextNode())
    if (isa<FusionOp>(op))
      return true;
  return false;
}

LogicalResult KeepOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (int64_t(getBlock().size()) != type.getRank())
    return emitOpError() << "expects a block of rank " << type.getRank();
  for (auto [part, whole] : llvm::zip_equal(getBlock(), type.getShape()))
    if (part < 1 || part > whole)
      return emitOpError() << "expects a block between 1 and " << type << ", found [" << getBlock()
                           << "]";
  if (!getLoop())
    return emitOpError("expects a loop around it, or one behind it with all users");
  if (!isInLoop(*this))
    return success();
  Operation *source = getSource().getDefiningOp();
  if (!isa_and_nonnull<FusionOp, PartOp>(source) || source->getBlock() != (*this)->getBlock() ||
      !getSource().hasOneUse())
    return emitOpError(
        "expects a result of a fusion of the loop's body, or a part of an array, with "
        "no other user");
  return success();
}

KeepOp systole::kernel::keepOf(Value value) {
  if (auto keep = value.getDefiningOp<KeepOp>())
    return keep;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *loop = argument.getOwner()->getParentOp();
    return loop && isLoop(loop) ? loop->getOperand(argument.getArgNumber()).getDefiningOp<KeepOp>()
                                : nullptr;
  }
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner(), *around = user->getParentOp();
    if (auto keep = dyn_cast<KeepOp>(user); keep && isInLoop(keep))
      return keep;
    bool isNext = user->hasTrait<OpTrait::IsTerminator>() && isLoop(around) &&
                  user->getParentRegion() == &around->getRegion(1);
    if (isNext)
      if (auto keep = around->getOperand(use.getOperandNumber()).getDefiningOp<KeepOp>())
        return keep;
  }
  return nullptr;
}

bool systole::kernel::isRunOfRows(RankedTensorType type, ArrayRef<int64_t> block) {
  auto bufferOf = [&](ArrayRef<int64_t> shape) {
    return BufferType::get(type.getContext(), shape, type.getElementType(), Space::vmem);
  };
  ArrayRef<int64_t> shape = type.getShape();
  int64_t cut = 0, rank = type.getRank();
  while (cut < rank && shape[cut] == 1)
    ++cut;
  if (cut == rank || block.equals(shape))
    return block.equals(shape);
  if (!block.drop_front(cut + 1).equals(shape.drop_front(cut + 1)) || shape[cut] % block[cut] != 0)
    return false;
  BufferType whole = bufferOf(shape), part = bufferOf(block);
  int64_t packing = 32 / whole.getStorageBits(), steps = shape[cut] / block[cut];
  return whole.getRows() * whole.getLaneTiles() == whole.getPhysicalRows() * packing &&
         steps * part.getPhysicalRows() == whole.getPhysicalRows();
}

int64_t systole::kernel::rowsInBlocks(RankedTensorType type, ArrayRef<int64_t> block) {
  int64_t count = 1;
  for (auto [part, whole] : llvm::zip_equal(block, type.getShape()))
    count *= llvm::divideCeil(whole, part);
  return count * BufferType::get(type.getContext(), block, type.getElementType(), Space::vmem)
                     .getPhysicalRows();
}

SmallVector<KeepOp> systole::kernel::keptFor(Operation *loop) {
  SmallVector<KeepOp> kept;
  for (Operation *op = loop->getPrevNode(); isa_and_nonnull<KeepOp>(op); op = op->getPrevNode())
    if (cast<KeepOp>(op).getLoop() == loop)
      kept.push_back(cast<KeepOp>(op));
  std::reverse(kept.begin(), kept.end());
  for (Operation &op : loop->getRegion(1).front())
    if (auto keep = dyn_cast<KeepOp>(op); keep && isInLoop(keep))
      kept.push_back(keep);
  return kept;
}

int64_t systole::kernel::keptRowsAt(Operation *op) {
  int64_t rows = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    if (isLoop(around))
      for (KeepOp keep : keptFor(around))
        rows += keep.getRows();
  return rows;
}
