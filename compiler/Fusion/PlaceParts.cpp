// Reads and writes rows of arrays at computed positions where they are.
// See docs/decisions/copies-and-parts-of-arrays.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PLACEPARTS
#include "compiler/Fusion/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Whether kernels alone read `value`, and in blocks: neither control flow, nor the scalar unit,
/// nor another copy at a computed position.
bool isReadInBlocks(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    switch (kindOf(user)) {
    case OpKind::Elementwise:
    case OpKind::Movement:
    case OpKind::Reduce:
    case OpKind::Dot:
    case OpKind::Convolution:
      return true;
    case OpKind::Reshape:
    case OpKind::Broadcast:
      return isReadInBlocks(user->getResult(0));
    case OpKind::Indexed:
      return isa<DynamicUpdateSliceOp>(user) && use.getOperandNumber() == 1;
    default:
      return false;
    }
  });
}

/// Whether the elements of `array` are not replaced in their place while somebody reads them.
bool isUpdated(Value array) {
  return llvm::any_of(array.getUses(), [](OpOperand &use) {
    return isa<ScatterOp, kernel::ReplacePartOp>(use.getOwner()) ||
           (isa<DynamicUpdateSliceOp>(use.getOwner()) && use.getOperandNumber() == 0);
  });
}

void place(DynamicSliceOp op) {
  Value array = op.getOperand();
  if (isRematerializable(array.getDefiningOp()) || isUpdated(array) || !isReadInBlocks(op) ||
      !kernel::pitchesOfPart(typeOf(array), op.getSliceSizes()))
    return;
  // Without the dimensions of size 1, so that readers have nothing between them and the array.
  Operation *read = op;
  auto reshape = op->hasOneUse() ? dyn_cast<ReshapeOp>(*op->user_begin()) : nullptr;
  if (reshape && isRowView(op.getType(), typeOf(reshape)))
    read = reshape;
  OpBuilder b(op);
  Value part = kernel::PartOp::create(b, op.getLoc(), typeOf(read->getResult(0)), array,
                                      op.getStartIndices(), op.getSliceSizes());
  read->getResult(0).replaceAllUsesWith(part);
  read->erase();
  if (read != op)
    op.erase();
}

void place(DynamicUpdateSliceOp op) {
  auto old = dyn_cast<BlockArgument>(op.getOperand());
  auto loop = dyn_cast<WhileOp>(op->getParentOp());
  // Slices of the old value are windows of it, which are read before it is replaced.
  auto isRead = [&](OpOperand &use) {
    return use.getOwner() == op.getOperation() ? use.getOperandNumber() == 0
                                               : isa<DynamicSliceOp>(use.getOwner()) &&
                                                     use.getOwner()->getBlock() == old.getOwner();
  };
  if (!old || !loop || old.getOwner() != &loop.getBody().front() ||
      !llvm::all_of(old.getUses(), isRead) || !op->hasOneUse() ||
      old.getOwner()->getTerminator()->getOperand(old.getArgNumber()) != op.getResult() ||
      !kernel::pitchesOfPart(typeOf(old), shapeOf(op.getUpdate())))
    return;
  // A row that is a value of the trip before is copied before that is replaced.
  auto reshape = op.getUpdate().getDefiningOp<ReshapeOp>();
  if (reshape && isa<BlockArgument>(reshape.getOperand()) && reshape->getBlock() == old.getOwner())
    reshape->moveBefore(&old.getOwner()->front());
  OpBuilder b(old.hasOneUse() ? op.getOperation() : old.getOwner()->getTerminator());
  op.replaceAllUsesWith(kernel::ReplacePartOp::create(b, op.getLoc(), op.getType(), old,
                                                      op.getUpdate(), op.getStartIndices())
                            .getResult());
  op.erase();
}

struct PlaceParts : impl::PlacePartsBase<PlaceParts> {
  void rewrite() override {
    getOperation()->walk([](DynamicUpdateSliceOp op) { place(op); });
    SmallVector<DynamicSliceOp> slices;
    getOperation()->walk([&](DynamicSliceOp op) { slices.push_back(op); });
    for (DynamicSliceOp op : slices)
      place(op);
  }
};

} // namespace
} // namespace systole
