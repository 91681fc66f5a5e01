// Operations of Mosaic that move elements, on tensors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/TensorOps.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace systole::mosaic {

using namespace stablehlo;

static ArrayRef<int64_t> shapeOf(Value tensor) { return typeOf(tensor).getShape(); }
static RankedTensorType resultType(Operation *op) { return tensorType(op->getResult(0).getType()); }

/// The dimensions of `shape` that have more than one element.
static SmallVector<int64_t> longDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(int64_t(dim));
  return dims;
}

/// `value` without dimensions of one element, if all of these are in front: then its rows stay, or
/// if another operation has added them.
static Value withoutUnits(Tensors &t, Value value) {
  SmallVector<int64_t> dims = longDims(shapeOf(value)), shape;
  if (dims.size() == shapeOf(value).size())
    return value;
  if (auto spread = value.getDefiningOp<BroadcastInDimOp>())
    if (longDims(shapeOf(spread.getOperand())).size() == dims.size() &&
        typeOf(spread.getOperand()).getNumElements() == typeOf(value).getNumElements())
      return withoutUnits(t, spread.getOperand());
  if (dims.empty() || dims.back() + 1 == int64_t(shapeOf(value).size())) {
    for (int64_t dim : dims)
      shape.push_back(shapeOf(value)[dim]);
    return t.reshape(value, shape);
  }
  return value;
}

static Value broadcast(Tensors &t, Operation *op, ValueRange x) {
  ArrayRef<int64_t> shape = resultType(op).getShape();
  Value source = x[0];
  if (shapeOf(source).empty())
    return t.fill(source, shape);
  int64_t added = int64_t(shape.size()) - int64_t(shapeOf(source).size());
  SmallVector<int64_t> dims = longDims(shapeOf(source));
  Value plain = withoutUnits(t, source);
  if (shapeOf(plain).size() == dims.size()) {
    for (int64_t &dim : dims)
      dim += added;
    return dims.empty() ? t.fill(plain, shape) : t.spread(plain, shape, dims);
  }
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq(added, int64_t(shape.size())));
  return t.spread(source, shape, all);
}

/// Dimensions of one element behind the last one are a broadcast: what reads the elements of a row
/// in all of its lanes need not move them.
static Value shapeCast(Tensors &t, Operation *op, ValueRange x) {
  ArrayRef<int64_t> from = shapeOf(x[0]), to = resultType(op).getShape();
  SmallVector<int64_t> dims = longDims(to), given = longDims(from);
  bool isSame = dims.size() == given.size() && llvm::all_of(llvm::zip(dims, given), [&](auto pair) {
                  return to[std::get<0>(pair)] == from[std::get<1>(pair)];
                });
  if (isSame && !to.empty() && to.back() == 1 && !dims.empty() && !from.empty()) {
    Value plain = withoutUnits(t, x[0]);
    if (shapeOf(plain).size() == dims.size())
      return t.spread(plain, to, dims);
  }
  if (isSame && from.size() > to.size()) {
    // Dimensions that a broadcast has added.
    Value plain = withoutUnits(t, x[0]);
    return t.reshape(plain, to);
  }
  return t.reshape(x[0], to);
}

static Value transpose(Tensors &t, Operation *op, ValueRange x) {
  if (auto vector = dyn_cast<vector::TransposeOp>(op))
    return t.transpose(x[0], vector.getPermutation());
  return t.transpose(x[0], cast<tpu::TransposeOp>(op).getPermutation());
}

static Value concatenate(Tensors &t, Operation *op, ValueRange x) {
  return t.concatenate(x, cast<tpu::ConcatenateOp>(op).getDimension());
}

static Value repeat(Tensors &t, Operation *op, ValueRange x) {
  auto repeat = cast<tpu::RepeatOp>(op);
  SmallVector<Value> copies(repeat.getTimes(), x[0]);
  return t.concatenate(copies, repeat.getDimension());
}

