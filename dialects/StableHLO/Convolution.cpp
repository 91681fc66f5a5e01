// The StableHLO convolution.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/Quantization.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Convolution.cpp.inc"

void StableHLODialect::registerConvolutionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Convolution.cpp.inc"
      >();
}

SmallVector<Window> ConvolutionOp::getWindow() {
  SmallVector<int64_t> sizes;
  for (int64_t dim : getDimensionNumbers().getKernelSpatialDimensions())
    sizes.push_back(getRhs().getType().getDimSize(dim));
  SmallVector<Window> window =
      makeWindow(sizes, getWindowStrides(), getLhsDilation(), getRhsDilation(), getPaddingAttr());
  if (auto reversal = getWindowReversal())
    for (auto [dim, reversed] : llvm::zip_equal(window, *reversal))
      dim.reversed = reversed;
  return window;
}

Precision ConvolutionOp::getOperandPrecision(unsigned operand) {
  return precisionOf(getPrecisionConfigAttr(), operand);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks that the numbers name each dimension of one operand or result once.
static LogicalResult checkNumbers(const Refusal &refuse, StringRef what, int64_t first,
                                  int64_t second, ArrayRef<int64_t> spatial, int64_t rank) {
  SmallVector<int64_t> dims = {first, second};
  llvm::append_range(dims, spatial);
  if (static_cast<int64_t>(dims.size()) != rank)
    return refuse("has dimension numbers for rank ", dims.size(), ", but ", what, " has rank ",
                  rank);
  return checkDims(refuse, "dimension_numbers", dims, what, rank);
}

template <typename Op>
static LogicalResult checkWindow(const Refusal &refuse, Op op, int64_t rank) {
  constexpr StringLiteral what = "the window";
  if (failed(checkPositive(refuse, "window_strides", op.getWindowStrides(), what, rank)) ||
      failed(checkPositive(refuse, "lhs_dilation", op.getLhsDilation(), what, rank)) ||
      failed(checkPositive(refuse, "rhs_dilation", op.getRhsDilation(), what, rank)))
    return failure();
  if (auto reversal = op.getWindowReversal();
      reversal && static_cast<int64_t>(reversal->size()) != rank)
    return refuse("window_reversal must have one entry per dimension of the window, but has ",
                  reversal->size(), " for rank ", rank);
  return success();
}

template <typename Op>
static LogicalResult checkGroups(const Refusal &refuse, Op op, int64_t batch, int64_t features,
                                 int64_t kernelFeatures, int64_t results) {
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  if (featureGroups <= 0 || batchGroups <= 0)
    return refuse("group counts must be positive, but are ", featureGroups, " and ", batchGroups);
  if (featureGroups > 1 && batchGroups > 1)
    return refuse("only one of feature_group_count and batch_group_count may be above 1, but they "
                  "are ",
                  featureGroups, " and ", batchGroups);
  auto divides = [&](StringRef group, int64_t count, StringRef what,
                     int64_t size) -> LogicalResult {
    if (ShapedType::isDynamic(size) || size % count == 0)
      return success();
    return refuse(group, " ", count, " does not divide the ", size, " ", what);
  };
  if (failed(divides("feature_group_count", featureGroups, "features of the image", features)) ||
      failed(divides("feature_group_count", featureGroups, "output features of the kernel",
                     results)) ||
      failed(divides("batch_group_count", batchGroups, "images of the batch", batch)) ||
      failed(divides("batch_group_count", batchGroups, "output features of the kernel", results)))
    return failure();
  if (ShapedType::isStatic(features) &&
      !areCompatibleSizes(kernelFeatures, features / featureGroups))
    return refuse("requires a kernel of as many input features as a group of the image has, ",
                  features / featureGroups, ", but it has ", kernelFeatures);
  return success();
}

/// Checks the dimensions that have scales of their own for each index.
static LogicalResult checkScales(const Refusal &refuse, ConvDimensionNumbersAttr numbers,
                                 RankedTensorType rhs, RankedTensorType result) {
  auto check = [&](StringRef what, StringRef name, RankedTensorType type,
                   int64_t features) -> LogicalResult {
    auto dim = quantizedDimension(type.getElementType());
    if (!dim || *dim == features)
      return success();
    return refuse("requires ", what, " to be quantized along ", name, ", ", features,
                  ", if along a dimension, but it is along ", *dim);
  };
  if (failed(check("rhs", "kernel_output_feature_dimension", rhs,
                   numbers.getKernelOutputFeatureDimension())))
    return failure();
  return check("the result", "output_feature_dimension", result,
               numbers.getOutputFeatureDimension());
}

/// Checks all but the padding of a convolution. `countPositions` says how many positions the
/// window has along a spatial dimension.
template <typename Op>
static LogicalResult
checkConvolution(const Refusal &refuse, Op op,
                 llvm::function_ref<std::optional<int64_t>(size_t)> countPositions) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
                   result = op.getResult().getType();
  if (failed(checkNumbers(refuse, "lhs", numbers.getInputBatchDimension(),
                          numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions(),
                          lhs.getRank())) ||
      failed(checkNumbers(refuse, "rhs", numbers.getKernelInputFeatureDimension(),
                          numbers.getKernelOutputFeatureDimension(),
                          numbers.getKernelSpatialDimensions(), rhs.getRank())) ||
      failed(checkNumbers(refuse, "the result", numbers.getOutputBatchDimension(),
                          numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions(),
                          result.getRank())))
    return failure();
  if (lhs.getRank() != rhs.getRank() || lhs.getRank() != result.getRank())
    return refuse("requires operands and result of one rank, but they are ", lhs, ", ", rhs,
                  " and ", result);
  if (failed(checkProductElements(refuse, lhs, rhs, result)) ||
      failed(checkScales(refuse, numbers, rhs, result)) ||
      failed(checkWindow(refuse, op, lhs.getRank() - 2)))
    return failure();
  if (ArrayAttr config = op.getPrecisionConfigAttr(); config && config.size() > 2)
    return refuse("precision_config has ", config.size(), " entries, but there are 2 operands");

  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  int64_t outputs = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  if (failed(checkGroups(refuse, op, batch, lhs.getDimSize(numbers.getInputFeatureDimension()),
                         rhs.getDimSize(numbers.getKernelInputFeatureDimension()), outputs)))
    return failure();
  SmallVector<int64_t> shape(result.getRank());
  shape[numbers.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / int64_t(op.getBatchGroupCount());
  shape[numbers.getOutputFeatureDimension()] = outputs;
  for (auto [i, dim] : llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    std::optional<int64_t> count = countPositions(i);
    if (!count)
      return refuse("has a padded dimension of 2^62 elements or more");
    shape[dim] = *count;
  }
  RankedTensorType expected = result.clone(shape);
  if (!areCompatibleShapes(expected, result))
    return refuse("requires a result of shape ", expected, ", but it is ", result);
  return success();
}

LogicalResult ConvolutionOp::verify() {
  Refusal refuse(*this);
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  ArrayRef<int64_t> images = numbers.getInputSpatialDimensions();
  if (failed(checkPadding(refuse, getPaddingAttr(), "the window", images.size())))
    return failure();
  return checkConvolution(refuse, *this, [&](size_t i) -> std::optional<int64_t> {
    int64_t image = getLhs().getType().getDimSize(images[i]);
    Window window = getWindow()[i];
    if (ShapedType::isDynamic(image) || ShapedType::isDynamic(window.size))
      return ShapedType::kDynamic;
    return window.positionsOn(image);
  });
}

LogicalResult DynamicConvOp::verify() {
  Refusal refuse(*this);
  auto spatial = static_cast<int64_t>(getDimensionNumbers().getInputSpatialDimensions().size());
  RankedTensorType padding = getPadding().getType();
  if (!areCompatibleSizes(padding.getDimSize(0), spatial) ||
      !areCompatibleSizes(padding.getDimSize(1), 2))
    return refuse("requires a padding of two elements for each of ", spatial,
                  " spatial dimensions, but it is ", padding);
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  SmallVector<int64_t> sizes;
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    if (dim >= 0 && dim < rhs.getRank())
      sizes.push_back(rhs.getDimSize(dim));
  if (llvm::is_contained(sizes, 0))
    return refuse("requires a window without dimensions of size 0, but it is ", toText(sizes));
  std::optional<SmallVector<int64_t>> amounts = constantIntegers(getPadding());
  auto countPositions = [&](size_t i) -> std::optional<int64_t> {
    int64_t image = lhs.getDimSize(numbers.getInputSpatialDimensions()[i]);
    if (!amounts || ShapedType::isDynamic(image) || ShapedType::isDynamic(sizes[i]))
      return ShapedType::kDynamic;
    SmallVector<Window> window = makeWindow(sizes, getWindowStrides(), getLhsDilation(),
                                            getRhsDilation(), /*padding=*/nullptr);
    window[i].low = (*amounts)[2 * i];
    window[i].high = (*amounts)[2 * i + 1];
    return window[i].positionsOn(image);
  };
  if (failed(checkConvolution(refuse, *this, countPositions)))
    return failure();
  auto isQuantized = [](RankedTensorType type) {
    return isa<quant::QuantizedType>(type.getElementType());
  };
  if (!isQuantized(lhs) && !isQuantized(rhs) && lhs.getElementType() != rhs.getElementType())
    return refuse("requires the same element type for lhs and rhs, but they are ", lhs, " and ",
                  rhs);
  return success();
}
