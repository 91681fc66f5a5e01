// The StableHLO operations on sizes that are values.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/Quantization.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Dynamic.cpp.inc"

void StableHLODialect::registerDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Dynamic.cpp.inc"
      >();
}

/// Checks that `values`, called `name`, has an element for each dimension of `what`.
static LogicalResult checkCount(const Refusal &refuse, StringRef name, Value values, StringRef what,
                                int64_t rank) {
  int64_t count = cast<RankedTensorType>(values.getType()).getDimSize(0);
  if (!areCompatibleSizes(count, rank))
    return refuse("requires an element of ", name, " for each dimension of ", what,
                  ", but there are ", count, " for rank ", rank);
  return success();
}

static LogicalResult checkElements(const Refusal &refuse, RankedTensorType operand,
                                   RankedTensorType result) {
  if (operand.getElementType() != result.getElementType())
    return refuse("requires the same element type for operand and result, but they are ", operand,
                  " and ", result);
  return success();
}

/// Checks that numbers for each dimension have one type.
static LogicalResult checkOneType(const Refusal &refuse, ValueRange values) {
  for (Value value : values)
    if (!areCompatibleTypes(value.getType(), values.front().getType()))
      return refuse("requires one type for all positions and amounts, but there are ",
                    values.front().getType(), " and ", value.getType());
  return success();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(checkCount(refuse, "output_dimensions", getOutputDimensions(), "the result",
                        result.getRank())) ||
      failed(checkOnePerDim(refuse, "broadcast_dimensions", dims, "operand", operand.getRank())) ||
      failed(checkDims(refuse, "broadcast_dimensions", dims, "result", result.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t from = operand.getDimSize(i), to = result.getDimSize(dim);
    if (from != 1 && !areCompatibleSizes(from, to))
      return refuse("cannot broadcast operand dimension ", i, " of size ", from,
                    " to result dimension ", dim, " of size ", to);
  }
  if (failed(checkConstantShape(refuse, "output_dimensions", getOutputDimensions(), result)))
    return failure();
  if (std::optional<SmallVector<int64_t>> sizes = constantIntegers(getOutputDimensions()))
    for (auto [i, dim] : llvm::enumerate(dims))
      if (operand.getDimSize(i) != 1 && !areCompatibleSizes(operand.getDimSize(i), (*sizes)[dim]))
        return refuse("cannot broadcast operand dimension ", i, " of size ", operand.getDimSize(i),
                      " to size ", (*sizes)[dim], " of output_dimensions");
  if (failed(checkBroadcastElements(refuse, operand, result, dims)))
    return failure();
  SmallVector<int64_t> known(getKnownExpandingDimensions().value_or(ArrayRef<int64_t>()));
  llvm::append_range(known, getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>()));
  return checkDims(refuse, "known dimensions", known, "operand", operand.getRank());
}

LogicalResult DynamicReshapeOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (failed(checkReshapedElements(refuse, operand, result)) ||
      failed(checkCount(refuse, "output_shape", getOutputShape(), "the result", result.getRank())))
    return failure();
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      countElements(operand.getShape()) != countElements(result.getShape()))
    return refuse("requires as many elements in the result as in the operand, but they are ",
                  operand, " and ", result);
  if (failed(checkConstantShape(refuse, "output_shape", getOutputShape(), result)))
    return failure();
  std::optional<SmallVector<int64_t>> sizes = constantIntegers(getOutputShape());
  if (sizes && operand.hasStaticShape() &&
      countElements(*sizes) != countElements(operand.getShape()))
    return refuse("output_shape is ", toText(*sizes), ", of other than the elements of ", operand);
  return success();
}

LogicalResult DynamicIotaOp::verify() {
  Refusal refuse(*this);
  int64_t rank = getResult().getType().getRank(), dim = getIotaDimension();
  if (dim >= rank)
    return refuse("iota_dimension ", dim, " is out of range for rank-", rank, " result");
  if (failed(checkCount(refuse, "output_shape", getOutputShape(), "the result", rank)))
    return failure();
  return checkConstantShape(refuse, "output_shape", getOutputShape(), getResult().getType());
}

/// Checks a dimension of a result whose size follows from operands that are constants.
static LogicalResult checkComputedSize(const Refusal &refuse, int64_t dim, int64_t size,
                                       RankedTensorType result) {
  if (size >= 0 && areCompatibleSizes(size, result.getDimSize(dim)))
    return success();
  return refuse("requires a result of size ", size, " along dimension ", dim, ", but it is ",
                result);
}

LogicalResult DynamicPadOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (failed(checkElements(refuse, operand, result)) ||
      failed(checkElements(refuse, getPaddingValue().getType(), result)) ||
      failed(checkOneType(refuse,
                          {getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding()})) ||
      failed(checkCount(refuse, "edge_padding_low", getEdgePaddingLow(), "the operand",
                        operand.getRank())))
    return failure();
  if (operand.getRank() != result.getRank())
    return refuse("requires operand and result of one rank, but they are ", operand, " and ",
                  result);
  std::optional<SmallVector<int64_t>> low = constantIntegers(getEdgePaddingLow()),
                                      high = constantIntegers(getEdgePaddingHigh()),
                                      interior = constantIntegers(getInteriorPadding());
  if (interior && llvm::any_of(*interior, [](int64_t amount) { return amount < 0; }))
    return refuse("interior_padding must not be negative, but is ", toText(*interior));
  if (!low || !high || !interior)
    return success();
  for (auto [dim, size] : llvm::enumerate(operand.getShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    const int64_t padded =
        (*low)[dim] + size + std::max<int64_t>(size - 1, 0) * (*interior)[dim] + (*high)[dim];
    if (failed(checkComputedSize(refuse, dim, padded, result)))
      return failure();
  }
  return success();
}

LogicalResult RealDynamicSliceOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (failed(checkElements(refuse, operand, result)) ||
      failed(checkOneType(refuse, {getStartIndices(), getLimitIndices(), getStrides()})) ||
      failed(
          checkCount(refuse, "start_indices", getStartIndices(), "the operand", operand.getRank())))
    return failure();
  if (operand.getRank() != result.getRank())
    return refuse("requires operand and result of one rank, but they are ", operand, " and ",
                  result);
  return success();
}

LogicalResult GetDimensionSizeOp::verify() {
  int64_t rank = getOperand().getType().getRank(), dim = getDimension();
  if (dim >= rank)
    return Refusal(*this)("dimension ", dim, " is out of range for a rank-", rank, " operand");
  return success();
}

LogicalResult SetDimensionSizeOp::verify() {
  Refusal refuse(*this);
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  int64_t rank = operand.getRank(), dim = getDimension();
  if (dim >= rank)
    return refuse("dimension ", dim, " is out of range for a rank-", rank, " operand");
  if (failed(checkElements(refuse, operand, result)))
    return failure();
  SmallVector<int64_t> shape(operand.getShape());
  shape[dim] = ShapedType::kDynamic;
  if (!areCompatibleShapes(operand.clone(shape), result))
    return refuse("requires a result of the operand's other sizes, but they are ", operand, " and ",
                  result);
  return success();
}