static Value iota(Tensors &t, Operation *op, ValueRange) {
  RankedTensorType type = resultType(op);
  ArrayRef<int32_t> dims = cast<tpu::IotaOp>(op).getDimensions();
  // Positions in row-major order within `dims`.
  Value sum;
  int64_t stride = 1;
  for (int32_t dim : llvm::reverse(dims)) {
    Value index = t.iota(type.getElementType(), type.getShape(), dim);
    if (stride != 1)
      index = t.apply<MulOp>(index, t.number(type.getElementType(), stride, type.getShape()));
    sum = sum ? t.apply<AddOp>(sum, index) : index;
    stride *= type.getDimSize(dim);
  }
  return sum;
}

static SmallVector<int64_t> integers(ArrayAttr list) {
  return llvm::map_to_vector(list.getAsRange<IntegerAttr>(),
                             [](IntegerAttr value) { return value.getInt(); });
}

static Value extractSlice(Tensors &t, Operation *op, ValueRange x) {
  auto slice = cast<vector::ExtractStridedSliceOp>(op);
  SmallVector<int64_t> starts = integers(slice.getOffsets()), sizes = integers(slice.getSizes()),
                       strides = integers(slice.getStrides());
  // Those of the last dimensions are left out.
  for (size_t dim = starts.size(); dim < shapeOf(x[0]).size(); ++dim) {
    starts.push_back(0);
    sizes.push_back(shapeOf(x[0])[dim]);
    strides.push_back(1);
  }
  SmallVector<int64_t> limits;
  for (auto [start, size, stride] : llvm::zip_equal(starts, sizes, strides))
    limits.push_back(start + (size - 1) * stride + 1);
  return t.slice(x[0], starts, limits, strides);
}

static Value insertSlice(Tensors &t, Operation *op, ValueRange x) {
  auto insert = cast<vector::InsertStridedSliceOp>(op);
  if (insert.hasNonUnitStrides() || shapeOf(x[0]).size() != shapeOf(x[1]).size())
    return nullptr;
  SmallVector<Value> starts;
  for (int64_t start : integers(insert.getOffsets()))
    starts.push_back(t.number(t.b.getI32Type(), start));
  return DynamicUpdateSliceOp::create(t.b, t.loc, x[1].getType(), x[1], x[0], starts);
}

static Value extract(Tensors &t, Operation *op, ValueRange x) {
  auto extract = cast<vector::ExtractOp>(op);
  if (extract.hasDynamicPosition())
    return nullptr;
  Value part = x[0];
  ArrayRef<int64_t> position = extract.getStaticPosition();
  SmallVector<int64_t> starts(position), limits, strides(shapeOf(part).size(), 1);
  for (int64_t start : position)
    limits.push_back(start + 1);
  for (size_t dim = position.size(); dim < shapeOf(part).size(); ++dim) {
    starts.push_back(0);
    limits.push_back(shapeOf(part)[dim]);
  }
  if (!llvm::equal(limits, shapeOf(part)) || llvm::any_of(starts, [](int64_t s) { return s; }))
    part = t.slice(part, starts, limits, strides);
  return t.reshape(part, resultType(op).getShape());
}

static Value forward(Tensors &, Operation *, ValueRange x) { return x[0]; }

void addShapeOps(TensorOps &ops) {
  ops.add("vector.broadcast", broadcast);
  ops.add("vector.splat", broadcast);
  ops.add("vector.shape_cast", shapeCast);
  ops.add("tpu.reshape", shapeCast);
  ops.add("vector.transpose", transpose);
  ops.add("tpu.transpose", transpose);
  ops.add("tpu.concatenate", concatenate);
  ops.add("tpu.repeat", repeat);
  ops.add("tpu.iota", iota);
  ops.add("vector.extract_strided_slice", extractSlice);
  ops.add("vector.insert_strided_slice", insertSlice);
  ops.add("vector.extract", extract);
  ops.add("tpu.assume_layout", forward);
}

} // namespace systole::mosaic
