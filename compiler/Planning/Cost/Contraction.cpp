// The iterations of products on the MXUs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Contraction.h"

using namespace mlir;

namespace systole {

/// Blocks of 128 rows, or of 128 lanes, of rhs.
static void setSteps(DotShape &shape, int64_t tiles) {
  int64_t alongRows = kLanes * tiles;
  shape.kStep = shape.rhsTransposed ? 1 : alongRows;
  shape.nStep = shape.rhsTransposed ? alongRows : 1;
}

/// The logical rows by which a step along `dim` of the space advances.
static int64_t rowsAlong(const Block &block, const IndexMap &map, size_t dim) {
  int64_t pitch = block.tiles(), rows = 0;
  for (size_t d = map.size() - 1; d-- > 0;) {
    rows += map.factor(d, dim) * pitch;
    pitch *= block.shape[d];
  }
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
  shape.runs.append(shape.rhsTransposed ? nRuns : kRuns);
  setSteps(shape, shape.runs.empty() ? 0 : shape.runs.back().pitch);
  shape.orderLoops();
  return shape;
}

DotShape shapeOfProduct(const Block &lhs, const Block &rhs, const Block &out, bool rhsTransposed) {
  DotShape shape;
  shape.k = lhs.lanes();
  shape.n = out.lanes();
  shape.rhsTransposed = rhsTransposed;
  int64_t m = lhs.shape[lhs.shape.size() - 2], batch = 1;
  for (int64_t size : ArrayRef<int64_t>(lhs.shape).drop_back(2))
    batch *= size;
  int64_t rhsRows = rhsTransposed ? shape.n : shape.k;
  shape.batch = {{batch, m * shape.kBlocks(), rhsRows * rhs.tiles(), m * shape.nBlocks()}};
  shape.rows = {{m, shape.kBlocks(), 0, shape.nBlocks()}};
  shape.runs = {{rhsRows, rhs.tiles()}};
  setSteps(shape, rhs.tiles());
  return shape;
}

} // namespace systole
