// Convolutions as stages: rows of positions stream past weights.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/Halos.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/DepthBlocks.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

LogicalResult StageBuilder::emitConvolution(stablehlo::ConvolutionOp op) {
  int asked = passesOf(op);
  int passes = asked ? asked : precision;
  switch (*formOf(op)) {
  case ConvolutionForm::Positions:
    if (laneFoldOf(op).isNeeded())
      emitFolded(op, passes);
    else
      emitPositions(op, passes);
    break;
  case ConvolutionForm::Filter:
    emitFilter(op, passes);
    break;
  case ConvolutionForm::Channels:
    emitChannels(op);
    break;
  case ConvolutionForm::ChannelFilter:
    emitChannelFilter(op);
    break;
  }
  return success();
}

Value StageBuilder::paddedImage(stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  Source source = sourceOf(op->getOpOperand(0));
  if (!isPadded(op, blocking))
    return source.buffer;
  Type element = op.getLhs().getType().getElementType();
  PaddedImage image = paddedImageOf(op, blocking);
  const SmallVector<int64_t> &seen = image.shape, &sizes = image.sizes, &to = image.first;
  bool hasEdges = image.hasEdges();
  Value padded = kernel::AllocOp::create(b, loc, bufferType(seen, element)), moved = padded;
  // What is read from beyond the image's ends is padding, and then all that is.
  bool isMasked = source.hasOffset() && !edgeOf(op.getLhs(), blocking);
  if (isMasked && hasEdges)
    moved = kernel::AllocOp::create(b, loc, bufferType(seen, element));
  else if (hasEdges)
    fillAround(loc, padded, to, sizes, [&](Value filled) {
      emitElements(b, loc, {}, filled, [&](ValueRange) { return zeroElement(b, loc, element); });
    });
  auto at = [&](ArrayRef<int64_t> offsets) {
    SmallVector<AffineExpr> indices;
    for (auto [dim, offset] : llvm::enumerate(offsets))
      indices.push_back(b.getAffineDimExpr(dim) + offset);
    return AffineMap::get(offsets.size(), 0, indices, b.getContext());
  };
  if (!isMasked || hasEdges)
    emitCopy(loc, source.buffer, moved, sizes, at(source.first), at(to));
  if (!isMasked)
    return padded;
  SmallVector<Range> ranges;
  for (int64_t dim = 1; dim + 1 < static_cast<int64_t>(seen.size()); ++dim) {
    const Cut *cut = source.cuts[dim];
    if (!cut) {
      if (sizes[dim] < seen[dim])
        ranges.push_back({dim, Value(), to[dim], to[dim] + sizes[dim]});
      continue;
    }
    const OffsetBlock *block = cut->offsetBlockOf(op->getOpOperand(0));
    Value first = arith::MulIOp::create(b, loc, steps[blocking.axisOf(*cut)],
                                        constantIndex(loc, block->stride(cut->blockSize)));
    int64_t begin = -block->lowest(cut->blockSize);
    ranges.push_back({dim, first, begin, begin + op.getLhs().getType().getDimSize(dim)});
  }
  if (hasEdges)
    emitSelect(loc, moved, SmallVector<int64_t>(seen.size(), 0), padded, ranges);
  else
    emitSelect(loc, source.buffer, source.first, padded, ranges);
  return padded;
}

Value StageBuilder::splitGroups(Location loc, Value source, int64_t dim, int64_t groups) {
  auto type = cast<kernel::BufferType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  auto split = bufferType(shape, type.getElementType());
  // Groups of whole rows of 128 lanes are these rows.
  if (dim + 1 != type.getRank() || shape.back() % kLanes == 0)
    return reshaped(loc, split, source);
  Value target = kernel::AllocOp::create(b, loc, split);
  SmallVector<AffineExpr> from;
  for (int64_t d = 0; d < dim; ++d)
    from.push_back(b.getAffineDimExpr(d));
  from.push_back(b.getAffineDimExpr(dim) * shape.back() + b.getAffineDimExpr(dim + 1));
  emitCopy(loc, source, target, shape, AffineMap::get(shape.size(), 0, from, b.getContext()),
           b.getMultiDimIdentityMap(shape.size()));
  return target;
}

Value StageBuilder::exchanged(Location loc, Value source, int64_t first) {
  auto type = cast<kernel::BufferType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  std::swap(shape[first], shape[first + 1]);
  std::swap(order[first], order[first + 1]);
  Value target = kernel::AllocOp::create(b, loc, bufferType(shape, type.getElementType()));
  emitCopy(loc, source, target, shape, AffineMap::getPermutationMap(order, b.getContext()),
           b.getMultiDimIdentityMap(shape.size()));
  return target;
}

