// What a convolution keeps in VMEM beside its blocks, and how positions become depth.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ConvolutionPlan.h"

#include "compiler/Planning/FilterParts.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Tensor/Convolutions.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {

using Window = stablehlo::ConvolutionOp::Window;

int64_t paddingBefore(const Window &window) { return window.low / window.lhsDilation; }

int64_t elementsSeen(const Window &window, int64_t outputs) {
  int64_t last = (outputs - 1) * window.stride + window.extent() - 1 - window.low;
  return std::max<int64_t>(1, llvm::divideFloorSigned(last, window.lhsDilation) +
                                  paddingBefore(window) + 1);
}

SmallVector<WindowPhase> phasesOf(const Window &window, int64_t outputs) {
  SmallVector<WindowPhase> phases;
  int64_t dilation = window.lhsDilation, common = std::gcd(dilation, window.rhsDilation);
  for (int64_t first = 0; first < std::min(dilation, outputs); ++first) {
    WindowPhase phase;
    phase.out = {first, dilation, (outputs - first + dilation - 1) / dilation};
    phase.stride = window.stride;
    phase.tap.step = dilation / common;
    phase.dilation = window.rhsDilation / common;
    // The first tap that meets an element, if any does.
    auto elementOf = [&](int64_t tap) { return first + tap * window.rhsDilation - window.low; };
    while (phase.tap.first < phase.tap.step && elementOf(phase.tap.first) % dilation != 0)
      ++phase.tap.first;
    if (phase.tap.first < std::min(phase.tap.step, window.size)) {
      phase.tap.count = llvm::divideCeil(window.size - phase.tap.first, phase.tap.step);
      phase.image = elementOf(phase.tap.first) / dilation + paddingBefore(window);
    }
    if (window.reversed) {
      phase.tap.first = window.size - 1 - phase.tap.first;
      phase.tap.step = -phase.tap.step;
    }
    phases.push_back(phase);
  }
  return phases;
}

SmallVector<SmallVector<WindowPhase>> phasesOf(stablehlo::ConvolutionOp op,
                                               const Blocking &blocking) {
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  SmallVector<SmallVector<WindowPhase>> all(1);
  for (auto [number, window] : llvm::enumerate(op.getWindow())) {
    SmallVector<SmallVector<WindowPhase>> longer;
    for (const SmallVector<WindowPhase> &begin : all)
      for (const WindowPhase &phase : phasesOf(window, result[number + 1])) {
        longer.push_back(begin);
        longer.back().push_back(phase);
      }
    all = std::move(longer);
  }
  return all;
}

int64_t sublaneDimOf(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  SmallVector<int64_t> shape = blocking.blockShape(op->getOpOperand(1));
  auto waste = [&](int64_t dim) {
    return double(llvm::alignTo(shape[dim], kSublanes)) / std::max<int64_t>(1, shape[dim]);
  };
  int64_t best = shape.size() - 2;
  for (int64_t dim = best - 1; dim >= 0; --dim)
    if ((dim > 0 || shape[dim] % kSublanes == 0) && waste(dim) < waste(best))
      best = dim;
  return best;
}

SmallVector<int64_t> windowedShape(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  SmallVector<int64_t> shape = blocking.blockShape(op->getOpOperand(0));
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  ArrayRef<int64_t> places = op.getDimensionNumbers().getOutputSpatialDimensions();
  // Of a filter's gradient a block may be cut along its positions, which are the window.
  SmallVector<int64_t> kernel = blocking.blockShape(op->getOpOperand(1));
  ArrayRef<int64_t> taps = op.getDimensionNumbers().getKernelSpatialDimensions();
  if (formOf(op) == ConvolutionForm::ChannelFilter) {
    int64_t along = sublaneDimOf(op, blocking);
    kernel[along] = llvm::alignTo(kernel[along], kSublanes);
  }
  SmallVector<Window> windows = op.getWindow();
  for (auto [number, window] : llvm::enumerate(windows)) {
    window.size = kernel[taps[number]];
    shape[number + 1] = elementsSeen(window, result[places[number]]);
  }
  return shape;
}

/// Whether the windows of every step lie within the image.
static bool staysInside(stablehlo::ConvolutionOp op, const Cut &cut, const OffsetBlock &block,
                        int64_t seen) {
  int64_t last = (cut.steps() - 1) * block.stride(cut.blockSize) + seen;
  return block.offset >= 0 && block.offset + last <= op.getLhs().getType().getDimSize(block.dim);
}

bool isPadded(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  SmallVector<int64_t> seen = windowedShape(op, blocking);
  SmallVector<int64_t> block = blocking.blockShape(op->getOpOperand(0));
  for (int64_t slack : blocking.slackOf(op->getOpOperand(0)))
    if (slack != 0)
      return true;
  for (const Cut &cut : blocking.cuts)
    if (const OffsetBlock *offset = cut.offsetBlockOf(op->getOpOperand(0));
        offset && !staysInside(op, cut, *offset, seen[offset->dim]))
      return true;
  for (auto [number, window] : llvm::enumerate(op.getWindow()))
    if (window.low > 0 || seen[number + 1] > block[number + 1])
      return true;
  return false;
}

