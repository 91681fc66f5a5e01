// The iterations of products on the MXUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/ContractionCost.h"

using namespace mlir;

namespace systole {

/// Blocks of 128 rows, or of 128 lanes, of rhs.
static void setSteps(DotShape &shape, int64_t tiles) {
  int64_t alongRows = kLanes * tiles;
  shape.kStep = shape.rhsTransposed ? 1 : alongRows;
  shape.nStep = shape.rhsTransposed ? alongRows : 1;
}

/// The logical rows by which a step along `dim` of the space advances.
static int64_t rowsAlong(const VmemBlock &block, const IndexMap &map, size_t dim) {
  int64_t rows = 0;
  for (size_t d = map.size() - 1; d-- > 0;)
    rows += map.factor(d, dim) * block.pitch(d);
  return rows;
}

DotShape shapeOf(const Contraction &of) {
  DotShape shape;
  shape.k = of.lhs.lanes();
  shape.n = of.out.lanes();
  SmallVector<DotRun> kRuns, nRuns;
  auto isIn = [](const IndexMap &map, size_t dim) {
    for (size_t row = 0; row < map.size(); ++row)
      if (map.factor(row, dim))
        return true;
    return false;
  };
  for (size_t dim = 0; dim < of.sizes.size(); ++dim) {
    DotDim direction{of.sizes[dim], rowsAlong(of.lhs, of.ofLhs, dim),
                     rowsAlong(of.rhs, of.ofRhs, dim), rowsAlong(of.out, of.ofOut, dim)};
    bool isK = of.ofLhs.factor(of.ofLhs.size() - 1, dim) != 0;
    bool isN = of.ofOut.factor(of.ofOut.size() - 1, dim) != 0;
    if (isK || isN) {
      shape.rhsTransposed |= isK && of.ofRhs.factor(of.ofRhs.size() - 1, dim);
      (isK ? kRuns : nRuns).push_back({direction.size, direction.rhs});
      continue;
    }
    bool inOut = isIn(of.ofOut, dim), inRhs = isIn(of.ofRhs, dim);
    (!inOut ? shape.depth : inRhs ? shape.batch : shape.rows).push_back(direction);
  }
  if (kRuns.size() == 1)
    shape.k = kRuns.front().size;
  shape.runs.append(shape.rhsTransposed ? nRuns : kRuns);
  setSteps(shape, shape.runs.empty() ? 0 : shape.runs.back().pitch);
  shape.orderLoops();
  return shape;
}

DotShape shapeOfProduct(const VmemBlock &lhs, const VmemBlock &rhs, const VmemBlock &out,
                        bool rhsTransposed) {
  DotShape shape;
  shape.k = lhs.lanes();
  shape.n = out.lanes();
  shape.rhsTransposed = rhsTransposed;
  size_t row = lhs.shape.size() - 2;
  SmallVector<DotDim, 3> batch;
  for (size_t d = 0; d < row; ++d)
    batch.push_back({lhs.shape[d], lhs.pitch(d), rhs.pitch(d), out.pitch(d)});
  shape.setBatch(std::move(batch));
  shape.rows = {{lhs.shape[row], lhs.pitch(row), 0, out.pitch(row)}};
  shape.runs = {{rhsTransposed ? shape.n : shape.k, rhs.pitch(row)}};
  setSteps(shape, rhs.pitch(row));
  return shape;
}

} // namespace systole
