// Where a cut of one of the arrays of a convolution cuts the others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/CutPropagation.h"

using namespace mlir;

namespace systole {

bool CutPropagation::visitConvolution(stablehlo::ConvolutionOp op) {
  std::optional<ConvolutionForm> form = formOf(op);
  return form == ConvolutionForm::Filter || form == ConvolutionForm::ChannelFilter
             ? visitFilter(op)
             : visitPositions(op);
}

/// Images can be cut, positions (of which the image is then read in windows that overlap),
/// features that are by themselves and, without groups, output features.
bool CutPropagation::visitPositions(stablehlo::ConvolutionOp op) {
  int64_t last = op.getType().getRank() - 1;
  int64_t outputs = op.getDimensionNumbers().getKernelOutputFeatureDimension();
  bool isChannels = formOf(op) == ConvolutionForm::Channels;
  std::optional<int64_t> dim = known(op->getResults());
  if (!dim) {
    int64_t image = lookup(op.getLhs()), kernel = lookup(op.getRhs());
    if (image == kWhole && kernel == kWhole)
      return true;
    bool isAlone = image == last && isChannels;
    if ((image > 0 && !isAlone) ||
        (kernel != kWhole && !isAlone && (image != kWhole || kernel != outputs)))
      return false;
    dim = image == 0 ? 0 : last;
  }
  if (!assign(op.getResult(), *dim))
    return false;
  if (*dim == kWhole)
    return assign(op.getLhs(), kWhole) && assign(op.getRhs(), kWhole);
  if (*dim == last)
    return (isChannels || op.getFeatureGroupCount() == 1) &&
           assign(op.getLhs(), isChannels ? last : kWhole) && assign(op.getRhs(), outputs);
  if (!assign(op.getRhs(), kWhole))
    return false;
  if (*dim == 0)
    return assign(op.getLhs(), 0);
  stablehlo::ConvolutionOp::Window window = op.getWindow()[*dim - 1];
  // Each position sees the element in its place.
  if (window.size == 1 && window.stride == 1 && window.low == 0 && window.high == 0 &&
      window.lhsDilation == 1)
    return assign(op.getLhs(), *dim);
  // What the positions of one period see, beyond the elements by which windows move on.
  int64_t more = elementsSeen(window, window.lhsDilation) - window.stride;
  if (window.lhsDilation != 1)
    more = std::max<int64_t>(0, more);
  return addOffsetBlock(
      {op, 0, *dim, window.stride, window.lhsDilation, -paddingBefore(window), more});
}

/// Either kind of features can be cut without groups, and batch and positions in the chunks
/// in which they are summed.
bool CutPropagation::visitFilter(stablehlo::ConvolutionOp op) {
  int64_t last = op.getType().getRank() - 1;
  Value image = op.getLhs(), gradient = op.getRhs();
  bool isChannels = formOf(op) == ConvolutionForm::ChannelFilter;
  auto cutDepth = [&](int64_t dim) {
    if (dim == 0)
      return assign(image, 0) && assign(gradient, 0);
    stablehlo::ConvolutionOp::Window window = op.getWindow()[dim - 1];
    bool isInPlace = op.getType().getDimSize(dim - 1) == 1 && window.rhsDilation == 1 &&
                     window.low == 0 && window.high == 0;
    if (isInPlace && !isChannels)
      return assign(gradient, dim) && assign(image, dim);
    // The windows of neighbouring positions of the gradient overlap in the image.
    int64_t seen = (op.getType().getDimSize(dim - 1) - 1) * window.stride + 1;
    return assign(gradient, dim) && addOffsetBlock({op, 0, dim, window.rhsDilation, 1, -window.low,
                                                    seen - window.rhsDilation});
  };
  if (sums.contains(op))
    return cutDepth(dims.contains(gradient) ? lookup(gradient) : 0);
  std::optional<int64_t> dim = known(op->getResults());
  if (!dim) {
    int64_t ofImage = lookup(image), ofGradient = lookup(gradient);
    if (ofImage == kWhole && ofGradient == kWhole)
      return true;
    if (ofImage == 0 || (ofGradient >= 0 && ofGradient < last)) {
      int64_t depth = ofImage == 0 ? 0 : ofGradient;
      return cutDepth(depth) && accumulate(op, depth);
    }
    if (ofImage != last && ofGradient != last)
      return false;
    dim = ofImage == last || isChannels ? last : last - 1;
  }
  if (!assign(op.getResult(), *dim))
    return false;
  if (*dim == kWhole)
    return assign(image, kWhole) && assign(gradient, kWhole);
  if (isChannels)
    return *dim == last && assign(image, last) && assign(gradient, last);
  if (*dim < last - 1 || op.getFeatureGroupCount() != 1)
    return false;
  return *dim == last ? assign(image, last) && assign(gradient, kWhole)
                      : assign(image, kWhole) && assign(gradient, last);
}

} // namespace systole
