// The StableHLO operations that read and write at dynamic indices.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

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
  if (!areCompatibleElements(update.getElementType(), operand.getElementType()) ||
      update.getRank() != operand.getRank())
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

namespace {
/// How indices address a tensor, and their names in the operation.
struct IndexDims {
  StringRef array, indices, map, arrayBatching, indicesBatching;
  ArrayRef<int64_t> mapDims, arrayBatchingDims, indicesBatchingDims;
  int64_t vectorDim;
};
} // namespace

/// Checks the indices: the dimension of their coordinates, the number of
/// these, and the batching dimensions, paired with the tensor's.
static LogicalResult checkIndices(const Refusal &refuse, const IndexDims &dims,
                                  RankedTensorType array, RankedTensorType indices) {
  if (dims.vectorDim < 0 || dims.vectorDim > indices.getRank())
    return refuse("index_vector_dim ", dims.vectorDim, " is not between 0 and the rank of ",
                  dims.indices, ", ", indices.getRank());
  int64_t coordinates =
      dims.vectorDim == indices.getRank() ? 1 : indices.getDimSize(dims.vectorDim);
  if (!areCompatibleSizes(coordinates, dims.mapDims.size()))
    return refuse(dims.map, " has ", dims.mapDims.size(), " entries, but an index has ",
                  coordinates, " coordinates");
  if (failed(checkDims(refuse, dims.map, dims.mapDims, dims.array, array.getRank())) ||
      failed(checkDims(refuse, dims.indicesBatching, dims.indicesBatchingDims, dims.indices,
                       indices.getRank())) ||
      failed(checkDisjoint(refuse, dims.map, dims.mapDims, dims.arrayBatching,
                           dims.arrayBatchingDims)))
    return failure();
  if (llvm::is_contained(dims.indicesBatchingDims, dims.vectorDim))
    return refuse(dims.indicesBatching, " ", toText(dims.indicesBatchingDims),
                  " must not contain index_vector_dim ", dims.vectorDim);
  if (dims.arrayBatchingDims.size() != dims.indicesBatchingDims.size())
    return refuse("requires as many ", dims.arrayBatching, " as ", dims.indicesBatching,
                  ", but they are ", toText(dims.arrayBatchingDims), " and ",
                  toText(dims.indicesBatchingDims));
  for (auto [a, b] : llvm::zip_equal(dims.arrayBatchingDims, dims.indicesBatchingDims))
    if (!areCompatibleSizes(array.getDimSize(a), indices.getDimSize(b)))
      return refuse("batching dimension ", a, " of ", dims.array, " has size ", array.getDimSize(a),
                    ", but its counterpart ", b, " of ", dims.indices, " has size ",
                    indices.getDimSize(b));
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

/// The shape of the result that consists of slices of `sizes`, which may be dynamic.
static FailureOr<SmallVector<int64_t>>
gatheredShape(const Refusal &refuse, GatherDimensionNumbersAttr dims, RankedTensorType operand,
              RankedTensorType indices, ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> collapsed = dims.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = dims.getOperandBatchingDims();
  if (failed(checkDroppedDims(refuse, "collapsed_slice_dims", collapsed, sizes)) ||
      failed(checkDroppedDims(refuse, "operand_batching_dims", batching, sizes)) ||
      failed(checkDisjoint(refuse, "collapsed_slice_dims", collapsed, "operand_batching_dims",
                           batching)) ||
      failed(checkIndices(refuse,
                          {"operand", "start_indices", "start_index_map", "operand_batching_dims",
                           "start_indices_batching_dims", dims.getStartIndexMap(), batching,
                           dims.getStartIndicesBatchingDims(), dims.getIndexVectorDim()},
                          operand, indices)))
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
                  toText(offset), " for a slice of rank ", sliceShape.size());
  if (failed(checkDims(refuse, "offset_dims", offset, "result", rank)) ||
      failed(checkAscending(refuse, "offset_dims", offset)))
    return failure();
  SmallVector<int64_t> shape;
  auto *slice = sliceShape.begin(), *index = indexShape.begin();
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(offset, i) ? *slice++ : *index++);
  return shape;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto indices = cast<RankedTensorType>(adaptor.getStartIndices().getType());
  if (failed(checkSliceSizes(refuse, adaptor.getSliceSizes(), operand)))
    return failure();
  auto shape = gatheredShape(refuse, adaptor.getDimensionNumbers(), operand, indices,
                             adaptor.getSliceSizes());
  if (failed(shape))
    return failure();
  types.push_back(operand.clone(*shape));
  return success();
}

