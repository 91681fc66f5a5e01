// Derives the iterations of products from their operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/DotLoops.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// Blocks of 128 rows, or of 128 lanes, of rhs.
static void setSteps(DotShape &shape, int64_t tiles) {
  int64_t alongRows = kLanes * tiles;
  shape.kStep = shape.rhsTransposed ? 1 : alongRows;
  shape.nStep = shape.rhsTransposed ? alongRows : 1;
}

DotShape codegen::shapeOf(kernel::DotOp op) {
  ArrayRef<int64_t> left = op.getLhs().getType().getShape();
  DotShape shape;
  shape.k = left.back();
  shape.n = op.getOut().getType().getShape().back();
  shape.rhsTransposed = op.getRhsTransposed();
  kernel::BufferType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
                     out = op.getOut().getType();
  int64_t row = lhs.getRank() - 2, tiles = rhs.getPitch(row);
  SmallVector<DotDim, 3> batch;
  for (int64_t d = 0; d < row; ++d)
    batch.push_back({left[d], lhs.getPitch(d), rhs.getPitch(d), out.getPitch(d)});
  shape.setBatch(std::move(batch));
  shape.rows = {{left[row], lhs.getPitch(row), 0, out.getPitch(row)}};
  shape.runs = {{shape.rhsTransposed ? shape.n : shape.k, tiles}};
  setSteps(shape, tiles);
  return shape;
}

/// The coefficient of dimension `dim` in a linear expression; the constant term, if it is `dims`.
static int64_t factorOf(AffineExpr expr, unsigned dim, unsigned dims) {
  SmallVector<int64_t> flat;
  if (failed(getFlattenedAffineExpr(expr, dims, 0, &flat)))
    return 0;
  return flat[dim];
}

/// Logical rows by which an iteration along `dim` moves through a buffer; the initial offset, if it
/// is the number of dimensions.
static int64_t rowsAlong(kernel::BufferType type, AffineMap map, unsigned dim) {
  int64_t rows = 0;
  for (int64_t d = type.getRank() - 2; d >= 0; --d)
    rows += factorOf(map.getResult(d), dim, map.getNumDims()) * type.getPitch(d);
  return rows;
}

DotShape codegen::shapeOf(kernel::ContractOp op) {
  kernel::BufferType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
                     out = op.getOut().getType();
  AffineMap lhsMap = op.getLhsMap(), rhsMap = op.getRhsMap(), outMap = op.getOutMap();
  unsigned dims = lhsMap.getNumDims();
  auto alongLanes = [&](AffineMap map, unsigned dim) {
    return factorOf(map.getResults().back(), dim, dims);
  };
  DotShape shape;
  shape.lhsBase = rowsAlong(lhs, lhsMap, dims);
  shape.rhsBase = rowsAlong(rhs, rhsMap, dims);
  shape.outBase = rowsAlong(out, outMap, dims);
  shape.k = lhs.getLaneCount();
  shape.n = out.getLaneCount();
  SmallVector<DotRun> kRuns, nRuns;
  for (unsigned dim = 0; dim < dims; ++dim) {
    DotDim direction{op.getSizes()[dim], rowsAlong(lhs, lhsMap, dim), rowsAlong(rhs, rhsMap, dim),
                     rowsAlong(out, outMap, dim)};
    bool isK = alongLanes(lhsMap, dim), isN = alongLanes(outMap, dim);
    if (isK || isN) {
      shape.rhsTransposed |= isK && alongLanes(rhsMap, dim);
      (isK ? kRuns : nRuns).push_back({direction.size, direction.rhs});
      continue;
    }
    bool inOut = outMap.isFunctionOfDim(dim), inRhs = rhsMap.isFunctionOfDim(dim);
    (!inOut ? shape.depth : inRhs ? shape.batch : shape.rows).push_back(direction);
  }
  if (kRuns.size() == 1)
    shape.k = kRuns.front().size;
  shape.runs.append(shape.rhsTransposed ? nRuns : kRuns);
  setSteps(shape, shape.runs.empty() ? 0 : shape.runs.back().pitch);
  auto rangeOf = [](std::optional<ArrayRef<int64_t>> lanes) {
    return lanes ? DotShape::LaneRange{(*lanes)[0], (*lanes)[1]} : DotShape::LaneRange();
  };
  shape.lhsLanes = rangeOf(op.getLhsLanes());
  shape.outLanes = rangeOf(op.getOutLanes());

  shape.orderLoops();
  return shape;
}
