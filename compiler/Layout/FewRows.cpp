// Slices, lookups and updates of a few rows of a tensor with full rows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/FewRows.h"

#include "compiler/Layout/RowTiles.h"
#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/Scatters.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

using namespace stablehlo;

/// `value` with its last two dimensions, of full rows, as they are without a tile of `positions`.
Value untiled(OpBuilder &b, Location loc, Value value, int64_t positions) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[shape.size() - 2] *= positions;
  shape.back() /= positions;
  return ReshapeOp::create(b, loc, type.clone(shape), value);
}

/// Scalars of i32 by their values.
struct Scalars {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    auto type = RankedTensorType::get({}, b.getI32Type());
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  }
  Value shiftRight(Value value, int64_t bits) {
    return ShiftRightArithmeticOp::create(b, loc, value, constant(bits));
  }
  Value atMost(Value value, int64_t most) { return MinOp::create(b, loc, value, constant(most)); }
  Value clamped(Value value, int64_t most) {
    return MaxOp::create(b, loc, atMost(value, most), constant(0));
  }
};

/// The full rows around `size` positions from a computed one on.
struct RowWindow {
  int64_t rows;   ///< how many
  Value first;    ///< of them
  Value position; ///< where the positions begin, counted from that of the first row
};

RowWindow windowOf(Scalars &s, Value start, int64_t size, int64_t extent, int64_t positions) {
  int64_t rows = std::min(extent / positions, (size + positions - 2) / positions + 1);
  int64_t bits = llvm::Log2_64(positions);
  Value begin = s.clamped(start, extent - size);
  Value first = s.atMost(s.shiftRight(begin, bits), extent / positions - rows);
  Value skipped = MulOp::create(s.b, s.loc, first, s.constant(positions));
  return {rows, first, SubtractOp::create(s.b, s.loc, begin, skipped)};
}

Value takeSlice(OpBuilder &b, SliceOp op, Value tiled) {
  RankedTensorType type = typeOf(op.getOperand());
  int64_t positions = positionsInRow(type), lanes = type.getRank() - 1, rows = lanes - 1;
  SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices()),
      strides(op.getStrides()), none(lanes + 1, 0), ones(lanes + 1, 1);
  // Full rows of the window, then the positions and elements in them.
  SmallVector<int64_t> outerStarts(starts), outerLimits(limits), outerStrides(strides);
  outerStarts[rows] /= positions;
  outerLimits[rows] = llvm::divideCeil(limits[rows], positions);
  outerStarts[lanes] = 0;
  outerLimits[lanes] = shapeOf(tiled)[lanes];
  outerStrides[rows] = outerStrides[lanes] = 1;
  Value full = SliceOp::create(b, op.getLoc(), tiled, outerStarts, outerLimits, outerStrides);
  Value part = untiled(b, op.getLoc(), full, positions);
  int64_t skipped = outerStarts[rows] * positions;
  SmallVector<int64_t> innerStarts(none), innerLimits(shapeOf(part)), innerStrides(ones);
  innerStarts[rows] = starts[rows] - skipped;
  innerLimits[rows] = limits[rows] - skipped;
  innerStrides[rows] = strides[rows];
  innerStarts[lanes] = starts[lanes];
  innerLimits[lanes] = limits[lanes];
  innerStrides[lanes] = strides[lanes];
  return SliceOp::create(b, op.getLoc(), part, innerStarts, innerLimits, innerStrides);
}

Value takeSlice(OpBuilder &b, DynamicSliceOp op, Value tiled) {
  RankedTensorType type = typeOf(op.getOperand());
  int64_t positions = positionsInRow(type), lanes = type.getRank() - 1, rows = lanes - 1;
  Scalars s{b, op.getLoc()};
  SmallVector<int64_t> sizes(op.getSliceSizes());
  SmallVector<Value> starts(op.getStartIndices());
  RowWindow window = windowOf(s, starts[rows], sizes[rows], type.getDimSize(rows), positions);
  SmallVector<Value> outer(starts), inner(lanes + 1, s.constant(0));
  outer[rows] = window.first;
  outer[lanes] = s.constant(0);
  inner[rows] = window.position;
  inner[lanes] = starts[lanes];
  SmallVector<int64_t> fullSizes(sizes);
  fullSizes[rows] = window.rows;
  fullSizes[lanes] = shapeOf(tiled)[lanes];
  Value full =
      DynamicSliceOp::create(b, op.getLoc(), type.clone(fullSizes), tiled, outer, fullSizes);
  return DynamicSliceOp::create(b, op.getLoc(), typeOf(op),
                                untiled(b, op.getLoc(), full, positions), inner, sizes);
}

