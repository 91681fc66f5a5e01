// Slices and updates at computed positions, as copy stages with offsets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageGather.h"

#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tiling/StageElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

Value StageBuilder::clampedIndex(Location loc, Value indices, ValueRange position, int64_t limit) {
  Value index = scalars.lookup(indices), stream = streams.lookup(indices);
  if (isa<kernel::BufferType>(indices.getType()))
    stream = indices; // a chunk of them
  if (stream)
    index = kernel::LoadScalarOp::create(b, loc, b.getI32Type(), stream, position);
  else if (!index)
    index = emitScalarConstant(
        b, loc, cast<DenseElementsAttr>(indices.getDefiningOp<stablehlo::ConstantOp>().getValue()));
  index = arith::MaxSIOp::create(b, loc, index, constantIndex(loc, 0));
  return arith::MinSIOp::create(b, loc, index, constantIndex(loc, limit));
}

Value StageBuilder::allocIndices(Location loc, ArrayRef<int64_t> shape) {
  return kernel::AllocOp::create(b, loc, bufferType(shape, b.getI32Type(), kernel::Space::smem));
}

void StageBuilder::loadIndices(Location loc, Value indices, Value chunk, ValueRange offsets) {
  ArrayRef<int64_t> shape = cast<kernel::BufferType>(chunk.getType()).getShape();
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  emitCopy(loc, windowed.lookup(indices), chunk, shape, identity, identity, offsets);
}

StageBuilder::Position StageBuilder::positionOf(Location loc, const CopyWindow &window,
                                                ValueRange offsets) {
  Position position;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Value start = offset, rest = constantIndex(loc, 0);
    if (window.lastStart[d] == 0) {
      std::swap(start, rest);
    } else if (window.sizes[d] != window.slice[d] || window.missing[d]) {
      // The shift back comes last: it shows that the start is a multiple.
      Value bits = constantIndex(loc, llvm::Log2_64(window.alignment[d]));
      start = arith::MinSIOp::create(b, loc, offset, constantIndex(loc, window.lastStart[d]));
      start = arith::ShRSIOp::create(b, loc, start, bits);
      start = arith::ShLIOp::create(b, loc, start, bits);
      rest = arith::SubIOp::create(b, loc, offset, start);
    }
    position.start.push_back(start);
    position.rest.push_back(rest);
  }
  return position;
}

void StageBuilder::emitIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return Gather(*this, gather).emit();
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return emitScatter(scatter);
  Location loc = op->getLoc();
  // Positions of the whole slice, and from there of the present block.
  Value sliced = slicedValue(op);
  SmallVector<Value> offsets;
  for (auto [d, index] : llvm::enumerate(indexOperands(op))) {
    int64_t limit = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(d) -
                    cast<RankedTensorType>(sliced.getType()).getDimSize(d);
    Value offset = limit == 0 ? constantIndex(loc, 0) : clampedIndex(loc, index, {}, limit);
    for (const Cut &cut : blocking.cuts)
      if (windowOf(op) && cut.dimOf(sliced) == static_cast<int64_t>(d))
        offset = arith::AddIOp::create(b, loc, offset, firstOf(loc, cut));
    offsets.push_back(offset);
  }
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return emitUpdate(update, offsets);
  auto slice = cast<stablehlo::DynamicSliceOp>(op);
  Value result = slice.getResult();
  AffineMap identity = b.getMultiDimIdentityMap(shapeOf(result).size());
  if (!windowOf(slice)) {
    Value source = buffer(slice.getOperand());
    return emitCopy(loc, source, destination(result), shapeOf(result), identity, identity, offsets);
  }
  CopyWindow window = *windowOfBlock(slice, shapeOf(result));
  auto [start, rest] = positionOf(loc, window, offsets);
  Value source = windowed.lookup(slice.getOperand());
  if (window.isDirect)
    return emitCopy(loc, source, destination(result), window.sizes, identity, identity, start);
  Value box = kernel::AllocOp::create(b, loc, bufferType(window.place(), elementOf(result)));
  emitCopy(loc, source, box, window.sizes, identity, identity, start);
  emitCopy(loc, box, destination(result), window.slice, identity, identity, rest);
}

void StageBuilder::emitUpdate(stablehlo::DynamicUpdateSliceOp op, ValueRange offsets) {
  Location loc = op.getLoc();
  Value result = op.getResult();
  SmallVector<int64_t> shape = shapeOf(op.getUpdate());
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  if (!windowOf(op)) {
    Value source = buffer(op.getOperand());
    Value target = destination(result);
    emitCopy(loc, source, target, shapeOf(result), identity, identity);
    if (!isZeroSized(op.getUpdate()))
      emitCopy(loc, buffer(op.getUpdate()), target, shape, identity, identity, {}, offsets);
    return;
  }
  CopyWindow window = *windowOfBlock(op, shape);
  auto [start, rest] = positionOf(loc, window, offsets);
  Value update = buffer(op.getUpdate()), target = destination(result);
  if (window.isDirect)
    return emitCopy(loc, update, target, shape, identity, identity, {}, start);
  // What is beside the slice in its rows stays.
  auto place = bufferType(window.place(), elementOf(result));
  Value box = kernel::AllocOp::create(b, loc, place);
  emitCopy(loc, target, box, window.sizes, identity, identity, start);
  bool isShorter = llvm::any_of(window.missing, [](int64_t elements) { return elements != 0; });
  Value moved = isShorter ? kernel::AllocOp::create(b, loc, place).getResult() : box;
  emitCopy(loc, update, moved, shape, identity, identity, {}, rest);
  if (isShorter)
    selectUpdate(op, box, moved, rest);
  emitCopy(loc, box, target, window.sizes, identity, identity, {}, start);
}

/// Replaces in `box` what the update has of it: its block stands at `rest` in `moved`, and the last
/// one goes on behind the update's end.
void StageBuilder::selectUpdate(stablehlo::DynamicUpdateSliceOp op, Value box, Value moved,
                                ValueRange rest) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = shapeOf(op.getUpdate());
  SmallVector<Value> origins;
  for (Value offset : rest)
    origins.push_back(arith::SubIOp::create(b, loc, constantIndex(loc, 0), offset));
  SmallVector<Range> ranges;
  ArrayRef<int64_t> place = cast<kernel::BufferType>(box.getType()).getShape();
  for (auto [d, size] : llvm::enumerate(shape))
    if (size != place[d])
      ranges.push_back({static_cast<int64_t>(d), origins[d], 0, size});
  for (const Cut &cut : blocking.cuts)
    if (auto dim = cut.dimOf(op.getUpdate())) {
      Value first = arith::AddIOp::create(b, loc, origins[*dim], firstOf(loc, cut));
      ranges.push_back(
          {*dim, first, 0, cast<RankedTensorType>(op.getUpdate().getType()).getDimSize(*dim)});
    }
  emitElements(b, loc, {box, moved}, box, [&](ValueRange elements) -> Value {
    Value inside = isWithin(loc, ranges);
    return stablehlo::SelectOp::create(b, loc, inside, elements[1], elements[0]);
  });
}

} // namespace systole
