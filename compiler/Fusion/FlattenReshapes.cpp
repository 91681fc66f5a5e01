// Takes reshapes that no kernel can cut through one dimension.
// See docs/decisions/reshapes-and-transpositions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
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

/// A few long rows one by one: each is a dimension already. A kernel puts so many together.
constexpr int64_t kMaxRows = 128;
constexpr size_t kMaxPieces = 16;

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
  auto position = RankedTensorType::get({}, b.getI32Type());
  SmallVector<Value> pieces;
  for (int64_t row = 0; row < rows; ++row) {
    RankedTensorType piece = flattens ? from.clone({1, columns}) : from.clone({columns});
    Value slice;
    if (flattens) {
      // As a window: the rows beside it stay where they are.
      auto index = [&](int64_t value) -> Value {
        return stablehlo::ConstantOp::create(
            b, loc, DenseElementsAttr::get(position, static_cast<int32_t>(value)));
      };
      slice = stablehlo::DynamicSliceOp::create(b, loc, piece, op.getOperand(),
                                                ValueRange{index(row), index(0)}, piece.getShape());
      assignAccess(slice.getDefiningOp());
    } else {
      slice = stablehlo::SliceOp::create(
          b, loc, piece, op.getOperand(), ArrayRef<int64_t>{row * columns},
          ArrayRef<int64_t>{(row + 1) * columns}, ArrayRef<int64_t>{1});
    }
    RankedTensorType other = flattens ? from.clone({columns}) : from.clone({1, columns});
    pieces.push_back(kernel::ReinterpretOp::create(b, loc, other, slice));
  }
  // Sixteen at a time, until one is left.
  while (pieces.size() > 1) {
    SmallVector<Value> parts;
    for (size_t first = 0; first < pieces.size(); first += kMaxPieces) {
      ArrayRef<Value> some = ArrayRef(pieces).drop_front(first).take_front(kMaxPieces);
      int64_t size = 0;
      for (Value piece : some)
        size += cast<RankedTensorType>(piece.getType()).getDimSize(0);
      RankedTensorType type = flattens ? to.clone({size}) : to.clone({size, columns});
      parts.push_back(stablehlo::ConcatenateOp::create(b, loc, type, some, /*dimension=*/0));
    }
    pieces = std::move(parts);
  }
  op.replaceAllUsesWith(pieces.front());
  op.erase();
}

struct FlattenReshapes : PlanningPass<impl::FlattenReshapesBase<FlattenReshapes>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation()->walk([&](ReshapeOp op) {
      auto from = cast<RankedTensorType>(op.getOperand().getType());
      auto to = cast<RankedTensorType>(op.getType());
      SmallVector<Operation *> ops;
      appendWithRematerialized(op, ops);
      if (from.getNumElements() == 0 || planner().plan(ops))
        return;
      // What it would have a copy of may come to HBM instead.
      if (matrixOf(from) != matrixOf(to) && planner().plan({op}))
        return;
      OpBuilder b(op);
      Location loc = op.getLoc();
      auto rows = [&](Value value, RankedTensorType type) -> Value {
        if (value.getType() == type)
          return value;
        // Narrow rows may have padding between them.
        if (!isRowView(cast<RankedTensorType>(value.getType()), type))
          return ReshapeOp::create(b, loc, type, value);
        return kernel::ReinterpretOp::create(b, loc, type, value);
      };
      if (matrixOf(from) == matrixOf(to) && !isRowView(from, to))
        return;
      Value matrix = rows(op.getOperand(), matrixOf(from));
      if (matrixOf(from) == matrixOf(to)) {
        op.replaceAllUsesWith(rows(matrix, to));
        op.erase();
        return;
      }
      auto flat = ReshapeOp::create(b, loc, from.clone({from.getNumElements()}), matrix);
      Value result = ReshapeOp::create(b, loc, matrixOf(to), flat);
      op.replaceAllUsesWith(rows(result, to));
      op.erase();
      for (ReshapeOp step : {flat, result.getDefiningOp<ReshapeOp>()}) {
        if (step.getType() == step.getOperand().getType()) {
          step.replaceAllUsesWith(step.getOperand());
          step.erase();
        } else if (!planner().plan({step})) {
          takeRowByRow(step);
        }
      }
    });
  }
};

} // namespace

std::unique_ptr<Pass> createFlattenReshapes(std::shared_ptr<Planner> planner) {
  return std::make_unique<FlattenReshapes>(std::move(planner));
}

} // namespace systole