/// Reads the full rows of the window, writes the update to them, and writes them back.
Value takeUpdate(OpBuilder &b, DynamicUpdateSliceOp op, Value tiled) {
  RankedTensorType type = typeOf(op.getOperand());
  int64_t positions = positionsInRow(type), lanes = type.getRank() - 1, rows = lanes - 1;
  Location loc = op.getLoc();
  Scalars s{b, loc};
  SmallVector<int64_t> sizes(shapeOf(op.getUpdate()));
  SmallVector<Value> starts(op.getStartIndices());
  RowWindow window = windowOf(s, starts[rows], sizes[rows], type.getDimSize(rows), positions);
  SmallVector<Value> outer(starts), inner(lanes + 1, s.constant(0));
  outer[rows] = window.first;
  outer[lanes] = s.constant(0);
  inner[rows] = window.position;
  inner[lanes] = starts[lanes];
  SmallVector<int64_t> fullSizes(sizes);
  fullSizes[rows] = window.rows;
  fullSizes[lanes] = shapeOf(tiled)[lanes];
  Value full = DynamicSliceOp::create(b, loc, type.clone(fullSizes), tiled, outer, fullSizes);
  Value part = untiled(b, loc, full, positions);
  part = DynamicUpdateSliceOp::create(b, loc, typeOf(part), part, op.getUpdate(), inner);
  part = ReshapeOp::create(b, loc, typeOf(full), part);
  return DynamicUpdateSliceOp::create(b, loc, typeOf(tiled), tiled, part, outer);
}

/// Whether a lookup picks single rows of a matrix.
bool picksRows(GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType indices = typeOf(op.getStartIndices());
  const int64_t first[] = {0};
  return typeOf(op.getOperand()).getRank() == 2 && op.getSliceSizes()[0] == 1 &&
         op.getSliceSizes()[1] == shapeOf(op.getOperand())[1] &&
         llvm::equal(numbers.getCollapsedSliceDims(), first) &&
         llvm::equal(numbers.getStartIndexMap(), first) &&
         static_cast<int64_t>(numbers.getIndexVectorDim()) == indices.getRank() &&
         llvm::equal(numbers.getOffsetDims(), ArrayRef<int64_t>{indices.getRank()}) &&
         indices.getElementType().isInteger(32);
}

/// Picks full rows, and of each the elements of one position.
Value takeLookup(OpBuilder &b, GatherOp op, Value tiled) {
  RankedTensorType type = typeOf(op.getOperand()), result = typeOf(op);
  int64_t positions = positionsInRow(type), columns = type.getDimSize(1);
  Location loc = op.getLoc();
  RankedTensorType indices = typeOf(op.getStartIndices());
  auto constant = [&](int64_t value) -> Value {
    return ConstantOp::create(b, loc, DenseElementsAttr::get(indices, static_cast<int32_t>(value)));
  };
  Value index = MaxOp::create(
      b, loc, MinOp::create(b, loc, op.getStartIndices(), constant(type.getDimSize(0) - 1)),
      constant(0));
  Value row = ShiftRightArithmeticOp::create(b, loc, index, constant(llvm::Log2_64(positions)));
  Value position = AndOp::create(b, loc, index, constant(positions - 1));
  SmallVector<int64_t> shape(result.getShape());
  shape.back() *= positions;
  const int64_t sizes[] = {1, positions * columns};
  Value rows = GatherOp::create(b, loc, type.clone(shape), tiled, row, op.getDimensionNumbers(),
                                sizes, op.getIndicesAreSorted());
  SmallVector<int64_t> starts(shape.size(), 0), ones(shape.size(), 1);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(indices.getRank()));
  Value chosen;
  for (int64_t i = 0; i < positions; ++i) {
    SmallVector<int64_t> limits(shape);
    starts.back() = i * columns;
    limits.back() = (i + 1) * columns;
    Value elements = SliceOp::create(b, loc, rows, starts, limits, ones);
    if (!chosen) {
      chosen = elements;
      continue;
    }
    auto truth = indices.clone(b.getI1Type());
    Value isThis = CompareOp::create(b, loc, truth, position, constant(i), ComparisonDirection::EQ,
                                     ComparisonTypeAttr());
    isThis = BroadcastInDimOp::create(b, loc, result.clone(b.getI1Type()), isThis, dims);
    chosen = SelectOp::create(b, loc, result, isThis, elements, chosen);
  }
  return chosen;
}

