// Slices and updates at computed positions, as copy stages with offsets.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageGather.h"

#include "compiler/Tiling/ScalarArithmetic.h"

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

StageBuilder::Position StageBuilder::positionOf(Location loc, const Window &window,
                                                ValueRange offsets) {
  Position position;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Value start = offset, rest = constantIndex(loc, 0);
    if (window.lastStart[d] == 0) {
      std::swap(start, rest);
    } else if (window.sizes[d] != window.slice[d]) {
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
  Location loc = op->getLoc();
  auto offsetsOf = [&](ValueRange indices, ArrayRef<int64_t> whole, ArrayRef<int64_t> box) {
    SmallVector<Value> offsets;
    for (auto [index, size, boxSize] : llvm::zip_equal(indices, whole, box))
      offsets.push_back(size == boxSize ? constantIndex(loc, 0)
                                        : clampedIndex(loc, index, {}, size - boxSize));
    return offsets;
  };
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op))
    return emitUpdate(update, offsetsOf(update.getStartIndices(), shapeOf(update.getOperand()),
                                        shapeOf(update.getUpdate())));
  auto slice = cast<stablehlo::DynamicSliceOp>(op);
  Value result = slice.getResult();
  AffineMap identity = b.getMultiDimIdentityMap(shapeOf(result).size());
  SmallVector<Value> offsets =
      offsetsOf(slice.getStartIndices(), shapeOf(slice.getOperand()), slice.getSliceSizes());
  std::optional<Window> window = windowOf(slice);
  if (!window) {
    Value source = buffer(slice.getOperand());
    return emitCopy(loc, source, destination(result), shapeOf(result), identity, identity, offsets);
  }
  auto [start, rest] = positionOf(loc, *window, offsets);
  Value source = windowed.lookup(slice.getOperand());
  if (window->isDirect)
    return emitCopy(loc, source, destination(result), window->sizes, identity, identity, start);
  Value box = kernel::AllocOp::create(b, loc, bufferType(window->sizes, elementOf(result)));
  emitCopy(loc, source, box, window->sizes, identity, identity, start);
  emitCopy(loc, box, destination(result), window->slice, identity, identity, rest);
}

void StageBuilder::emitUpdate(stablehlo::DynamicUpdateSliceOp op, ValueRange offsets) {
  Location loc = op.getLoc();
  Value result = op.getResult();
  SmallVector<int64_t> shape = shapeOf(op.getUpdate());
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  std::optional<Window> window = windowOf(op);
  if (!window) {
    Value source = buffer(op.getOperand());
    Value target = destination(result);
    emitCopy(loc, source, target, shapeOf(result), identity, identity);
    if (!isZeroSized(op.getUpdate()))
      emitCopy(loc, buffer(op.getUpdate()), target, shape, identity, identity, {}, offsets);
    return;
  }
  auto [start, rest] = positionOf(loc, *window, offsets);
  Value update = buffer(op.getUpdate()), target = destination(result);
  if (window->isDirect)
    return emitCopy(loc, update, target, shape, identity, identity, {}, start);
  // What is beside the slice in its rows stays.
  Value box = kernel::AllocOp::create(b, loc, bufferType(window->sizes, elementOf(result)));
  emitCopy(loc, target, box, window->sizes, identity, identity, start);
  emitCopy(loc, update, box, shape, identity, identity, {}, rest);
  emitCopy(loc, box, target, window->sizes, identity, identity, {}, start);
}

} // namespace systole
