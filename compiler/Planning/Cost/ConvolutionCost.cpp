// Convolutions as products (compiler/Tiling/StageConvolution.cpp, StageFolded.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Planning/Halos.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

void StageEstimator::estimateConvolution(stablehlo::ConvolutionOp op) {
  int asked = passesOf(op), passes = asked ? asked : precision;
  switch (*formOf(op)) {
  case ConvolutionForm::Positions:
    return laneFoldOf(op).isNeeded() ? estimateFolded(op, passes) : estimatePositions(op, passes);
  case ConvolutionForm::Filter:
    return estimateFilter(op, passes);
  case ConvolutionForm::Channels:
    return estimateChannels(op);
  case ConvolutionForm::ChannelFilter:
    return estimateChannelFilter(op);
  }
}

VmemBlock StageEstimator::paddedImage(stablehlo::ConvolutionOp op) {
  Source source = sourceOf(op, 0);
  if (!isPadded(op, blocking))
    return source.block;
  PaddedImage image = paddedImageOf(op, blocking);
  const SmallVector<int64_t> &seen = image.shape, &sizes = image.sizes;
  size_t rank = seen.size();
  Side from{source.first, SmallVector<int64_t>(rank, 1)};
  Side into{image.first, SmallVector<int64_t>(rank, 1)};
  bool hasEdges = image.hasEdges();
  VmemBlock padded(seen, source.block.element);
  bool isMasked = source.hasOffset() && !edgeOf(op.getLhs(), blocking);
  if (hasEdges && !isMasked)
    estimateFillAround(padded, into.first, sizes);
  use(op->getOpOperand(0));
  if (!isMasked || hasEdges)
    estimateCopy(source.block, padded, sizes, from, into);
  if (!isMasked)
    return padded;
  SmallVector<int64_t> dims;
  for (size_t dim = 1; dim + 1 < rank; ++dim)
    if (source.cuts[dim] || sizes[dim] < seen[dim])
      dims.push_back(static_cast<int64_t>(dim));
  estimateSelect(padded, dims);
  return padded;
}

VmemBlock StageEstimator::splitGroups(const VmemBlock &block, int64_t dim, int64_t groups) {
  VmemBlock split = block;
  split.shape[dim] /= groups;
  split.shape.insert(split.shape.begin() + dim, groups);
  size_t rank = block.shape.size();
  if (dim + 1 != static_cast<int64_t>(rank) || split.lanes() % kLanes == 0) {
    if (!block.isViewOf(split))
      estimateReshapeCopy(block, split);
    return split;
  }
  // Features of a group move to rows of their own.
  CopyStage stage;
  stage.packing = kernel::LayoutAttr::packingOf(block.element);
  for (size_t d = 0; d + 1 < rank; ++d)
    stage.loops.push_back({block.shape[d], block.pitch(d) * kLanes, split.pitch(d) * kLanes});
  stage.loops.push_back({groups, split.lanes(), split.tiles() * kLanes});
  stage.loops.push_back({split.lanes(), 1, 1});
  stage.srcLanes = block.lanes();
  stage.dstLanes = split.lanes();
  add(costOf(stage, model));
  return split;
}

void StageEstimator::estimateContraction(Contraction &contraction, stablehlo::ConvolutionOp op,
                                         int passes, bool rounds, bool accumulates) {
  ProductStage stage;
  stage.shape = shapeOf(contraction);
  stage.lhs = contraction.lhs.element;
  stage.rhs = contraction.rhs.element;
  stage.lhsRows = contraction.lhs.logicalRows();
  stage.rhsRows = contraction.rhs.logicalRows();
  stage.outRows = contraction.out.logicalRows();
  stage.passes = passes;
  if (!isOnePass(op, passes))
    stage.freeBytes = freeBytes();
  stage.rounds = rounds;
  stage.accumulates = accumulates;
  use(op->getOpOperand(0));
  use(op.getRhs());
  use(op.getResult());
  add(costOf(stage, model));
}

