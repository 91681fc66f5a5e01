// Reshapes, transpositions, slices, padding and concatenation as stages
// (compiler/Tiling/StageMovement.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"

#include "compiler/Planning/Halos.h"
#include "compiler/Planning/PadBorders.h"
#include "compiler/Relations/Reshape.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

namespace {

/// Cells by which a step along dimension `dim` of a buffer advances.
int64_t cellsAlong(const VmemBlock &block, size_t dim) {
  return dim + 1 == block.shape.size() ? 1 : block.pitch(dim) * kLanes;
}

/// Cells of `block` by which each of the refined dimensions advances.
SmallVector<int64_t> cellsOfParts(const VmemBlock &block, ArrayRef<int64_t> refined) {
  SmallVector<int64_t> cells(refined.size(), 0);
  size_t part = refined.size();
  for (size_t d = block.shape.size(); d-- > 0;)
    for (int64_t product = 1; product < block.shape[d];) {
      --part;
      cells[part] = cellsAlong(block, d) * product;
      product *= refined[part];
    }
  return cells;
}

} // namespace

void StageEstimator::estimateCopy(const VmemBlock &from, const VmemBlock &to,
                                  ArrayRef<int64_t> sizes, const Side &source,
                                  const Side &destination, ArrayRef<int64_t> sourceDims,
                                  bool lanesKnown) {
  CopyStage stage;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    size_t dim = sourceDims.empty() ? d : sourceDims[d];
    stage.loops.push_back({size, cellsAlong(from, dim) * source.strides[dim],
                           cellsAlong(to, d) * destination.strides[d]});
  }
  stage.srcLane = source.first.empty() ? 0 : source.first.back();
  stage.dstLane = destination.first.empty() ? 0 : destination.first.back();
  stage.srcLanes = from.lanes();
  stage.dstLanes = to.lanes();
  stage.lanesKnown = lanesKnown;
  stage.packing = kernel::LayoutAttr::packingOf(from.element);
  add(costOf(stage, model));
}

void StageEstimator::estimateFillAround(const VmemBlock &block, ArrayRef<int64_t> first,
                                        ArrayRef<int64_t> sizes) {
  SmallVector<BorderBox> boxes = borderBoxes(block.shape, first, sizes);
  if (boxes.empty())
    return estimateElements(block, 0, {}, {});
  size_t rank = block.shape.size();
  VmemBlock row = block;
  row.shape.assign(rank, 1);
  row.shape.back() = block.shape.back();
  estimateElements(row, 0, {}, {});
  SmallVector<int64_t> zeros(rank, 0), ones(rank, 1), ofRow(rank, 0);
  ofRow.back() = 1;
  for (const BorderBox &box : boxes)
    estimateCopy(row, block, box.sizes, {zeros, ofRow}, {box.first, ones});
}

void StageEstimator::estimateReshapeCopy(const VmemBlock &from, const VmemBlock &to) {
  auto sizes = commonRefinement(from.shape, to.shape);
  if (!sizes) {
    int64_t elements = 1;
    for (int64_t size : from.shape)
      elements *= size;
    VmemBlock flat({elements}, from.element);
    estimateReshapeCopy(from, flat);
    return estimateReshapeCopy(flat, to);
  }
  CopyStage stage;
  stage.srcLanes = from.lanes();
  stage.dstLanes = to.lanes();
  stage.packing = kernel::LayoutAttr::packingOf(from.element);
  SmallVector<int64_t> src = cellsOfParts(from, *sizes), dst = cellsOfParts(to, *sizes);
  for (auto [size, a, b] : llvm::zip_equal(*sizes, src, dst))
    stage.loops.push_back({size, a, b});
  add(costOf(stage, model));
}

void StageEstimator::estimateReshape(stablehlo::ReshapeOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  if (blocking.hasOwnBlock(op->getOpOperand(0))) {
    VmemBlock from(blocking.blockShape(op->getOpOperand(0)), typeOf(operand).getElementType());
    define(result);
    use(operand, &op->getOpOperand(0));
    return estimateReshapeCopy(from, blockOf(result));
  }
  bool keepsLanes = isLaneKeepingReshape(op);
  // Stays an expression, as where the operand has more elements.
  bool readsMore = blocking.blockShape(operand) != blocking.blockShape(op->getOpOperand(0));
  if (keepsLanes && (!buffers.contains(operand) || readsMore))
    return;
  VmemBlock from = require(op->getOpOperand(0)), to = blockOf(result);
  bool wantsElements = llvm::any_of(result.getUsers(), [&](Operation *user) {
    return !group.contains(user) || !isExpression(user);
  });
  if (from.isViewOf(to)) {
    views[result] = operand;
    addBuffer(result);
    return;
  }
  if (keepsLanes && !wantsElements)
    return;
  define(result);
  use(operand);
  estimateReshapeCopy(from, to);
}

StageEstimator::Source StageEstimator::sourceOf(Operation *op, unsigned operand) {
  Source source;
  Value value = op->getOperand(operand);
  size_t rank = typeOf(value).getRank();
  source.first = blocking.slackOf(op->getOpOperand(operand));
  source.cuts.assign(rank, nullptr);
  if (blocking.hasOwnBlock(op->getOpOperand(operand))) {
    source.block =
        VmemBlock(blocking.blockShape(op->getOpOperand(operand)), typeOf(value).getElementType());
    use(value, &op->getOpOperand(operand));
  } else {
    require(value);
    source.block = blockOf(value);
    use(value);
  }
  for (const Cut &cut : blocking.cuts)
    if (const OffsetBlock *block = cut.offsetBlockOf(op->getOpOperand(operand)))
      source.cuts[block->dim] = &cut;
  return source;
}

