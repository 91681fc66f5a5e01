// The forms of convolutions, by their dimension numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tensor/Convolutions.h"

using namespace mlir;

namespace systole {

using namespace stablehlo;

namespace {

/// The dimension numbers of a form. Spatial dimensions follow one another, from the given one on.
struct FormNumbers {
  int64_t batch, feature, spatial;
  int64_t kernelInput, kernelOutput, kernelSpatial;
  int64_t resultBatch, resultFeature, resultSpatial;
};

} // namespace

static FormNumbers numbersOf(ConvolutionForm form, int64_t spatial, bool transposed) {
  int64_t last = spatial + 1;
  switch (form) {
  case ConvolutionForm::Positions:
  case ConvolutionForm::Channels:
    return {0, last, 1, spatial + transposed, last - transposed, 0, 0, last, 1};
  case ConvolutionForm::Filter:
    return {last, 0, 1, 0, last, 1, last, spatial, 0};
  case ConvolutionForm::ChannelFilter:
    return {last, 0, 1, 0, last, 1, spatial, last, 0};
  }
  return {};
}

/// first, first + 1, ... in `count` places.
static SmallVector<int64_t> ascending(int64_t first, int64_t count) {
  return llvm::to_vector(llvm::seq(first, first + count));
}

ConvDimensionNumbersAttr numbersOf(MLIRContext *context, ConvolutionForm form, int64_t spatial,
                                   bool isKernelTransposed) {
  const FormNumbers numbers = numbersOf(form, spatial, isKernelTransposed);
  return ConvDimensionNumbersAttr::get(
      context, numbers.batch, numbers.feature, ascending(numbers.spatial, spatial),
      numbers.kernelInput, numbers.kernelOutput, ascending(numbers.kernelSpatial, spatial),
      numbers.resultBatch, numbers.resultFeature, ascending(numbers.resultSpatial, spatial));
}

ConvDimensionNumbersAttr numbersOfPositions(MLIRContext *context, int64_t spatial) {
  return numbersOf(context, ConvolutionForm::Positions, spatial, /*isKernelTransposed=*/false);
}

/// Whether an operation has the numbers of a form. Makes no attribute: planning asks again and
/// again.
static bool matches(ConvDimensionNumbersAttr attribute, const FormNumbers &numbers) {
  auto ascends = [](ArrayRef<int64_t> dims, int64_t first) {
    return llvm::equal(dims, llvm::seq(first, first + static_cast<int64_t>(dims.size())));
  };
  return attribute.getInputBatchDimension() == numbers.batch &&
         attribute.getInputFeatureDimension() == numbers.feature &&
         attribute.getKernelInputFeatureDimension() == numbers.kernelInput &&
         attribute.getKernelOutputFeatureDimension() == numbers.kernelOutput &&
         attribute.getOutputBatchDimension() == numbers.resultBatch &&
         attribute.getOutputFeatureDimension() == numbers.resultFeature &&
         ascends(attribute.getInputSpatialDimensions(), numbers.spatial) &&
         ascends(attribute.getKernelSpatialDimensions(), numbers.kernelSpatial) &&
         ascends(attribute.getOutputSpatialDimensions(), numbers.resultSpatial);
}

bool isKernelTransposed(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  return numbers.getKernelInputFeatureDimension() > numbers.getKernelOutputFeatureDimension();
}

int64_t tapsOf(ArrayRef<ConvolutionOp::Window> window) {
  int64_t taps = 1;
  for (const ConvolutionOp::Window &dim : window)
    taps *= dim.size;
  return taps;
}

bool hasPhases(const ConvolutionOp::Window &window) {
  return window.lhsDilation != 1 && window.stride == 1;
}

std::optional<ConvolutionForm> formOf(ConvolutionOp op) {
  SmallVector<ConvolutionOp::Window> window = op.getWindow();
  bool isPlain = true; // what sums over positions take
  for (const ConvolutionOp::Window &dim : window) {
    if ((dim.lhsDilation != 1 && !hasPhases(dim)) || dim.low < 0 || dim.high < 0)
      return std::nullopt;
    isPlain &= dim.lhsDilation == 1 && !dim.reversed;
  }
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t spatial = numbers.getKernelSpatialDimensions().size();
  int64_t groups = op.getFeatureGroupCount(), features = op.getType().getShape().back();
  auto has = [&](ConvolutionForm form, bool transposed) {
    return matches(numbers, numbersOf(form, spatial, transposed));
  };
  if (op.getBatchGroupCount() != 1) {
    bool isOwn = static_cast<int64_t>(op.getBatchGroupCount()) == features &&
                 op.getLhs().getType().getShape().back() == features && isPlain && spatial > 0 &&
                 op.getType().getNumElements() <= kMostChannelTaps * features;
    return isOwn && has(ConvolutionForm::ChannelFilter, false)
               ? std::optional(ConvolutionForm::ChannelFilter)
               : std::nullopt;
  }
  if (groups > 1 && groups == features && op.getLhs().getType().getShape().back() == features &&
      tapsOf(window) <= kMostChannelTaps && has(ConvolutionForm::Channels, false))
    return ConvolutionForm::Channels;
  for (bool transposed : {false, true}) {
    if (has(ConvolutionForm::Positions, transposed))
      return ConvolutionForm::Positions;
    if (isPlain && has(ConvolutionForm::Filter, transposed))
      return ConvolutionForm::Filter;
  }
  return std::nullopt;
}

} // namespace systole
