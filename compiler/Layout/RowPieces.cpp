// One element for each row of a tensor whose rows lie side by side.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/RowPieces.h"

#include "compiler/Layout/Order.h"
#include "compiler/Layout/RowTiles.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

/// The last dimension that is not of size 1.
int64_t rowsOf(RankedTensorType type) {
  int64_t rows = type.getRank() - 1;
  while (rows > 0 && type.getDimSize(rows) == 1)
    --rows;
  return rows;
}

/// Of each element of a tiled tensor of `shape`, whether it belongs to position `position`.
Value isAtPosition(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, int64_t position,
                   int64_t positions) {
  auto type = RankedTensorType::get(shape, b.getI32Type());
  auto constant = [&](int64_t value) -> Value {
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  };
  Value lane = IotaOp::create(b, loc, type, type.getRank() - 1);
  Value found =
      ShiftRightLogicalOp::create(b, loc, lane, constant(llvm::Log2_64(shape.back() / positions)));
  return CompareOp::create(b, loc, type.clone(b.getI1Type()), found, constant(position),
                           ComparisonDirection::EQ, ComparisonTypeAttr());
}

/// The dimensions of a tensor down to its rows, these as [rows / positions, last].
RankedTensorType dividedType(RankedTensorType type, int64_t positions, int64_t last) {
  int64_t rows = rowsOf(type);
  SmallVector<int64_t> shape(type.getShape().take_front(rows));
  shape.append({type.getDimSize(rows) / positions, last});
  return type.clone(shape);
}

} // namespace

RankedTensorType pieceType(RankedTensorType type, int64_t positions) {
  SmallVector<int64_t> shape(type.getShape());
  shape[rowsOf(type)] /= positions;
  return type.clone(shape);
}

Pieces splitRows(OpBuilder &b, Value value, int64_t positions) {
  Location loc = value.getLoc();
  RankedTensorType type = typeOf(value), divided = dividedType(type, positions, positions);
  Value all = ReshapeOp::create(b, loc, divided, value);
  Pieces pieces;
  for (int64_t i = 0; i < positions; ++i) {
    SmallVector<int64_t> starts(divided.getRank(), 0), limits(divided.getShape()),
        strides(divided.getRank(), 1);
    starts.back() = i;
    limits.back() = i + 1;
    Value piece = SliceOp::create(b, loc, all, starts, limits, strides);
    pieces.push_back(ReshapeOp::create(b, loc, pieceType(type, positions), piece));
  }
  return pieces;
}

Value joinRows(OpBuilder &b, const Pieces &pieces, RankedTensorType type) {
  Location loc = pieces.front().getLoc();
  int64_t positions = pieces.size();
  SmallVector<Value> columns;
  for (Value piece : pieces)
    columns.push_back(ReshapeOp::create(b, loc, dividedType(type, positions, 1), piece));
  RankedTensorType divided = dividedType(type, positions, positions);
  Value all = ConcatenateOp::create(b, loc, divided, columns, divided.getRank() - 1);
  return ReshapeOp::create(b, loc, type, all);
}

bool reducesRows(ReduceOp op) {
  RankedTensorType type = typeOf(op.getInputs().front());
  int64_t lanes = type.getRank() - 1;
  return positionsInRow(type) > 1 && identityOf(op) &&
         llvm::is_contained(op.getDimensions(), lanes) &&
         !llvm::is_contained(op.getDimensions(), lanes - 1);
}

Pieces reduceRows(OpBuilder &b, ReduceOp op, Value tiled) {
  Location loc = op.getLoc();
  RankedTensorType type = typeOf(tiled);
  int64_t positions = positionsInRow(typeOf(op.getInputs().front()));
  // Identities change no bit: lanes are combined at distances 64, 32, ...
  auto identity = cast<DenseElementsAttr>(identityOf(op)).resizeSplat(type);
  Value none = ConstantOp::create(b, loc, cast<ElementsAttr>(identity));
  Pieces pieces;
  for (int64_t i = 0; i < positions; ++i) {
    Value isHere = isAtPosition(b, loc, type.getShape(), i, positions);
    auto reduce = cast<ReduceOp>(b.clone(*op));
    b.setInsertionPoint(reduce);
    reduce->setOperand(0, SelectOp::create(b, loc, type, isHere, tiled, none));
    b.setInsertionPointAfter(reduce);
    // The rows are the last dimension of the result.
    reduce->getResult(0).setType(pieceType(typeOf(op.getResult(0)), positions));
    pieces.push_back(reduce->getResult(0));
  }
  return pieces;
}

RankedTensorType spreadType(RankedTensorType type, int64_t positions) {
  return dividedType(type, positions, kLanes);
}

Value spreadRows(OpBuilder &b, const Pieces &pieces, RankedTensorType type) {
  Location loc = pieces.front().getLoc();
  RankedTensorType spread = spreadType(type, pieces.size());
  ArrayRef<int64_t> rows = spread.getShape().drop_back();
  Value chosen;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rows.size()));
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    Value element = piece;
    if (typeOf(piece).getShape() != rows)
      element = ReshapeOp::create(b, loc, spread.clone(rows), piece);
    Value all = BroadcastInDimOp::create(b, loc, spread, element, dims);
    if (!chosen) {
      chosen = all;
      continue;
    }
    Value isHere = isAtPosition(b, loc, spread.getShape(), i, pieces.size());
    chosen = SelectOp::create(b, loc, spread, isHere, all, chosen);
  }
  markPerRow(chosen.getDefiningOp());
  return chosen;
}

Value broadcastRows(OpBuilder &b, BroadcastInDimOp op, Value spread, RankedTensorType type) {
  SmallVector<int64_t> dims(op.getBroadcastDimensions().take_front(typeOf(spread).getRank() - 1));
  dims.push_back(type.getRank() - 1);
  return BroadcastInDimOp::create(b, op.getLoc(), type, spread, dims);
}

bool movesUnits(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isUnitReshape(reshape);
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose &&
         llvm::is_sorted(withoutUnits(typeOf(transpose.getOperand()), transpose.getPermutation()));
}

bool isBroadcastAlongRows(Value value) {
  SmallVector<Value> pending = {value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (differsByRow(user))
        return true;
      bool isFollowed = kindOf(user) == OpKind::Elementwise || movesUnits(user);
      if (isFollowed && seen.insert(user).second)
        pending.push_back(user->getResult(0));
    }
  return false;
}

} // namespace systole
