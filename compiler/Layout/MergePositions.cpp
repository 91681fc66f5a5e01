// Makes one dimension of many along which the positions of a gather count.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Passes.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MERGEPOSITIONS
#include "compiler/Layout/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Whether neither the operand nor the order of the result tells the dimensions of positions apart.
bool hasAnonymousPositions(GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> offsets = numbers.getOffsetDims();
  int64_t rank = typeOf(op.getResult()).getRank();
  bool areLast = offsets.empty() || offsets.front() == rank - int64_t(offsets.size());
  return areLast && numbers.getOperandBatchingDims().empty() &&
         numbers.getIndexVectorDim() >= typeOf(op.getStartIndices()).getRank() - 1;
}

void mergePositions(GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType type = typeOf(op.getResult()), indices = typeOf(op.getStartIndices());
  size_t offsets = numbers.getOffsetDims().size();
  SmallVector<int64_t> sizes = {1}, positions;
  for (int64_t size : type.getShape().drop_back(offsets))
    sizes.front() *= size;
  positions = sizes;
  llvm::append_range(sizes, type.getShape().take_back(offsets));
  if (numbers.getIndexVectorDim() < indices.getRank())
    positions.push_back(indices.getShape().back());

  OpBuilder b(op);
  Location loc = op.getLoc();
  Value starts = ReshapeOp::create(b, loc, indices.clone(positions), op.getStartIndices());
  auto merged = GatherDimensionNumbersAttr::get(
      op.getContext(), llvm::to_vector(llvm::seq<int64_t>(1, int64_t(sizes.size()))),
      numbers.getCollapsedSliceDims(), {}, {}, numbers.getStartIndexMap(), /*indexVectorDim=*/1);
  Value rows = GatherOp::create(b, loc, type.clone(sizes), op.getOperand(), starts, merged,
                                op.getSliceSizesAttr(), op.getIndicesAreSortedAttr());
  op.replaceAllUsesWith(ReshapeOp::create(b, loc, type, rows).getResult());
  op.erase();
}

struct MergePositions : impl::MergePositionsBase<MergePositions> {
  using MergePositionsBase::MergePositionsBase;

  void runOnOperation() override {
    getOperation().walk([&](GatherOp op) {
      if (typeOf(op.getResult()).getRank() > mostDimensions && hasAnonymousPositions(op))
        mergePositions(op);
    });
  }
};

} // namespace
} // namespace systole
