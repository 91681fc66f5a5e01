// The canonical form of scatters.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Scatters.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "compiler/Tensor/OpKinds.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

int64_t scatterChunk(ArrayRef<int64_t> window) {
  // A multiple of the rows packed together in any type, and no more indices than fit into SMEM.
  constexpr int64_t most = 1024, least = 8, rows = 2048;
  int64_t perUpdate = window.empty() ? 1 : llvm::divideCeil(window.back(), kLanes);
  for (int64_t size : window.empty() ? window : window.drop_back())
    perUpdate *= size;
  return std::clamp<int64_t>(llvm::bit_floor(uint64_t(rows / std::max<int64_t>(1, perUpdate))),
                             least, most);
}

bool isElementwiseBody(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return kindOf(&op) == OpKind::Elementwise || isSplatConstant(&op);
  });
}

bool hasChunks(stablehlo::ScatterOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getUpdates().front()).getShape();
  return shape.front() > scatterChunk(shape.drop_front());
}

bool isRowScatter(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  RankedTensorType indices = typeOf(op.getScatterIndices());
  ArrayRef<int64_t> input = typeOf(op.getInputs().front()).getShape();
  ArrayRef<int64_t> update = typeOf(op.getUpdates().front()).getShape();
  const int64_t first[] = {0};
  if (indices.getRank() != 1 || typeOf(op.getUpdates().front()).getNumElements() == 0 ||
      !indices.getElementType().isInteger(32) || numbers.getIndexVectorDim() != 1 ||
      input.size() != update.size() || input.drop_front() != update.drop_front() ||
      !llvm::equal(numbers.getInsertedWindowDims(), first) ||
      !llvm::equal(numbers.getScatterDimsToOperandDims(), first) ||
      !llvm::equal(numbers.getUpdateWindowDims(), llvm::seq<int64_t>(1, input.size())))
    return false;
  for (auto [value, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
    if (value.getType() != result.getType())
      return false;
  for (auto [value, result] : llvm::zip_equal(op.getUpdates(), op.getResults()))
    if (typeOf(value).getElementType() != typeOf(result).getElementType())
      return false;
  return isElementwiseBody(op.getUpdateComputation().front()) &&
         (!hasChunks(op) || update.front() % scatterChunk(update.drop_front()) == 0);
}

} // namespace systole
