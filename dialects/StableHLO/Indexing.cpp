// The StableHLO operations that read and write at computed positions.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Indexing.cpp.inc"

void StableHLODialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Indexing.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// dynamic_slice, dynamic_update_slice
//===----------------------------------------------------------------------===//

/// Checks that there is one start per operand dimension, all of one type.
static LogicalResult checkStarts(const Refusal &refuse, ValueRange starts, int64_t rank) {
  if (static_cast<int64_t>(starts.size()) != rank)
    return refuse("requires one start index per dimension of operand, but has ", starts.size(),
                  " for rank ", rank);
  for (auto [i, start] : llvm::enumerate(starts))
    if (start.getType() != starts.front().getType())
      return refuse("requires the same type for all start indices, but #0 is ",
                    starts.front().getType(), " and #", i, " is ", start.getType());
  return success();
}

/// Checks that a slice fits the operand, in every dimension.
static LogicalResult checkSliceSizes(const Refusal &refuse, ArrayRef<int64_t> sizes,
                                     RankedTensorType operand) {
  if (failed(checkOnePerDim(refuse, "slice_sizes", sizes, "operand", operand.getRank())))
    return failure();
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t whole = operand.getDimSize(i);
    if (size < 0 || (!ShapedType::isDynamic(whole) && size > whole))
      return refuse("slice size ", size, " is not between 0 and size ", whole, " of dimension ", i);
  }
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(checkStarts(refuse, adaptor.getStartIndices(), operand.getRank())) ||
      failed(checkSliceSizes(refuse, adaptor.getSliceSizes(), operand)))
    return failure();
  types.push_back(operand.clone(adaptor.getSliceSizes()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *,
                                                     std::optional<Location> location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto update = cast<RankedTensorType>(adaptor.getUpdate().getType());
  if (update.getElementType() != operand.getElementType() || update.getRank() != operand.getRank())
    return refuse("requires the same element type and rank for operand and "
                  "update, but operand is ",
                  operand, " and update is ", update);
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    int64_t size = update.getDimSize(i), whole = operand.getDimSize(i);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(whole) && size > whole)
      return refuse("update size ", size, " is above size ", whole, " of dimension ", i);
  }
  types.push_back(operand);
  return checkStarts(refuse, adaptor.getStartIndices(), operand.getRank());
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

/// Checks everything about the indices: where coordinates lie, how many there
/// are, and which dimensions are paired with the operand's.
static LogicalResult checkIndices(const Refusal &refuse, GatherDimensionNumbersAttr dims,
                                  RankedTensorType operand, RankedTensorType indices) {
  int64_t vectorDim = dims.getIndexVectorDim();
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return refuse("index_vector_dim ", vectorDim,
                  " is not between 0 and the rank of start_indices, ", indices.getRank());
  int64_t coordinates = vectorDim == indices.getRank() ? 1 : indices.getDimSize(vectorDim);
  ArrayRef<int64_t> map = dims.getStartIndexMap();
  if (!areCompatibleSizes(coordinates, map.size()))
    return refuse("start_index_map has ", map.size(), " entries, but an index has ", coordinates,
                  " coordinates");
  ArrayRef<int64_t> operandBatching = dims.getOperandBatchingDims();
  ArrayRef<int64_t> indicesBatching = dims.getStartIndicesBatchingDims();
  if (failed(checkDims(refuse, "start_index_map", map, "operand", operand.getRank())) ||
      failed(checkDims(refuse, "start_indices_batching_dims", indicesBatching, "start_indices",
                       indices.getRank())) ||
      failed(
          checkDisjoint(refuse, "start_index_map", map, "operand_batching_dims", operandBatching)))
    return failure();
  if (llvm::is_contained(indicesBatching, vectorDim))
    return refuse("start_indices_batching_dims ", toText(indicesBatching),
                  " must not contain index_vector_dim ", vectorDim);
  if (operandBatching.size() != indicesBatching.size())
    return refuse("requires as many operand_batching_dims as "
                  "start_indices_batching_dims, but they are ",
                  toText(operandBatching), " and ", toText(indicesBatching));
  for (auto [a, b] : llvm::zip_equal(operandBatching, indicesBatching))
    if (!areCompatibleSizes(operand.getDimSize(a), indices.getDimSize(b)))
      return refuse("batching dimension ", a, " of operand has size ", operand.getDimSize(a),
                    ", but its partner ", b, " of start_indices has size ", indices.getDimSize(b));
  return success();
}

/// Checks the dimensions of a slice that the result does not have.
static LogicalResult checkDroppedDims(const Refusal &refuse, StringRef name, ArrayRef<int64_t> dims,
                                      ArrayRef<int64_t> sliceSizes) {
  if (failed(checkDims(refuse, name, dims, "operand", sliceSizes.size())) ||
      failed(checkAscending(refuse, name, dims)))
    return failure();
  for (int64_t dim : dims)
    if (sliceSizes[dim] > 1)
      return refuse("slice size ", sliceSizes[dim], " of dimension ", dim,
                    " must be at most 1, as the dimension is in ", name);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getStartIndices().getType());
  GatherDimensionNumbersAttr dims = adaptor.getDimensionNumbers();
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  ArrayRef<int64_t> collapsed = dims.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = dims.getOperandBatchingDims();
  if (failed(checkSliceSizes(refuse, sizes, operand)) ||
      failed(checkDroppedDims(refuse, "collapsed_slice_dims", collapsed, sizes)) ||
      failed(checkDroppedDims(refuse, "operand_batching_dims", batching, sizes)) ||
      failed(checkDisjoint(refuse, "collapsed_slice_dims", collapsed, "operand_batching_dims",
                           batching)) ||
      failed(checkIndices(refuse, dims, operand, indices)))
    return failure();

  SmallVector<int64_t> sliceShape, indexShape;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(collapsed, i) && !llvm::is_contained(batching, i))
      sliceShape.push_back(size);
  for (int64_t i = 0; i < indices.getRank(); ++i)
    if (i != dims.getIndexVectorDim())
      indexShape.push_back(indices.getDimSize(i));

  ArrayRef<int64_t> offset = dims.getOffsetDims();
  int64_t rank = indexShape.size() + offset.size();
  if (offset.size() != sliceShape.size())
    return refuse("offset_dims must have one entry per dimension that the "
                  "slice keeps, but is ",
                  toText(offset), " for a slice of shape ", toText(sliceShape));
  if (failed(checkDims(refuse, "offset_dims", offset, "result", rank)) ||
      failed(checkAscending(refuse, "offset_dims", offset)))
    return failure();
  SmallVector<int64_t> shape;
  auto *slice = sliceShape.begin(), *index = indexShape.begin();
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(offset, i) ? *slice++ : *index++);
  types.push_back(operand.clone(shape));
  return success();
}
