// The relations of operations at computed positions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Relations/RelationBuilder.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole {

using IndexList = ArrayRef<int64_t>;

/// Slices stay within the array: one of its size can only start at 0.
static IndexRelation::Kind startOf(int64_t sliceSize, int64_t arraySize) {
  return sliceSize == arraySize ? IndexRelation::Affine : IndexRelation::Computed;
}

/// The numbers below `rank` that are in none of `lists`.
static SmallVector<int64_t> without(int64_t rank, std::initializer_list<IndexList> lists) {
  SmallVector<int64_t> rest;
  for (int64_t d : llvm::seq(rank))
    if (llvm::none_of(lists, [&](IndexList list) { return llvm::is_contained(list, d); }))
      rest.push_back(d);
  return rest;
}

void relateDynamicSlice(stablehlo::DynamicSliceOp op, RelationBuilder &b) {
  b.setIdentity(0);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOperand())))
    b.at(0, d).kind = startOf(op.getSliceSizes()[d], size);
}

void relateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op, RelationBuilder &b) {
  b.setIdentity(0);
  b.setIdentity(1);
  for (auto [d, size] : llvm::enumerate(shapeOf(op.getOperand())))
    b.at(1, d).kind = startOf(shapeOf(op.getUpdate())[d], size);
}

void relateGather(stablehlo::GatherOp op, RelationBuilder &b) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t rank = typeOf(op).getRank(), vectorDim = numbers.getIndexVectorDim();
  RankedTensorType indices = typeOf(op.getStartIndices()), operand = typeOf(op.getOperand());
  // The result's dimensions outside of slices enumerate the positions.
  SmallVector<int64_t> positions = without(rank, {numbers.getOffsetDims()});
  SmallVector<int64_t> positionDims = without(indices.getRank(), {{vectorDim}});
  for (auto [d, position] : llvm::zip_equal(positionDims, positions))
    b.at(1, d).expr = b.iterator(position);
  if (vectorDim < indices.getRank())
    b.at(1, vectorDim).kind = IndexRelation::Whole;

  SmallVector<int64_t> sliced = without(
      operand.getRank(), {numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims()});
  for (auto [d, offset] : llvm::zip_equal(sliced, numbers.getOffsetDims()))
    b.at(0, d).expr = b.iterator(offset);
  for (auto [d, of] :
       llvm::zip_equal(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
    b.at(0, d).expr = b.at(1, of).expr;
  for (int64_t d : numbers.getStartIndexMap())
    b.at(0, d).kind = startOf(op.getSliceSizes()[d], operand.getDimSize(d));
}

void relateScatter(stablehlo::ScatterOp op, RelationBuilder &b) {
  stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  unsigned inputs = op.getInputs().size();
  RankedTensorType indices = typeOf(op.getScatterIndices());
  RankedTensorType update = typeOf(op.getUpdates().front());
  RankedTensorType input = typeOf(op.getInputs().front());
  int64_t vectorDim = numbers.getIndexVectorDim();
  for (unsigned i = 0; i < inputs; ++i)
    b.setIdentity(i);

  // Every element sees all updates, but for those of other elements of a batch.
  SmallVector<int64_t> positionDims = without(indices.getRank(), {{vectorDim}});
  SmallVector<int64_t> positions = without(update.getRank(), {numbers.getUpdateWindowDims()});
  SmallVector<IndexRelation> ofUpdate(update.getRank());
  for (auto [d, position] : llvm::zip_equal(positionDims, positions)) {
    const int64_t *batch = llvm::find(numbers.getScatterIndicesBatchingDims(), d);
    size_t number = batch - numbers.getScatterIndicesBatchingDims().begin();
    bool isBatch = batch != numbers.getScatterIndicesBatchingDims().end();
    ofUpdate[position].expr = b.at(inputs, d).expr =
        isBatch ? b.iterator(numbers.getInputBatchingDims()[number])
                : b.add(IteratorKind::Reduced, indices.getDimSize(d));
  }
  if (vectorDim < indices.getRank())
    b.at(inputs, vectorDim).kind = IndexRelation::Whole;

  SmallVector<int64_t> windowed =
      without(input.getRank(), {numbers.getInsertedWindowDims(), numbers.getInputBatchingDims()});
  for (auto [d, window] : llvm::zip_equal(windowed, numbers.getUpdateWindowDims())) {
    bool isPlaced = llvm::is_contained(numbers.getScatterDimsToOperandDims(), d);
    ofUpdate[window].expr = b.iterator(d);
    if (isPlaced)
      ofUpdate[window].kind = startOf(update.getDimSize(window), input.getDimSize(d));
  }
  for (unsigned i = 0; i < inputs; ++i)
    for (auto [d, relation] : llvm::enumerate(ofUpdate))
      b.at(inputs + 1 + i, d) = relation;
}

} // namespace systole