LogicalResult DynamicGatherOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (!areCompatibleElements(operand.getElementType(), result.getElementType()))
    return refuse("requires the same element type for operand and result, but they are ", operand,
                  " and ", result);
  int64_t count = getSliceSizes().getType().getDimSize(0), rank = operand.getRank();
  if (!areCompatibleSizes(count, rank))
    return refuse("requires an element of slice_sizes for each dimension of the operand, but there "
                  "are ",
                  count, " for rank ", rank);
  SmallVector<int64_t> sizes(rank, ShapedType::kDynamic);
  if (std::optional<SmallVector<int64_t>> constant = constantIntegers(getSliceSizes())) {
    sizes = *constant;
    if (failed(checkSliceSizes(refuse, sizes, operand)))
      return failure();
  }
  auto shape =
      gatheredShape(refuse, getDimensionNumbers(), operand, getStartIndices().getType(), sizes);
  if (failed(shape))
    return failure();
  RankedTensorType expected = operand.clone(*shape);
  if (!areCompatibleShapes(expected, result))
    return refuse("requires a result of type ", expected, ", but it is ", result);
  return success();
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ScatterOp::getWindowSizes() {
  ScatterDimensionNumbersAttr dims = getScatterDimensionNumbers();
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  auto update = cast<RankedTensorType>(getUpdates().front().getType());
  SmallVector<int64_t> sizes;
  const int64_t *next = dims.getUpdateWindowDims().begin();
  for (int64_t d = 0; d < input.getRank(); ++d) {
    bool isInserted = llvm::is_contained(dims.getInsertedWindowDims(), d) ||
                      llvm::is_contained(dims.getInputBatchingDims(), d);
    sizes.push_back(isInserted ? 1 : update.getDimSize(*next++));
  }
  return sizes;
}

/// Checks that there is one of `values` per result, all of one shape.
static LogicalResult checkCounts(const Refusal &refuse, StringRef name, ValueRange values,
                                 size_t results) {
  if (values.empty())
    return refuse("requires at least one of ", name);
  if (values.size() != results)
    return refuse("requires as many ", name, " as results, but has ", values.size(), " and ",
                  results);
  for (auto [i, value] : llvm::enumerate(values))
    if (!areCompatibleShapes(values.front().getType(), value.getType()))
      return refuse("requires the same shape for all ", name, ", but #0 is ",
                    values.front().getType(), " and #", i, " is ", value.getType());
  return success();
}

/// Checks that the updates' dimensions are those of windows and indices.
static LogicalResult checkUpdates(const Refusal &refuse, ScatterDimensionNumbersAttr dims,
                                  RankedTensorType input, RankedTensorType indices,
                                  RankedTensorType update) {
  ArrayRef<int64_t> window = dims.getUpdateWindowDims();
  SmallVector<int64_t> windowDims, indexShape;
  for (int64_t d = 0; d < input.getRank(); ++d)
    if (!llvm::is_contained(dims.getInsertedWindowDims(), d) &&
        !llvm::is_contained(dims.getInputBatchingDims(), d))
      windowDims.push_back(d);
  for (int64_t d = 0; d < indices.getRank(); ++d)
    if (d != dims.getIndexVectorDim())
      indexShape.push_back(indices.getDimSize(d));
  if (window.size() != windowDims.size())
    return refuse("update_window_dims must have one entry per input dimension that windows have, ",
                  toText(windowDims), ", but is ", toText(window));
  if (failed(checkDims(refuse, "update_window_dims", window, "updates", update.getRank())) ||
      failed(checkAscending(refuse, "update_window_dims", window)))
    return failure();
  for (auto [d, u] : llvm::zip_equal(windowDims, window)) {
    int64_t size = update.getDimSize(u), whole = input.getDimSize(d);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(whole) && size > whole)
      return refuse("window size ", size, " is above size ", whole, " of dimension ", d);
  }
  SmallVector<int64_t> rest;
  for (int64_t d = 0; d < update.getRank(); ++d)
    if (!llvm::is_contained(window, d))
      rest.push_back(update.getDimSize(d));
  if (failed(verifyCompatibleShape(rest, indexShape)))
    return refuse("requires updates with the dimensions of scatter_indices, ", toText(indexShape),
                  ", beside those of windows, but these are ", toText(rest));
  return success();
}

LogicalResult ScatterOp::verify() {
  Refusal refuse(*this);
  size_t results = getNumResults();
  if (failed(checkCounts(refuse, "inputs", getInputs(), results)) ||
      failed(checkCounts(refuse, "updates", getUpdates(), results)))
    return failure();
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  auto indices = cast<RankedTensorType>(getScatterIndices().getType());
  auto update = cast<RankedTensorType>(getUpdates().front().getType());
  ScatterDimensionNumbersAttr dims = getScatterDimensionNumbers();
  ArrayRef<int64_t> inserted = dims.getInsertedWindowDims(), batching = dims.getInputBatchingDims();
  for (auto [name, list] :
       {std::pair("inserted_window_dims", inserted), std::pair("input_batching_dims", batching)})
    if (failed(checkDims(refuse, name, list, "input", input.getRank())) ||
        failed(checkAscending(refuse, name, list)))
      return failure();
  if (failed(checkDisjoint(refuse, "inserted_window_dims", inserted, "input_batching_dims",
                           batching)) ||
      failed(checkIndices(refuse,
                          {"input", "scatter_indices", "scatter_dims_to_operand_dims",
                           "input_batching_dims", "scatter_indices_batching_dims",
                           dims.getScatterDimsToOperandDims(), batching,
                           dims.getScatterIndicesBatchingDims(), dims.getIndexVectorDim()},
                          input, indices)) ||
      failed(checkUpdates(refuse, dims, input, indices, update)))
    return failure();
  for (auto [i, result] : llvm::enumerate(getResultTypes()))
    if (!areCompatibleShapes(input, result))
      return refuse("requires results of the inputs' shape, but they are ", input, " and result #",
                    i, " is ", result);
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  return checkReducer(Refusal(*this), "body", getUpdateComputation().front(),
                      getInputs().getTypes(), getUpdates().getTypes(), getResultTypes());
}