bool StageEstimator::leavesToReader(Operation *op) const {
  return isMovedByReader(op) && !tensors.outputs.contains(op->getResult(0));
}

void StageEstimator::estimateMovement(Operation *op) {
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return estimatePad(pad);
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op))
    return estimateConcatenate(concatenate);
  if (leavesToReader(op))
    return;
  Source source = sourceOf(op, 0);
  VmemBlock to = blockOf(op->getResult(0));
  size_t rank = to.shape.size();
  Side from{source.first, SmallVector<int64_t>(rank, 1)};
  Side into{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)};
  SmallVector<int64_t> dims;
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    dims.assign(transpose.getPermutation().begin(), transpose.getPermutation().end());
  } else if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op)) {
    for (int64_t d : reverse.getDimensions()) {
      from.first[d] += to.shape[d] - 1;
      from.strides[d] = -1;
    }
  } else if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    for (size_t d = 0; d < rank; ++d) {
      if (!source.cuts[d])
        from.first[d] += slice.getStartIndices()[d];
      from.strides[d] = slice.getStrides()[d];
    }
  }
  define(op->getResult(0));
  estimateCopy(source.block, to, to.shape, from, into, dims);
}

void StageEstimator::estimateConcatenate(stablehlo::ConcatenateOp op) {
  VmemBlock to = blockOf(op.getResult());
  int64_t dim = op.getDimension(), begin = 0;
  size_t rank = to.shape.size();
  SmallVector<int64_t> ones(rank, 1);
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    int64_t extent = typeOf(input).getDimSize(dim);
    if (llvm::is_contained(blockOf(input).shape, 0))
      continue;
    Operation *producer = input.getDefiningOp();
    bool isSlice = producer && group.contains(producer) && leavesToReader(producer);
    Source source = isSlice ? sourceOf(producer, 0) : sourceOf(op, number);
    const Cut *cut = source.cuts[dim];
    if (isSlice)
      for (size_t d = 0; d < rank; ++d)
        if (!source.cuts[d])
          source.first[d] += cast<stablehlo::SliceOp>(producer).getStartIndices()[d];
    SmallVector<int64_t> shape =
        isSlice ? blocking.blockShape(input) : blocking.blockShape(op->getOpOperand(number));
    SmallVector<int64_t> first(rank, 0);
    if (!cut)
      first[dim] = begin;
    define(op.getResult());
    estimateCopy(source.block, to, cut ? ArrayRef<int64_t>(to.shape) : shape, {source.first, ones},
                 {first, ones});
    if (cut && begin > 0) // selected from what was there
      estimateElements(to, 2, {6}, {4}, /*pinsAll=*/true);
    begin += extent;
  }
}

void StageEstimator::estimatePad(stablehlo::PadOp op) {
  Value result = op.getResult();
  require(op.getPaddingValue());
  VmemBlock to = blockOf(result);
  size_t rank = to.shape.size();
  use(op.getPaddingValue());
  if (llvm::is_contained(blockOf(op.getOperand()).shape, 0)) {
    define(result);
    return estimateElements(to, 0, {}, {});
  }
  Source source = sourceOf(op, 0);
  bool isMasked = source.hasOffset() && !edgeOf(op.getOperand(), blocking);
  bool isSpread =
      llvm::any_of(op.getInteriorPadding(), [](int64_t interior) { return interior > 0; });
  SmallVector<int64_t> sizes, masked, operandShape = blocking.blockShape(op->getOpOperand(0));
  Side from{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)};
  Side into = from;
  for (size_t d = 0; d < rank; ++d) {
    int64_t low = op.getEdgePaddingLow()[d], stride = op.getInteriorPadding()[d] + 1;
    into.strides[d] = stride;
    if (source.cuts[d]) {
      if (const Span *halo = source.cuts[d]->haloOf(result))
        low -= halo->offset;
      int64_t first = low + llvm::divideCeilSigned(-low, stride) * stride;
      sizes.push_back(llvm::divideCeil(to.shape[d] - first, stride));
      from.first[d] = source.first[d];
      into.first[d] = first;
      masked.push_back(static_cast<int64_t>(d));
      continue;
    }
    int64_t first = low < 0 ? llvm::divideCeil(-low, stride) : 0;
    int64_t last =
        to.shape[d] - low <= 0
            ? 0
            : std::min<int64_t>(operandShape[d], llvm::divideCeil(to.shape[d] - low, stride));
    sizes.push_back(std::max<int64_t>(0, last - first));
    from.first[d] = source.first[d] + first;
    into.first[d] = low + first * stride;
    if (!isSpread && (into.first[d] > 0 || into.first[d] + sizes[d] < to.shape[d]))
      masked.push_back(static_cast<int64_t>(d));
  }
  define(result);
  if (isSpread)
    estimateElements(to, 0, {}, {});
  else if (!isMasked)
    estimateFillAround(to, into.first, sizes);
  if (!isMasked)
    use(result);
  estimateCopy(source.block, to, sizes, from, into);
  if (isMasked) {
    use(result);
    estimateSelect(to, masked);
  }
}

} // namespace systole
