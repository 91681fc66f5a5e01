// Where the elements of results come from.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/Sources.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

int64_t linear(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    number = number * size + i;
  return number;
}

void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t count = ShapedType::getNumElements(shape); count > 0; --count) {
    visit(index);
    for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

namespace {

using Index = ArrayRef<int64_t>;
using Place = SmallVector<int64_t>;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Place broadcastPlace(BroadcastInDimOp op, Index index) {
  Place place;
  for (auto [dim, size] : llvm::zip_equal(op.getBroadcastDimensions(), shapeOf(op.getOperand())))
    place.push_back(size == 1 ? 0 : index[dim]);
  return place;
}

Place slicePlace(SliceOp op, Index index) {
  Place place;
  for (auto [i, start, stride] : llvm::zip_equal(index, op.getStartIndices(), op.getStrides()))
    place.push_back(start + i * stride);
  return place;
}

Place transposePlace(TransposeOp op, Index index) {
  Place place(index.size());
  for (auto [i, dim] : llvm::zip_equal(index, op.getPermutation()))
    place[dim] = i;
  return place;
}

Place reversePlace(ReverseOp op, Index index) {
  Place place(index);
  for (int64_t dim : op.getDimensions())
    place[dim] = shapeOf(op.getOperand())[dim] - 1 - index[dim];
  return place;
}

Source concatenateSource(ConcatenateOp op, Index index) {
  Place place(index);
  unsigned number = 0;
  for (int64_t dim = op.getDimension();; ++number) {
    int64_t size = shapeOf(op.getInputs()[number])[dim];
    if (place[dim] < size)
      break;
    place[dim] -= size;
  }
  return {number, linear(place, shapeOf(op.getInputs()[number]))};
}

Source padSource(PadOp op, Index index) {
  Place place;
  for (auto [i, low, inner, size] : llvm::zip_equal(
           index, op.getEdgePaddingLow(), op.getInteriorPadding(), shapeOf(op.getOperand()))) {
    int64_t at = i - low, step = inner + 1;
    if (at < 0 || at % step != 0 || at / step >= size)
      return {1, 0}; // the padding value
    place.push_back(at / step);
  }
  return {0, linear(place, shapeOf(op.getOperand()))};
}

} // namespace

std::optional<SmallVector<Source>> sourcesOf(Operation *op) {
  std::optional<SmallVector<Source>> sources;
  auto gather = [&](auto source) {
    sources.emplace();
    forEachIndex(shapeOf(op->getResult(0)),
                 [&](Index index) { sources->push_back(source(index)); });
  };
  auto move = [&](auto op, auto place) {
    gather([&](Index index) {
      return Source{0, linear(place(op, index), shapeOf(op->getOperand(0)))};
    });
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ReshapeOp op) {
        ArrayRef<int64_t> shape = shapeOf(op.getResult());
        gather([&](Index index) { return Source{0, linear(index, shape)}; });
      })
      .Case([&](BroadcastInDimOp op) { move(op, broadcastPlace); })
      .Case([&](SliceOp op) { move(op, slicePlace); })
      .Case([&](TransposeOp op) { move(op, transposePlace); })
      .Case([&](ReverseOp op) { move(op, reversePlace); })
      .Case([&](ConcatenateOp op) {
        gather([&](Index index) { return concatenateSource(op, index); });
      })
      .Case([&](PadOp op) { gather([&](Index index) { return padSource(op, index); }); });
  return sources;
}

} // namespace systole::refine