void StageEstimator::estimatePositions(stablehlo::ConvolutionOp op, int passes) {
  int64_t groups = op.getFeatureGroupCount();
  size_t spatial = op.getWindow().size();
  bool transposed = isKernelTransposed(op);
  VmemBlock image = paddedImage(op);
  VmemBlock kernel = require(op->getOpOperand(1));
  if (groups > 1) {
    image = splitGroups(image, spatial + 1, groups);
    kernel = splitGroups(kernel, transposed ? spatial : spatial + 1, groups);
    if (!transposed) { // groups stand before the features of either kind
      VmemBlock exchanged = kernel;
      std::swap(exchanged.shape[spatial], exchanged.shape[spatial + 1]);
      size_t rank = kernel.shape.size();
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
      std::swap(order[spatial], order[spatial + 1]);
      Side whole{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)};
      estimateCopy(kernel, exchanged, exchanged.shape, whole, whole, order);
      kernel = exchanged;
    }
  }
  SmallVector<SmallVector<WindowPhase>> phases = phasesOf(op, blocking);
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  int64_t outputs = result.back() / groups, inputs = blockOf(op.getLhs()).lanes() / groups;
  bool onePass = groups == 1 && isOnePass(op, passes);
  estimateSums(op, onePass, [&](bool rounds, bool accumulates) {
    for (const SmallVector<WindowPhase> &phase : phases) {
      if (llvm::any_of(phase, [](const WindowPhase &dim) { return dim.tap.count == 0; }))
        continue;
      SmallVector<int64_t> sizes = {result.front()}, shape = {result.front()};
      for (const WindowPhase &dim : phase) {
        sizes.push_back(dim.out.count);
        shape.push_back(dim.out.count);
      }
      for (const WindowPhase &dim : phase)
        sizes.push_back(dim.tap.count);
      sizes.append({groups, inputs, outputs});
      if (groups > 1)
        shape.push_back(groups);
      shape.push_back(outputs);
      size_t group = 2 * spatial + 1, input = group + 1, output = group + 2;
      Contraction contraction(sizes);
      contraction.lhs = image;
      contraction.rhs = kernel;
      contraction.out = VmemBlock(shape, Float32Type::get(op.getContext()));
      contraction.ofLhs.along(0);
      contraction.ofOut.along(0);
      for (auto [d, dim] : llvm::enumerate(phase)) {
        contraction.ofLhs.along(d + 1, dim.stride).plus(spatial + 1 + d, dim.dilation);
        contraction.ofRhs.along(spatial + 1 + d, dim.tap.step);
        contraction.ofOut.along(d + 1);
      }
      if (groups > 1)
        for (IndexMap *map : {&contraction.ofLhs, &contraction.ofRhs, &contraction.ofOut})
          map->along(group);
      contraction.ofLhs.along(input);
      contraction.ofRhs.along(transposed ? output : input).along(transposed ? input : output);
      contraction.ofOut.along(output);
      estimateContraction(contraction, op, passes, rounds, accumulates);
      // Phases, and groups within rows, have sums of their own.
      bool isView = phases.size() == 1 && (groups == 1 || outputs % kLanes == 0);
      if (isView)
        continue;
      CopyStage stage;
      VmemBlock to = blockOf(op.getResult());
      stage.loops.push_back({shape[0], contraction.out.pitch(0) * kLanes, to.pitch(0) * kLanes});
      for (auto [d, dim] : llvm::enumerate(phase))
        stage.loops.push_back({dim.out.count, contraction.out.pitch(d + 1) * kLanes,
                               to.pitch(d + 1) * kLanes * dim.out.step});
      if (groups > 1)
        stage.loops.push_back({groups, contraction.out.tiles() * kLanes, outputs});
      stage.loops.push_back({outputs, 1, 1});
      stage.srcLanes = outputs;
      stage.dstLanes = to.lanes();
      use(op.getResult());
      add(costOf(stage, model));
    }
  });
}

