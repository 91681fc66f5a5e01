// Reads of buffers with an element for each row by the stages of a kernel.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/RowReads.h"

#include "dialects/Kernel/Bounds.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

AffineMap mapOf(const Read &read) {
  return llvm::TypeSwitch<Operation *, AffineMap>(read.stage)
      .Case<kernel::MapOp, kernel::ReduceOp>(
          [&](auto stage) { return cast<AffineMapAttr>(stage.getMaps()[read.input]).getValue(); });
}

/// The extents of a stage's iterations.
static SmallVector<int64_t> spaceOf(Operation *stage) {
  if (auto reduce = dyn_cast<kernel::ReduceOp>(stage))
    return SmallVector<int64_t>(reduce.getSizes());
  auto output = cast<kernel::MapOp>(stage).getOutputs().front();
  return SmallVector<int64_t>(cast<kernel::BufferType>(output.getType()).getShape());
}

bool readsAlongLanes(const Read &read) {
  SmallVector<int64_t> sizes = spaceOf(read.stage);
  return !sizes.empty() && sizes.back() > 1 &&
         mapOf(read).isFunctionOfDim(static_cast<unsigned>(sizes.size()) - 1);
}

bool reducesLanes(Operation *op) {
  auto reduce = dyn_cast_or_null<kernel::ReduceOp>(op);
  return reduce && !reduce.getDims().empty() &&
         reduce.getDims().back() + 1 == static_cast<int64_t>(reduce.getSizes().size());
}

bool needsBroadcasts(Operation *stage) {
  SmallVector<int64_t> sizes = spaceOf(stage);
  if (sizes.empty() || sizes.back() <= 1)
    return false;
  // Maps have groups of lanes along the sublanes where these fill them: one element is in all.
  return !isa<kernel::MapOp>(stage) || llvm::divideCeil(sizes.back(), kLanes) % kSublanes != 0;
}

bool isInput(OpOperand &use) {
  size_t inputs = llvm::TypeSwitch<Operation *, size_t>(use.getOwner())
                      .Case<kernel::MapOp, kernel::ReduceOp>(
                          [](auto stage) { return stage.getInputs().size(); })
                      .Default([](auto) { return 0; });
  return use.getOperandNumber() < inputs;
}

std::optional<int64_t> offsetOfPart(kernel::CopyOp copy) {
  auto type = cast<kernel::BufferType>(copy.getDestination().getType());
  AffineMap from = copy.getSrcMap();
  if (!copy.getDestination().getDefiningOp<kernel::AllocOp>() || type.getRank() == 0 ||
      !copy.getSrcOffsets().empty() || !copy.getDstOffsets().empty() ||
      copy.getSizes() != type.getShape() || !copy.getDstMap().isIdentity() ||
      from.getNumResults() != type.getRank())
    return std::nullopt;
  std::optional<kernel::LinearIndex> lanes = kernel::linearIndexOf(from.getResults().back());
  if (!lanes)
    return std::nullopt;
  SmallVector<AffineExpr> same(copy.getDstMap().getResults());
  same.back() = same.back() + lanes->offset;
  if (from.getResults() != ArrayRef(same))
    return std::nullopt;
  for (OpOperand &use : copy.getDestination().getUses())
    if (use.getOwner() != copy && !isInput(use))
      return std::nullopt;
  return lanes->offset;
}

void redirect(OpBuilder &b, Read read, Value buffer) {
  OpOperand &operand = read.stage->getOpOperand(read.input);
  Value now = read.part ? read.part.getSource() : operand.get();
  kernel::BufferType type = cast<kernel::BufferType>(now.getType());
  if (!type.getReplicated())
    type = type.replicate();
  b.setInsertionPoint(read.stage);
  Location loc = read.stage->getLoc();
  operand.set(type == buffer.getType() ? buffer
                                       : kernel::ViewOp::create(b, loc, type, buffer).getResult());
  if (!read.part)
    return;
  AffineMap map = mapOf(read);
  SmallVector<AffineExpr> places(map.getResults());
  places.back() = places.back() + *offsetOfPart(read.part);
  llvm::TypeSwitch<Operation *>(read.stage).Case<kernel::MapOp, kernel::ReduceOp>([&](auto stage) {
    SmallVector<Attribute> maps(stage.getMaps().getValue());
    maps[read.input] =
        AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, places, b.getContext()));
    stage.setMapsAttr(b.getArrayAttr(maps));
  });
}

} // namespace systole
