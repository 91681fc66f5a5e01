// Takes reshapes that no kernel can cut through one dimension.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tiling/Blocking.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FLATTENRESHAPES
#include "compiler/Fusion/Passes.h.inc"

namespace {

using stablehlo::ReshapeOp;

/// The rows of a tensor as one dimension, as they lie.
RankedTensorType matrixOf(RankedTensorType type) {
  if (type.getRank() < 2)
    return type;
  int64_t columns = type.getShape().back();
  return type.clone({type.getNumElements() / columns, columns});
}

/// A few long rows one by one: each is a dimension already.
constexpr int64_t kMaxRows = 16;

/// Replaces `op`, which makes rows one dimension or one dimension rows, by slices of its
/// operand, put together in the other form.
void takeRowByRow(ReshapeOp op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto to = cast<RankedTensorType>(op.getType());
  bool flattens = from.getRank() == 2;
  int64_t rows = (flattens ? from : to).getDimSize(0);
  int64_t columns = (flattens ? from : to).getDimSize(1);
  if (rows > kMaxRows)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> pieces;
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<int64_t> start = {row, 0}, limit = {row + 1, columns}, ones = {1, 1};
    if (!flattens) {
      start = {row * columns};
      limit = {(row + 1) * columns};
      ones = {1};
    }
    RankedTensorType piece = flattens ? from.clone({1, columns}) : from.clone({columns});
    Value slice = stablehlo::SliceOp::create(b, loc, piece, op.getOperand(), start, limit, ones);
    RankedTensorType other = flattens ? from.clone({columns}) : from.clone({1, columns});
    pieces.push_back(kernel::ReinterpretOp::create(b, loc, other, slice));
  }
  Value whole = stablehlo::ConcatenateOp::create(b, loc, to, pieces, /*dimension=*/0);
  op.replaceAllUsesWith(whole);
  op.erase();
}

struct FlattenReshapes : impl::FlattenReshapesBase<FlattenReshapes> {
  using FlattenReshapesBase::FlattenReshapesBase;

  void runOnOperation() override {
    getOperation()->walk([&](ReshapeOp op) {
      auto from = cast<RankedTensorType>(op.getOperand().getType());
      auto to = cast<RankedTensorType>(op.getType());
      if (from.getNumElements() == 0 || findTightBlocking({op}, vmemBytes))
        return;
      OpBuilder b(op);
      Location loc = op.getLoc();
      auto rows = [&](Value value, RankedTensorType type) -> Value {
        if (value.getType() == type)
          return value;
        return kernel::ReinterpretOp::create(b, loc, type, value);
      };
      Value matrix = rows(op.getOperand(), matrixOf(from));
      auto flat = ReshapeOp::create(b, loc, from.clone({from.getNumElements()}), matrix);
      Value result = ReshapeOp::create(b, loc, matrixOf(to), flat);
      op.replaceAllUsesWith(rows(result, to));
      op.erase();
      for (ReshapeOp step : {flat, result.getDefiningOp<ReshapeOp>()}) {
        if (step.getType() == step.getOperand().getType()) {
          step.replaceAllUsesWith(step.getOperand());
          step.erase();
        } else if (!findTightBlocking({step}, vmemBytes)) {
          takeRowByRow(step);
        }
      }
    });
  }
};

} // namespace
} // namespace systole