Value StageBuilder::foldableKernel(stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  Value source = buffer(op->getOpOperand(1));
  bool isTransposed = isKernelTransposed(op);
  if (!isTransposed && !isReversed(op))
    return source;
  SmallVector<int64_t> sizes = blocking.blockShape(op->getOpOperand(1));
  int64_t rank = sizes.size();
  SmallVector<AffineExpr> from;
  for (int64_t d = 0; d < rank; ++d)
    from.push_back(b.getAffineDimExpr(d));
  for (auto [d, dim] : llvm::enumerate(op.getWindow()))
    if (dim.reversed)
      from[d] = from[d] * -1 + (dim.size - 1);
  if (isTransposed) {
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    std::swap(from[rank - 1], from[rank - 2]);
  }
  Type element = op.getRhs().getType().getElementType();
  Value target = kernel::AllocOp::create(b, loc, bufferType(sizes, element));
  emitCopy(loc, source, target, sizes, AffineMap::get(rank, 0, from, b.getContext()),
           b.getMultiDimIdentityMap(rank));
  return target;
}

void StageBuilder::emitPositions(stablehlo::ConvolutionOp op, int passes) {
  Location loc = op.getLoc();
  int64_t groups = op.getFeatureGroupCount(), spatial = op.getWindow().size();
  Value image = paddedImage(op), kernel = buffer(op->getOpOperand(1));
  bool transposed = isKernelTransposed(op);
  if (groups > 1) {
    image = splitGroups(loc, image, spatial + 1, groups);
    kernel = splitGroups(loc, kernel, transposed ? spatial : spatial + 1, groups);
    // Groups stand before the features of either kind.
    if (!transposed)
      kernel = exchanged(loc, kernel, spatial);
  }

  // Phases of a dilated image are computed one by one, and groups of features as rows.
  SmallVector<SmallVector<WindowPhase>> phases = phasesOf(op, blocking);
  SmallVector<int64_t> result = shapeOf(op.getResult());
  int64_t outputs = result.back() / groups;
  auto index = [&](int64_t dim) { return b.getAffineDimExpr(dim); };
  auto hasTaps = [](const SmallVector<WindowPhase> &phase) {
    return llvm::all_of(phase, [](const WindowPhase &dim) { return dim.tap.count > 0; });
  };
  emitSums(op, groups == 1 && isOnePass(op, passes),
           [&](Value sums, Value rounded, bool accumulate) {
             if (!llvm::all_of(phases, hasTaps))
               for (Value buffer : {sums, rounded})
                 if (buffer)
                   emitElements(b, loc, {}, buffer, [&](ValueRange) {
                     auto type = cast<kernel::BufferType>(buffer.getType());
                     return zeroElement(b, loc, type.getElementType());
                   });
             for (const SmallVector<WindowPhase> &phase : phases) {
               if (!hasTaps(phase))
                 continue;
               // The result's elements of this phase, groups as a dimension, and where they belong.
               SmallVector<int64_t> shape = {result.front()};
               SmallVector<AffineExpr> place = {index(0)};
               for (auto [d, dim] : llvm::enumerate(phase)) {
                 shape.push_back(dim.out.count);
                 place.push_back(dim.out.at(index(d + 1)));
               }
               if (groups > 1)
                 shape.push_back(groups);
               shape.push_back(outputs);
               place.push_back(groups > 1 ? index(spatial + 1) * outputs + index(spatial + 2)
                                          : index(spatial + 1));
               auto own = [&](Value buffer) -> Value {
                 if (!buffer || (phases.size() == 1 && groups == 1))
                   return buffer;
                 auto type =
                     bufferType(shape, cast<kernel::BufferType>(buffer.getType()).getElementType());
                 if (phases.size() == 1 && outputs % kLanes == 0)
                   return kernel::ViewOp::create(b, loc, type, buffer);
                 return kernel::AllocOp::create(b, loc, type);
               };
               Value target = own(sums), narrow = own(rounded);
               bool rounds = narrow && cast<kernel::BufferType>(narrow.getType())
                                           .hasRowsOf(cast<kernel::BufferType>(target.getType()));
               contractPhase(op, phase, image, kernel, target, rounds ? narrow : Value(),
                             accumulate, passes);
               if (narrow && !rounds)
                 emitElements(b, loc, target, narrow, [&](ValueRange arguments) -> Value {
                   Type element = cast<RankedTensorType>(op.getType()).getElementType();
                   return stablehlo::ConvertOp::create(b, loc, RankedTensorType::get({}, element),
                                                       arguments[0]);
                 });
               auto [from, to] = rounded ? std::pair(narrow, rounded) : std::pair(target, sums);
               if (from != to && isa<kernel::AllocOp>(from.getDefiningOp()))
                 emitCopy(loc, from, to, shape, b.getMultiDimIdentityMap(shape.size()),
                          AffineMap::get(shape.size(), 0, place, b.getContext()));
             }
           });
}