void StageEstimator::estimateFolded(stablehlo::ConvolutionOp op, int passes) {
  SmallVector<stablehlo::ConvolutionOp::Window> window = op.getWindow();
  LaneFold fold = laneFoldOf(op);
  size_t spatial = window.size(), outer = fold.outer;
  std::pair<VmemBlock, VmemBlock> images = foldedImage(op, paddedImage(op));
  const VmemBlock &single = images.first, &whole = images.second;
  VmemBlock kernel = require(op->getOpOperand(1));
  size_t rank = kernel.shape.size();
  if (isKernelTransposed(op) || isReversed(op)) {
    VmemBlock moved = kernel;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    Side from{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)}, into = from;
    for (auto [d, dim] : llvm::enumerate(window))
      if (dim.reversed) {
        from.first[d] = dim.size - 1;
        from.strides[d] = -1;
      }
    if (isKernelTransposed(op)) {
      std::swap(moved.shape[rank - 1], moved.shape[rank - 2]);
      std::swap(order[rank - 1], order[rank - 2]);
    }
    use(op.getRhs());
    estimateCopy(kernel, moved, moved.shape, from, into, order);
    kernel = moved;
  }
  // Folded dimensions of the window and the features are one, of rows of weights.
  int64_t outputs = kernel.lanes(), lanes = fold.inner() * kernel.shape[spatial];
  VmemBlock rows = kernel;
  rows.shape.assign(kernel.shape.begin(), kernel.shape.begin() + int64_t(outer));
  rows.shape.append({fold.dims[outer].taps * lanes, outputs});
  if (!kernel.isViewOf(rows))
    estimateReshapeCopy(kernel, rows);
  kernel = rows;
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  size_t depth = 2 * spatial + 1, output = depth + 1;
  estimateSums(op, isOnePass(op, passes), [&](bool rounds, bool accumulates) {
    auto contract = [&](const VmemBlock &image, int64_t count, int64_t taps, bool isLast) {
      SmallVector<int64_t> sizes(ArrayRef<int64_t>(result).drop_back());
      for (size_t d = 0; d < spatial; ++d)
        sizes.push_back(d < outer ? window[d].size : d == outer ? count : 1);
      sizes.append({taps * lanes, outputs});
      Contraction contraction(sizes);
      contraction.lhs = image;
      contraction.rhs = kernel;
      contraction.out = VmemBlock(result, Float32Type::get(op.getContext()));
      contraction.ofLhs.along(0);
      contraction.ofOut.along(0);
      for (size_t d = 0; d < spatial; ++d) {
        const LaneFold::Dim &dim = fold.dims[d];
        size_t tap = spatial + 1 + d;
        contraction.ofOut.along(d + 1);
        if (d > outer || (d == outer && &image == &whole && fold.isOneBlock()))
          contraction.ofLhs.along(d + 1);
        else
          contraction.ofLhs.along(d + 1, dim.stride)
              .plus(tap, d < outer ? dim.apart : taps * dim.apart);
        if (d < outer)
          contraction.ofRhs.along(tap);
      }
      contraction.ofLhs.along(depth);
      contraction.ofRhs.along(spatial + 1 + outer, taps * lanes).plus(depth, 1);
      contraction.ofRhs.along(output);
      contraction.ofOut.along(output);
      estimateContraction(contraction, op, passes, rounds && isLast, accumulates);
      accumulates = true;
    };
    contract(whole, fold.blocks(), fold.folded, fold.rest() == 0);
    if (fold.rest() > 0)
      contract(fold.rest() == 1 ? single : whole, 1, fold.rest(), true);
  });
}

std::pair<VmemBlock, VmemBlock> StageEstimator::foldedImage(stablehlo::ConvolutionOp op,
                                                            VmemBlock image) {
  LaneFold fold = laneFoldOf(op);
  VmemBlock before = image;
  size_t rank = image.shape.size();
  for (const FoldLevel &level : foldLevels(op, image.shape, blocking)) {
    size_t dim = level.dim + 1;
    VmemBlock folded(level.shape, image.element);
    for (int64_t tap = 0; tap < fold.folding(level.dim); ++tap) {
      int64_t step = fold.step(level.dim), first = tap * fold.dims[level.dim].apart;
      SmallVector<int64_t> sizes(level.shape);
      sizes.back() = image.lanes();
      sizes[dim] = std::min<int64_t>(sizes[dim], llvm::divideCeil(image.shape[dim] - first, step));
      Side from{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)}, into = from;
      from.strides[dim] = step;
      from.first[dim] = first;
      into.first.back() = tap * image.lanes();
      estimateCopy(image, folded, sizes, from, into);
    }
    before = image;
    image = folded;
  }
  return {before, image};
}

} // namespace systole
