// Reductions of vectors, and movement of their elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace systole::tpu;

static LogicalResult verifyDimension(Operation *op, VectorType type, int64_t dim) {
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("expects a dimension of ") << type << ", found " << dim;
  return success();
}

/// Whether `dims` are different dimensions of `type`.
static LogicalResult verifyDimensions(Operation *op, VectorType type, ArrayRef<int32_t> dims) {
  SmallVector<bool> seen(type.getRank());
  for (int32_t dim : dims) {
    if (failed(verifyDimension(op, type, dim)))
      return failure();
    if (std::exchange(seen[dim], true))
      return op->emitOpError("names dimension ") << dim << " twice";
  }
  return success();
}

static bool isPosition(ReductionKind kind) {
  return kind == ReductionKind::arg_max || kind == ReductionKind::arg_min ||
         kind == ReductionKind::find_first_set;
}

LogicalResult AllReduceOp::verify() {
  VectorType from = getInput().getType(), to = getOutput().getType();
  if (failed(verifyDimension(*this, from, getDim())))
    return failure();
  Type element = isPosition(getKind()) ? IntegerType::get(getContext(), 32) : from.getElementType();
  if (to.getShape() != from.getShape() || to.getElementType() != element)
    return emitOpError("expects a result of the operand's shape with elements of ")
           << element << ", found " << to;
  return success();
}

LogicalResult ReduceIndexOp::verify() {
  VectorType from = getInput().getType(), to = getOutput().getType();
  if (getKind() != ReductionKind::arg_max && getKind() != ReductionKind::arg_min)
    return emitOpError("expects arg_max or arg_min, found ") << stringifyEnum(getKind());
  int64_t axis = int32_t(getAxis());
  if (failed(verifyDimension(*this, from, axis)))
    return failure();
  SmallVector<int64_t> shape(from.getShape());
  shape.erase(shape.begin() + axis);
  if (to.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("expects a result of shape [") << shape << "], found " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  if (getDimensions().empty())
    return emitOpError("expects dimensions");
  return verifyDimensions(*this, getOutput().getType(), getDimensions());
}

LogicalResult DynamicRotateOp::verify() {
  VectorType type = getValue().getType();
  if (getResult().getType() != type)
    return emitOpError("expects a result of type ") << type << ", found " << getResult().getType();
  if (failed(verifyDimension(*this, type, getDimension())))
    return failure();
  if (getStride().has_value() != getStrideDimension().has_value())
    return emitOpError("expects a stride and its dimension, or neither");
  if (getStrideDimension() && failed(verifyDimension(*this, type, *getStrideDimension())))
    return failure();
  if (getStrideDimension() == getDimension())
    return emitOpError("expects a stride along another dimension than ") << getDimension();
  return success();
}

LogicalResult ReshapeOp::verify() {
  VectorType from = getSource().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType() || from.getNumElements() != to.getNumElements())
    return emitOpError("expects as many elements of one type, found ") << from << " and " << to;
  return success();
}

/// Whether `to` is `from` but for its size along `dim`.
static LogicalResult verifyResized(Operation *op, VectorType from, VectorType to, int64_t dim,
                                   int64_t size) {
  if (failed(verifyDimension(op, from, dim)))
    return failure();
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] = size;
  auto expected = VectorType::Builder(from).setShape(shape);
  if (size < 1 || to != VectorType(expected))
    return op->emitOpError("expects a result of ") << size << " positions along dimension " << dim
                                                   << ", of " << from << " else, found " << to;
  return success();
}

LogicalResult RepeatOp::verify() {
  VectorType from = getSource().getType();
  int64_t dim = int32_t(getDimension()), times = int32_t(getTimes());
  if (failed(verifyDimension(*this, from, dim)))
    return failure();
  return verifyResized(*this, from, getOutput().getType(), dim, from.getDimSize(dim) * times);
}

LogicalResult ConcatenateOp::verify() {
  if (getSources().empty())
    return emitOpError("expects sources");
  auto first = cast<VectorType>(getSources().front().getType());
  int64_t dim = int32_t(getDimension()), size = 0;
  if (failed(verifyDimension(*this, first, dim)))
    return failure();
  for (Type type : getSources().getTypes()) {
    auto vector = cast<VectorType>(type);
    if (vector.getRank() != first.getRank())
      return emitOpError("expects sources of one rank, found ") << first << " and " << vector;
    if (failed(verifyResized(*this, first, vector, dim, vector.getDimSize(dim))))
      return failure();
    size += vector.getDimSize(dim);
  }
  return verifyResized(*this, first, getOutput().getType(), dim, size);
}

LogicalResult TransposeOp::verify() {
  auto from = cast<VectorType>(getVector().getType()), to = cast<VectorType>(getResult().getType());
  ArrayRef<int64_t> order = getPermutation();
  SmallVector<bool> seen(from.getRank());
  bool isPermutation = int64_t(order.size()) == from.getRank() && to.getRank() == from.getRank();
  for (size_t i = 0; isPermutation && i < order.size(); ++i)
    isPermutation = order[i] >= 0 && order[i] < from.getRank() &&
                    !std::exchange(seen[order[i]], true) &&
                    to.getDimSize(i) == from.getDimSize(order[i]);
  if (!isPermutation || from.getElementType() != to.getElementType())
    return emitOpError("expects dimensions of ")
           << from << " in another order, found [" << order << "] and " << to;
  return success();
}

LogicalResult GatherOp::verify() {
  VectorType from = getSource().getType();
  int64_t dim = int32_t(getDimension());
  if (failed(verifyResized(*this, from, getOutput().getType(), dim, getIndices().size())))
    return failure();
  for (int32_t index : getIndices())
    if (index < 0 || index >= from.getDimSize(dim))
      return emitOpError("expects positions along dimension ")
             << dim << " of " << from << ", found " << index;
  return success();
}

LogicalResult DynamicGatherOp::verify() {
  VectorType from = getSource().getType(), indices = getIndices().getType(),
             to = getOutput().getType();
  if (getDimensions().empty())
    return emitOpError("expects dimensions");
  if (failed(verifyDimensions(*this, from, getDimensions())))
    return failure();
  if (to.getShape() != indices.getShape() || to.getElementType() != from.getElementType())
    return emitOpError("expects a result of the indices' shape and the source's elements, found ")
           << to;
  bool fits = from.getRank() == to.getRank();
  for (int64_t dim = 0; fits && dim < from.getRank(); ++dim)
    fits = llvm::is_contained(getDimensions(), dim) || from.getDimSize(dim) == to.getDimSize(dim);
  if (!fits)
    return emitOpError("expects the source's shape except along dimensions [")
           << getDimensions() << "], found " << to << " of " << from;
  return success();
}

LogicalResult SublaneShuffleOp::verify() {
  int64_t sublanes = getLhs().getType().getDimSize(0);
  bool isValid = int64_t(getPattern().size()) == sublanes;
  for (int32_t sublane : getPattern())
    isValid &= sublane >= 0 && sublane < 2 * sublanes;
  if (!isValid)
    return emitOpError("expects ") << sublanes << " sublanes below " << 2 * sublanes;
  return success();
}