/// The element that a scatter into a matrix combines with others without effect; null if unknown.
DenseElementsAttr neutralUpdate(ScatterOp op) {
  if (op.getInputs().size() != 1 || typeOf(op.getInputs().front()).getRank() != 2 ||
      !isRowScatter(op))
    return nullptr;
  Operation *combiner = combinerOf(op.getUpdateComputation().front());
  return combiner ? identityOf(combiner) : nullptr;
}

/// Updates full rows, in which other positions are combined with the identity.
Value takeScatter(OpBuilder &b, ScatterOp op, Value tiled) {
  RankedTensorType type = typeOf(op.getInputs().front());
  Value updates = op.getUpdates().front(), indices = op.getScatterIndices();
  RankedTensorType indexType = typeOf(indices);
  int64_t positions = positionsInRow(type), columns = type.getDimSize(1),
          count = indexType.getDimSize(0);
  Location loc = op.getLoc();
  auto constant = [&](RankedTensorType type, int64_t value) -> Value {
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  };
  Value bits = constant(indexType, llvm::Log2_64(positions));
  Value row = ShiftRightArithmeticOp::create(b, loc, indices, bits);
  Value position = AndOp::create(b, loc, indices, constant(indexType, positions - 1));
  // The update at each position of its row, of which one stays.
  RankedTensorType full = typeOf(updates).clone({count, positions * columns});
  RankedTensorType lanes = indexType.clone(full.getShape());
  Value repeated = BroadcastInDimOp::create(b, loc, full.clone({count, positions, columns}),
                                            updates, ArrayRef<int64_t>{0, 2});
  repeated = ReshapeOp::create(b, loc, full, repeated);
  Value lane = IotaOp::create(b, loc, lanes, 1);
  lane = ShiftRightLogicalOp::create(b, loc, lane, constant(lanes, llvm::Log2_64(columns)));
  Value wanted = BroadcastInDimOp::create(b, loc, lanes, position, ArrayRef<int64_t>{0});
  Value isWanted = CompareOp::create(b, loc, full.clone(b.getI1Type()), lane, wanted,
                                     ComparisonDirection::EQ, ComparisonTypeAttr());
  Value none = ConstantOp::create(b, loc, cast<ElementsAttr>(neutralUpdate(op).resizeSplat(full)));
  Value chosen = SelectOp::create(b, loc, full, isWanted, repeated, none);
  Operation *made = b.insert(op->clone());
  made->setOperands({tiled, row, chosen});
  made->getResult(0).setType(tiled.getType());
  return made->getResult(0);
}

} // namespace

bool takesFewRows(Operation *op) {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return neutralUpdate(scatter) && positionsInRow(typeOf(scatter.getInputs().front())) > 1;
  if (auto gather = dyn_cast<GatherOp>(op))
    return positionsInRow(typeOf(gather.getOperand())) > 1 && picksRows(gather);
  if (!isa<SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(op) ||
      positionsInRow(typeOf(op->getOperand(0))) == 1)
    return false;
  // One tensor without tiles is as good for slices that take most of it.
  Value part = isa<DynamicUpdateSliceOp>(op) ? op->getOperand(1) : op->getResult(0);
  int64_t elements = typeOf(part).getNumElements();
  return elements != 0 && 2 * elements <= typeOf(op->getOperand(0)).getNumElements();
}

Value takeFewRows(OpBuilder &b, Operation *op, Value tiled) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<SliceOp, DynamicSliceOp>([&](auto op) { return takeSlice(b, op, tiled); })
      .Case<DynamicUpdateSliceOp>([&](auto op) { return takeUpdate(b, op, tiled); })
      .Case<ScatterOp>([&](auto op) { return takeScatter(b, op, tiled); })
      .Case<GatherOp>([&](auto op) { return takeLookup(b, op, tiled); });
}

} // namespace systole
