// Which indices operations may have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Numerics/IndexBounds.h"

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::numerics {

using namespace stablehlo;

/// Starts of windows of `sizes` in `shape`, one operand for each dimension.
static std::vector<IndexBounds> boundsOfStarts(unsigned first, ArrayRef<int64_t> shape,
                                               ArrayRef<int64_t> sizes) {
  std::vector<IndexBounds> bounds;
  for (auto [d, size] : llvm::enumerate(sizes))
    bounds.push_back({unsigned(first + d), -1, {0}, {shape[d] - size}});
  return bounds;
}

/// Windows of `sizes` in `shape` whose entries of an index lie along `vectorDim` of the indices.
static std::vector<IndexBounds> boundsOfIndices(unsigned operand, Value indices, int64_t vectorDim,
                                                ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                                                ArrayRef<int64_t> sizes) {
  IndexBounds bounds{operand, vectorDim, {}, {}};
  if (vectorDim == typeOf(indices).getRank())
    bounds.vectorDim = -1;
  for (int64_t dim : dims) {
    bounds.least.push_back(0);
    bounds.most.push_back(shape[dim] - sizes[dim]);
  }
  if (dims.empty())
    return {};
  return {bounds};
}

/// The integer that all elements of a constant have, also one that has been broadcast.
static std::optional<int64_t> constantOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  const APInt number = elements.getSplatValue<APInt>();
  if (number.getBitWidth() > 64)
    return std::nullopt;
  return elements.getElementType().isUnsignedInteger() ? int64_t(number.getZExtValue())
                                                       : number.getSExtValue();
}

static std::vector<IndexBounds> boundsOfClamp(ClampOp op) {
  const std::optional<int64_t> least = constantOf(op.getMin()), most = constantOf(op.getMax());
  if (!least || !most)
    return {};
  return {{1, -1, {*least}, {*most}}};
}

std::vector<IndexBounds> indexBounds(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::vector<IndexBounds>>(op)
      .Case([](DynamicSliceOp op) {
        return boundsOfStarts(1, shapeOf(op.getOperand()), op.getSliceSizes());
      })
      .Case([](DynamicUpdateSliceOp op) {
        return boundsOfStarts(2, shapeOf(op.getOperand()), shapeOf(op.getUpdate()));
      })
      .Case([](GatherOp op) {
        GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
        return boundsOfIndices(1, op.getStartIndices(), numbers.getIndexVectorDim(),
                               numbers.getStartIndexMap(), shapeOf(op.getOperand()),
                               op.getSliceSizes());
      })
      .Case([](ScatterOp op) {
        ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
        return boundsOfIndices(op.getInputs().size(), op.getScatterIndices(),
                               numbers.getIndexVectorDim(), numbers.getScatterDimsToOperandDims(),
                               shapeOf(op.getInputs().front()), op.getWindowSizes());
      })
      .Case([](ClampOp op) { return boundsOfClamp(op); })
      .Default([](Operation *) { return std::vector<IndexBounds>(); });
}

} // namespace systole::numerics
