// Convolutions as stages: rows of positions stream past weights.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Tiling/ConvolutionPlan.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace systole {

LogicalResult StageBuilder::emitConvolution(stablehlo::ConvolutionOp op) {
  int asked = passesOf(std::max(op.getOperandPrecision(0), op.getOperandPrecision(1)));
  int passes = asked ? asked : precision;
  if (formOf(op) == ConvolutionForm::Filter)
    emitFilter(op, passes);
  else if (foldedTaps(op) > 1)
    emitFolded(op, passes);
  else
    emitPositions(op, passes);
  return success();
}

Value StageBuilder::paddedImage(stablehlo::ConvolutionOp op) {
  Location loc = op.getLoc();
  Source source = sourceOf(op, 0);
  if (!isPadded(op, blocking))
    return source.buffer;
  Type element = op.getLhs().getType().getElementType();
  SmallVector<int64_t> seen = windowedShape(op, blocking), sizes = seen, to(seen.size());
  bool hasEdges = false;
  for (auto [number, window] : llvm::enumerate(op.getWindow())) {
    int64_t dim = number + 1;
    if (source.cut && source.dim == dim)
      continue;
    int64_t end = std::min(seen[dim], window.low + op.getLhs().getType().getDimSize(dim));
    hasEdges |= window.low > 0 || end < seen[dim];
    sizes[dim] = std::max<int64_t>(0, end - window.low);
    to[dim] = window.low;
  }
  Value padded = kernel::AllocOp::create(b, loc, bufferType(seen, element));
  if (hasEdges)
    emitElements(b, loc, {}, padded, [&](ValueRange) { return zeroElement(b, loc, element); });
  auto at = [&](ArrayRef<int64_t> offsets) {
    SmallVector<AffineExpr> indices;
    for (auto [dim, offset] : llvm::enumerate(offsets))
      indices.push_back(b.getAffineDimExpr(dim) + offset);
    return AffineMap::get(offsets.size(), 0, indices, b.getContext());
  };
  emitCopy(loc, source.buffer, padded, sizes, at(source.first), at(to));
  if (!source.cut)
    return padded;
  // What was read from beyond the image's ends is padding.
  stablehlo::ConvolutionOp::Window window = op.getWindow()[source.dim - 1];
  int64_t extent = op.getLhs().getType().getDimSize(source.dim);
  int64_t stride = blocking.offsetBlockOf(*source.cut, op, 0)->num;
  Value first =
      arith::MulIOp::create(b, loc, firstOf(loc, *source.cut), constantIndex(loc, stride));
  emitElements(b, loc, padded, padded, [&](ValueRange elements) -> Value {
    Value inside = isBetween(loc, source.dim, first, window.low, window.low + extent);
    return stablehlo::SelectOp::create(b, loc, inside, elements[0], zeroElement(b, loc, element));
  });
  return padded;
}

Value StageBuilder::splitGroups(Location loc, Value source, int64_t dim, int64_t groups) {
  auto type = cast<kernel::BufferType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  auto split = bufferType(shape, type.getElementType());
  if (dim + 1 != type.getRank())
    return kernel::ViewOp::create(b, loc, split, source);
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

void StageBuilder::emitPositions(stablehlo::ConvolutionOp op, int passes) {
  Location loc = op.getLoc();
  int64_t groups = op.getFeatureGroupCount(), spatial = op.getWindow().size();
  Value image = paddedImage(op), kernel = buffer(op.getRhs());
  bool transposed = isKernelTransposed(op);
  if (groups > 1) {
    image = splitGroups(loc, image, spatial + 1, groups);
    kernel = splitGroups(loc, kernel, transposed ? spatial : spatial + 1, groups);
    // Groups stand before the features of either kind.
    if (!transposed)
      kernel = exchanged(loc, kernel, spatial);
  }

  // The indices: images, positions, window, groups, input and output features.
  SmallVector<int64_t> result = shapeOf(op.getResult()), sizes(result);
  int64_t outputs = sizes.pop_back_val() / groups;
  for (const stablehlo::ConvolutionOp::Window &window : op.getWindow())
    sizes.push_back(window.size);
  sizes.append({groups, shapeOf(op.getLhs()).back() / groups, outputs});
  auto index = [&](int64_t dim) { return b.getAffineDimExpr(dim); };
  AffineExpr group = index(2 * spatial + 1), input = index(2 * spatial + 2),
             output = index(2 * spatial + 3);
  SmallVector<AffineExpr> ofImage = {index(0)}, ofKernel, ofResult = {index(0)};
  for (auto [d, window] : llvm::enumerate(op.getWindow())) {
    AffineExpr position = index(d + 1), tap = index(spatial + 1 + d);
    ofImage.push_back(position * window.stride + tap * window.rhsDilation);
    ofKernel.push_back(tap);
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

  emitSums(op, groups == 1 && isOnePass(op, passes),
           [&](Value sums, Value rounded, bool accumulate) {
             Value target = sums;
             SmallVector<int64_t> shape(result);
             if (groups > 1) {
               shape.back() = outputs;
               shape.insert(shape.end() - 1, groups);
               auto type = cast<kernel::BufferType>(sums.getType());
               target = kernel::AllocOp::create(b, loc, bufferType(shape, type.getElementType()));
             }
             kernel::ContractOp::create(b, loc, image, kernel, target, rounded, sizes, map(ofImage),
                                        map(ofKernel), map(ofResult), accumulate, passes);
             if (target == sums)
               return;
             SmallVector<AffineExpr> merged;
             for (int64_t d = 0; d <= spatial; ++d)
               merged.push_back(index(d));
             merged.push_back(index(spatial + 1) * outputs + index(spatial + 2));
             emitCopy(loc, target, sums, shape, b.getMultiDimIdentityMap(shape.size()),
                      AffineMap::get(shape.size(), 0, merged, b.getContext()));
           });
}

} // namespace systole