/// The indices: images, positions, window, groups, input and output features.
void StageBuilder::contractPhase(stablehlo::ConvolutionOp op, ArrayRef<WindowPhase> phase,
                                 Value image, Value kernel, Value target, Value rounded,
                                 bool accumulate, int passes) {
  int64_t groups = op.getFeatureGroupCount(), spatial = phase.size();
  bool transposed = isKernelTransposed(op);
  SmallVector<int64_t> sizes = {shapeOf(op.getResult()).front()};
  for (const WindowPhase &dim : phase)
    sizes.push_back(dim.out.count);
  for (const WindowPhase &dim : phase)
    sizes.push_back(dim.tap.count);
  sizes.append({groups, shapeOf(op.getLhs()).back() / groups,
                cast<kernel::BufferType>(target.getType()).getLaneCount()});
  auto index = [&](int64_t dim) { return b.getAffineDimExpr(dim); };
  AffineExpr group = index(2 * spatial + 1), input = index(2 * spatial + 2),
             output = index(2 * spatial + 3);
  SmallVector<AffineExpr> ofImage = {index(0)}, ofKernel, ofResult = {index(0)};
  for (auto [d, dim] : llvm::enumerate(phase)) {
    AffineExpr position = index(d + 1), tap = index(spatial + 1 + d);
    ofImage.push_back(position * dim.stride + tap * dim.dilation + dim.image);
    ofKernel.push_back(dim.tap.at(tap));
    ofResult.push_back(position);
  }
  if (groups > 1) {
    ofImage.push_back(group);
    ofKernel.push_back(group);
    ofResult.push_back(group);
  }
  ofImage.push_back(input);
  ofKernel.append({transposed ? output : input, transposed ? input : output});
  ofResult.push_back(output);
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(sizes.size(), 0, indices, b.getContext());
  };
  auto contract = [&](Value narrow, bool adds) {
    return kernel::ContractOp::create(b, op.getLoc(), image, kernel, target, narrow, sizes,
                                      map(ofImage), map(ofKernel), map(ofResult), adds, passes);
  };
  std::optional<DepthBlocks> blocks = DepthBlocks::of(op);
  if (!blocks) {
    contract(rounded, accumulate);
    return;
  }
  const WindowPhase &last = phase.back();
  const AffineExpr tap = index(2 * spatial);
  const int64_t inputs = sizes[2 * spatial + 2] / blocks->block,
                outputs = sizes[2 * spatial + 3] / blocks->block;
  SmallVector<DepthBlocks::Part> parts = blocks->parts();
  for (auto [number, part] : llvm::enumerate(parts)) {
    const DepthBlocks::Weights &weights = part.weights;
    sizes[2 * spatial] = part.taps;
    ofImage[spatial] =
        index(spatial) * last.stride + ((tap + part.firstTap) * last.dilation + last.image);
    ofKernel[spatial - 1] = last.tap.at(tap + part.firstTap);
    // Rounded with the last summand: what a part rounds too early, since later ones add to some of
    // its results, these round again.
    bool roundsAny = false;
    for (int64_t out = weights.outFirst; out < weights.outEnd; ++out)
      roundsAny |= llvm::none_of(ArrayRef(parts).drop_front(number + 1), [&](const auto &later) {
        return later.weights.outFirst <= out && out < later.weights.outEnd;
      });
    kernel::ContractOp made = contract(roundsAny ? rounded : Value(), accumulate || number > 0);
    if (weights.inFirst > 0 || weights.inEnd < blocks->block)
      made.setLhsLanes(ArrayRef<int64_t>{weights.inFirst * inputs, weights.inEnd * inputs});
    if (weights.outFirst > 0 || weights.outEnd < blocks->block)
      made.setOutLanes(ArrayRef<int64_t>{weights.outFirst * outputs, weights.outEnd * outputs});
  }
}

} // namespace systole
