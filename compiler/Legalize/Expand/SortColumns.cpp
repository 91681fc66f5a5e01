// Where the elements of a sort lie.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/SortColumns.h"

#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::expansion {

/// From this number of independent rows on, they are placed along the lanes.
constexpr int64_t kLaneRows = 32;
/// Of runs in chunks of one sequence, before they are compared with each other.
constexpr int64_t kLeastHalvings = 2;

SortColumns::SortColumns(stablehlo::SortOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  int64_t dim = op.getSortedDimension();
  size = shape[dim];
  outer = ShapedType::getNumElements(shape.take_front(dim));
  inner = ShapedType::getNumElements(shape.drop_front(dim + 1));
  padded = std::max<int64_t>(llvm::PowerOf2Ceil(size), kernel::kLeastSortedRows);
}

int64_t SortColumns::paddedInner() const {
  return chunks == 1 ? inner : int64_t(llvm::PowerOf2Ceil(inner));
}

void SortColumns::transpose() {
  isTransposed = !isTransposed;
  std::swap(outer, inner);
}

void SortColumns::fillLanes() {
  chunks = std::clamp<int64_t>(kLanes / int64_t(llvm::PowerOf2Ceil(inner)), 1,
                               std::max<int64_t>(1, padded / kernel::kLeastChunkRows));
}

void SortColumns::arrange(int64_t arrays, int64_t bytes) {
  // Of several blocks the next one comes, and the last one goes, while one is sorted.
  auto fits = [&] {
    int64_t copies = outer * parts * llvm::divideCeil(lanes(), kLanes) == 1 ? 2 : 4;
    return copies * arrays * rows() * kRowBytes <= bytes;
  };
  if (inner == 1 && outer >= kLaneRows) {
    transpose();
    fillLanes();
    if (fits())
      return;
    transpose();
  }
  fillLanes();
  while (!fits() && rows() > kernel::kLeastChunkRows)
    parts *= 2;
}

void SortColumns::arrangeRuns(int64_t count) {
  auto runOf = [&] {
    int64_t least = chunks > 1 ? kernel::kLeastChunkRows : kernel::kLeastSortedRows;
    return std::max<int64_t>(llvm::PowerOf2Ceil(count), least);
  };
  fillLanes();
  // A sequence that fills the lanes by itself stays as it is, if little of it is left for the
  // network between lanes.
  if (inner == 1 && outer >= kLaneRows && runOf() << kLeastHalvings > rows()) {
    transpose();
    fillLanes();
  }
  runLength = runOf();
  if (2 * runLength <= rows())
    return;
  runLength = 0;
  if (isTransposed)
    transpose();
}

} // namespace systole::expansion
