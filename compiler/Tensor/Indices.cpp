// Static analysis of index tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Indices.h"

#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

std::optional<int64_t> splatOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return std::nullopt;
    APInt number = elements.getSplatValue<APInt>();
    bool isUnsigned = elements.getElementType().isUnsignedInteger();
    return isUnsigned ? number.getZExtValue() : number.getSExtValue();
  }
  if (isa_and_nonnull<BroadcastInDimOp, ReshapeOp>(op))
    return splatOf(op->getOperand(0));
  return std::nullopt;
}

/// The dimension of a unit reshape's result that corresponds to dimension `dim` of its operand.
static std::optional<int64_t> throughUnitReshape(ReshapeOp op, int64_t dim) {
  ArrayRef<int64_t> from = typeOf(op.getOperand()).getShape(), to = typeOf(op).getShape();
  if (!isUnitReshape(op) || from[dim] == 1)
    return std::nullopt;
  int64_t before = llvm::count_if(from.take_front(dim), [](int64_t size) { return size != 1; });
  for (auto [d, size] : llvm::enumerate(to))
    if (size != 1 && before-- == 0)
      return d;
  return std::nullopt;
}

static std::optional<Progression> progressionOf(ConstantOp op) {
  constexpr int64_t longest = 1 << 16;
  auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
  ArrayRef<int64_t> shape = typeOf(op).getShape();
  const int64_t *dim = llvm::find_if(shape, [](int64_t size) { return size != 1; });
  if (!elements || dim == shape.end() || *dim != elements.getNumElements() || *dim > longest ||
      *dim < 2)
    return std::nullopt;
  auto values = llvm::map_to_vector(elements.getValues<APInt>(),
                                    [](const APInt &value) { return value.getSExtValue(); });
  Progression result{dim - shape.begin(), values[0], values[1] - values[0]};
  for (auto [i, value] : llvm::enumerate(values))
    if (value != result.first + result.step * static_cast<int64_t>(i))
      return std::nullopt;
  return result;
}

std::optional<Progression> progressionOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || !typeOf(value).getElementType().isInteger())
    return std::nullopt;
  if (auto iota = dyn_cast<IotaOp>(op))
    return Progression{static_cast<int64_t>(iota.getIotaDimension()), 0, 1};
  if (auto constant = dyn_cast<ConstantOp>(op))
    return progressionOf(constant);
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    auto inner = progressionOf(convert.getOperand());
    // The conversion preserves values that fit the narrower type.
    if (!inner || typeOf(value).getElementType().getIntOrFloatBitWidth() < 32)
      return std::nullopt;
    return inner;
  }
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    auto inner = progressionOf(broadcast.getOperand());
    if (!inner)
      return std::nullopt;
    int64_t size = typeOf(broadcast.getOperand()).getDimSize(inner->dim);
    inner->dim = broadcast.getBroadcastDimensions()[inner->dim];
    return typeOf(value).getDimSize(inner->dim) == size ? inner : std::nullopt;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    auto inner = progressionOf(reshape.getOperand());
    auto dim = inner ? throughUnitReshape(reshape, inner->dim) : std::nullopt;
    return dim ? std::optional(Progression{*dim, inner->first, inner->step}) : std::nullopt;
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    // Non-negative indices are unchanged.
    auto inner = progressionOf(select.getOnFalse());
    auto compare = select.getPred().getDefiningOp<CompareOp>();
    if (!inner || inner->first < 0 || inner->step < 0 || !compare ||
        compare.getComparisonDirection() != ComparisonDirection::LT ||
        compare.getLhs() != select.getOnFalse() || splatOf(compare.getRhs()) != 0)
      return std::nullopt;
    return inner;
  }
  if (!isa<AddOp, MulOp>(op))
    return std::nullopt;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (splatOf(lhs))
    std::swap(lhs, rhs);
  auto inner = progressionOf(lhs);
  auto number = splatOf(rhs);
  if (!inner || !number)
    return std::nullopt;
  if (isa<AddOp>(op))
    return Progression{inner->dim, inner->first + *number, inner->step};
  return Progression{inner->dim, inner->first * *number, inner->step * *number};
}

SmallVector<int64_t> positionsOf(Value indices, int64_t vectorDim) {
  SmallVector<int64_t> shape(typeOf(indices).getShape());
  if (vectorDim < static_cast<int64_t>(shape.size()))
    shape.erase(shape.begin() + vectorDim);
  return shape;
}

/// The coordinates along `vectorDim` of `indices` (or a single one, if that equals its rank), each
/// as i32 with the shape of the positions.
static SmallVector<Value> coordinatesOf(OpBuilder &b, Location loc, Value indices,
                                        int64_t vectorDim) {
  RankedTensorType type = typeOf(indices);
  bool isVector = vectorDim < type.getRank();
  int64_t count = isVector ? type.getDimSize(vectorDim) : 1;
  SmallVector<int64_t> shape = positionsOf(indices, vectorDim);
  SmallVector<Value> parts;
  auto concatenate = indices.getDefiningOp<ConcatenateOp>();
  bool isJoined = concatenate && static_cast<int64_t>(concatenate.getDimension()) == vectorDim &&
                  static_cast<int64_t>(concatenate.getInputs().size()) == count;
  for (int64_t i = 0; i < count; ++i) {
    Value part = indices;
    if (isJoined) {
      part = concatenate.getInputs()[i];
    } else if (count > 1) {
      SmallVector<int64_t> starts(type.getRank()), limits(type.getShape());
      SmallVector<int64_t> strides(type.getRank(), 1), sizes(type.getShape());
      starts[vectorDim] = i;
      limits[vectorDim] = i + 1;
      sizes[vectorDim] = 1;
      part = SliceOp::create(b, loc, type.clone(sizes), part, starts, limits, strides);
    }
    if (isVector)
      part = ReshapeOp::create(b, loc, type.clone(shape), part);
    auto i32 = RankedTensorType::get(shape, b.getI32Type());
    parts.push_back(part.getType() == i32 ? part : ConvertOp::create(b, loc, i32, part));
  }
  return parts;
}

SmallVector<Value> startsOf(OpBuilder &b, Location loc, Value indices, int64_t vectorDim,
                            int64_t rank, ArrayRef<int64_t> startMap,
                            ArrayRef<int64_t> batchingDims, ArrayRef<int64_t> indicesBatchingDims) {
  SmallVector<Value> starts(rank);
  auto type = RankedTensorType::get(positionsOf(indices, vectorDim), b.getI32Type());
  for (auto [d, coordinate] : llvm::zip_equal(startMap, coordinatesOf(b, loc, indices, vectorDim)))
    starts[d] = coordinate;
  for (auto [d, partner] : llvm::zip_equal(batchingDims, indicesBatchingDims))
    starts[d] = IotaOp::create(b, loc, type, partner - (partner > vectorDim));
  return starts;
}

} // namespace systole
