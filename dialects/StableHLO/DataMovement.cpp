// The StableHLO operations that rearrange elements by positions known at
// compile time.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Quantization.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/DataMovement.cpp.inc"

void StableHLODialect::registerDataMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/DataMovement.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// broadcast_in_dim, reshape
//===----------------------------------------------------------------------===//

LogicalResult BroadcastInDimOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getResult().getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(checkOnePerDim(refuse, "broadcast_dimensions", dims, "operand", operand.getRank())) ||
      failed(checkDims(refuse, "broadcast_dimensions", dims, "result", result.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t from = operand.getDimSize(i), to = result.getDimSize(dim);
    if (from != 1 && !areCompatibleSizes(from, to))
      return refuse("cannot broadcast operand dimension ", i, " of size ", from,
                    " to result dimension ", dim, " of size ", to);
  }
  return checkBroadcastElements(refuse, operand, result, dims);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType result = getResult().getType();
  if (failed(checkReshapedElements(Refusal(*this), operand, result)))
    return failure();
  if (!operand.hasStaticShape() || !result.hasStaticShape())
    return success();
  std::optional<int64_t> from = countElements(operand.getShape());
  std::optional<int64_t> to = countElements(result.getShape());
  if (!from || !to)
    return Refusal(*this)("has 2^63 elements or more: operand ", operand, ", result ", result);
  if (*from != *to)
    return Refusal(*this)("requires as many elements in the result as in the "
                          "operand, but operand ",
                          operand, " has ", *from, " and result ", result, " has ", *to);
  return success();
}

//===----------------------------------------------------------------------===//
// transpose, reverse
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(checkOnePerDim(refuse, "permutation", permutation, "operand", operand.getRank())) ||
      failed(checkDims(refuse, "permutation", permutation, "operand", operand.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(operand.getDimSize(dim));
  Type element = operand.getElementType();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    const auto *place = llvm::find(permutation, perAxis.getQuantizedDimension());
    if (place == permutation.end())
      return refuse("requires an operand that is quantized along one of its dimensions, but it is ",
                    operand);
    element = quant::UniformQuantizedPerAxisType::get(
        perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(),
        perAxis.getScales(), perAxis.getZeroPoints(), place - permutation.begin(),
        perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax());
  }
  Attribute encoding = operand.getEncoding();
  if (auto bounds = dyn_cast_or_null<BoundsAttr>(encoding);
      bounds && bounds.getBounds().size() == permutation.size()) {
    SmallVector<int64_t> moved;
    for (int64_t dim : permutation)
      moved.push_back(bounds.getBounds()[dim]);
    encoding = BoundsAttr::get(operand.getContext(), moved);
  }
  types.push_back(RankedTensorType::get(shape, element, encoding));
  return success();
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  types.push_back(operand);
  return checkDims(Refusal(location, getOperationName()), "dimensions", adaptor.getDimensions(),
                   "operand", operand.getRank());
}

//===----------------------------------------------------------------------===//
// slice, pad, concatenate
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  int64_t rank = operand.getRank();
  if (failed(checkOnePerDim(refuse, "start_indices", starts, "operand", rank)) ||
      failed(checkOnePerDim(refuse, "limit_indices", limits, "operand", rank)) ||
      failed(checkOnePerDim(refuse, "strides", strides, "operand", rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = operand.getDimSize(i);
    if (starts[i] < 0)
      return refuse("start index ", starts[i], " in dimension ", i, " is negative");
    if (starts[i] > limits[i])
      return refuse("start index ", starts[i], " is above limit index ", limits[i],
                    " in dimension ", i);
    if (!ShapedType::isDynamic(size) && limits[i] > size)
      return refuse("limit index ", limits[i], " is above size ", size, " of dimension ", i);
    if (strides[i] <= 0)
      return refuse("stride ", strides[i], " in dimension ", i, " is not positive");
    int64_t length = limits[i] - starts[i];
    shape.push_back(length / strides[i] + (length % strides[i] != 0));
  }
  types.push_back(operand.clone(shape));
  return success();
}

/// The size of a padded dimension; std::nullopt if it does not fit 64 bits. It
/// may be negative.
static std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high,
                                         int64_t interior) {
  int64_t inner = 0, result = 0;
  if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior, inner) ||
      llvm::AddOverflow(size, inner, result) || llvm::AddOverflow(result, low, result) ||
      llvm::AddOverflow(result, high, result))
    return std::nullopt;
  return result;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  Type padding = getElementTypeOrSelf(adaptor.getPaddingValue().getType());
  if (padding != operand.getElementType())
    return refuse("padding_value must have the operand's element type ", operand.getElementType(),
                  ", but has ", padding);
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> high = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interior = adaptor.getInteriorPadding();
  int64_t rank = operand.getRank();
  if (failed(checkOnePerDim(refuse, "edge_padding_low", low, "operand", rank)) ||
      failed(checkOnePerDim(refuse, "edge_padding_high", high, "operand", rank)) ||
      failed(checkOnePerDim(refuse, "interior_padding", interior, "operand", rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (interior[i] < 0)
      return refuse("interior_padding ", interior[i], " in dimension ", i, " is negative");
    int64_t size = operand.getDimSize(i);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    std::optional<int64_t> padded = paddedSize(size, low[i], high[i], interior[i]);
    if (!padded)
      return refuse("the padded size of dimension ", i, " overflows 64 bits");
    if (*padded < 0)
      return refuse("padding makes the size of dimension ", i, " ", *padded, ", below zero");
    shape.push_back(*padded);
  }
  types.push_back(operand.clone(shape));
  return success();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  if (adaptor.getInputs().empty())
    return refuse("requires at least one input");
  auto first = cast<RankedTensorType>(adaptor.getInputs().front().getType());
  int64_t rank = first.getRank();
  int64_t dimension = adaptor.getDimension();
  if (dimension >= rank)
    return refuse("dimension ", dimension, " is out of range for rank-", rank, " inputs");
  SmallVector<int64_t> shape(first.getShape());
  for (auto [n, input] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!areCompatibleElements(type.getElementType(), first.getElementType()) ||
        type.getRank() != rank)
      return refuse("requires the same element type and rank for all inputs, "
                    "but input #0 is ",
                    first, " and input #", n + 1, " is ", type);
    for (int64_t i = 0; i < rank; ++i) {
      int64_t size = type.getDimSize(i);
      if (i == dimension) {
        if (ShapedType::isDynamic(shape[i]) || ShapedType::isDynamic(size))
          shape[i] = ShapedType::kDynamic;
        else if (llvm::AddOverflow(shape[i], size, shape[i]))
          return refuse("the joint size of dimension ", i, " overflows 64 bits");
        continue;
      }
      if (!areCompatibleSizes(shape[i], size))
        return refuse("requires inputs that differ only in dimension ", dimension,
                      ", but input #0 is ", first, " and input #", n + 1, " is ", type);
      if (ShapedType::isDynamic(shape[i]))
        shape[i] = size;
    }
  }
  types.push_back(first.clone(shape));
  return success();
}