PaddedImage paddedImageOf(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  OpOperand &operand = op->getOpOperand(0);
  SmallVector<int64_t> slack = blocking.slackOf(operand);
  SmallVector<int64_t> block = blocking.hasOwnBlock(operand) ? blocking.blockShape(operand)
                                                             : blocking.blockShape(operand.get());
  // An operand that is read at an offset has the padding before it.
  SmallVector<bool> isOffset(block.size(), false);
  for (const Cut &cut : blocking.cuts)
    if (const OffsetBlock *offset = cut.offsetBlockOf(operand))
      isOffset[offset->dim] = true;
  PaddedImage image;
  image.shape = image.sizes = windowedShape(op, blocking);
  image.first.assign(block.size(), 0);
  for (auto [number, window] : llvm::enumerate(op.getWindow())) {
    int64_t dim = number + 1, low = isOffset[dim] ? 0 : paddingBefore(window);
    int64_t end = std::min(image.shape[dim], low + block[dim] - slack[dim]);
    image.sizes[dim] = std::max<int64_t>(0, end - low);
    image.first[dim] = low;
  }
  return image;
}

SmallVector<FoldLevel, 3> foldLevels(stablehlo::ConvolutionOp op, ArrayRef<int64_t> image,
                                     const Blocking &blocking) {
  bool isFilter = formOf(op) == ConvolutionForm::Filter;
  SmallVector<int64_t> positions =
      isFilter ? blocking.blockShape(op->getOpOperand(1)) : blocking.blockShape(op.getResult());
  return foldLevels(laneFoldOf(op), image, ArrayRef<int64_t>(positions).drop_front().drop_back());
}

bool isReversed(stablehlo::ConvolutionOp op) {
  return llvm::any_of(op.getWindow(), [](const Window &dim) { return dim.reversed; });
}

bool roundsGradient(stablehlo::ConvolutionOp op, int passes) {
  return passes == 1 && op.getRhs().getType().getElementType().isF32();
}

/// The features of `shape` as groups of rows.
static SmallVector<int64_t> grouped(ArrayRef<int64_t> shape, int64_t groups) {
  SmallVector<int64_t> result(shape);
  result.back() /= groups;
  result.insert(result.end() - 1, groups);
  return result;
}

/// Bytes of the features of `shape` as groups of rows, where they are not that anyway.
static int64_t groupedBytes(ArrayRef<int64_t> shape, int64_t groups, Type element) {
  return shape.back() / groups % kLanes == 0 ? 0 : blockBytes(grouped(shape, groups), element);
}

/// Of the gradient of a filter.
static int64_t gradientBytes(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  SmallVector<int64_t> kernel = blocking.blockShape(op->getOpOperand(1));
  Type element = op.getRhs().getType().getElementType();
  int64_t total = 0;
  if (formOf(op) == ConvolutionForm::ChannelFilter) {
    int64_t along = sublaneDimOf(op, blocking);
    kernel[along] = llvm::alignTo(kernel[along], kSublanes);
    return blockBytes(kernel, element) +
           2 * blockBytes(blocking.blockShape(op.getResult()), Float32Type::get(op.getContext()));
  }
  for (const FilterPart &part : filterParts(op, ArrayRef<int64_t>(kernel).drop_back()))
    total += blockBytes({part.boxes(), part.depth(), kernel.back()}, element) +
             blockBytes({part.boxes(), kernel.back(), part.depth()}, element);
  return total;
}

/// Sums of a filter's gradient whose window is folded, until they are rows of its `result`.
static int64_t sumBytes(const LaneFold &fold, ArrayRef<int64_t> result, Type sum) {
  int64_t total = blockBytes(foldedSums(fold, result, fold.blocks(), fold.folded), sum);
  if (fold.rest() > 0)
    total += blockBytes(foldedSums(fold, result, 1, fold.rest()), sum);
  for (const FoldLevel &level : unfoldLevels(fold, result))
    total += blockBytes(level.shape, sum);
  return total;
}

int64_t scratchBytes(stablehlo::ConvolutionOp op, const Blocking &blocking) {
  Type element = op.getLhs().getType().getElementType();
  Type sum = op.getType().getElementType();
  int64_t groups = op.getFeatureGroupCount(), total = 0;
  SmallVector<int64_t> seen = windowedShape(op, blocking);
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  std::optional<ConvolutionForm> form = formOf(op);
  // What is read at an offset moves before it is selected from.
  bool isMasked =
      !edgeOf(op.getLhs(), blocking) && llvm::any_of(blocking.cuts, [&](const Cut &cut) {
        return cut.offsetBlockOf(op->getOpOperand(0));
      });
  if (isPadded(op, blocking))
    total += (isMasked ? 2 : 1) * blockBytes(seen, element);
  Type wide = IntegerType::get(op.getContext(), 32);
  if (sum.getIntOrFloatBitWidth() < 32)
    total += blockBytes(result, wide);
  LaneFold fold = laneFoldOf(op);
  if (fold.isNeeded())
    for (const FoldLevel &level : foldLevels(op, seen, blocking))
      total += blockBytes(level.shape, element);
  if (form == ConvolutionForm::Filter || form == ConvolutionForm::ChannelFilter)
    return total + gradientBytes(op, blocking) +
           (fold.isNeeded() ? sumBytes(fold, result, wide) : 0);
  SmallVector<int64_t> kernel = blocking.blockShape(op->getOpOperand(1));
  if (fold.isNeeded()) {
    if (isKernelTransposed(op) || isReversed(op))
      total += blockBytes(kernel, element);
  }
  bool hasPhases =
      llvm::any_of(op.getWindow(), [](const Window &dim) { return dim.lhsDilation != 1; });
  if (groups > 1 && form == ConvolutionForm::Positions)
    total += groupedBytes(seen, groups, element) + groupedBytes(kernel, groups, element) +
             (hasPhases ? blockBytes(grouped(result, groups), wide)
                        : groupedBytes(result, groups, wide)) +
             (isKernelTransposed(op) ? 0 : blockBytes(grouped(kernel, groups), element));
  else if (hasPhases)
    total += blockBytes(result, wide);
  return total;
}

} // namespace systole
