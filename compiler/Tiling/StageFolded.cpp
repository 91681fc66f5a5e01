// Convolutions of few features as stages: elements of the window side by side along the lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Tiling/StageBuilder.h"

using namespace mlir;

namespace systole {

/// Position p has the features of the image at p, moved by 0 to `folded` - 1 elements of the
/// window. With one block of these, p counts positions of the convolution.
Value StageBuilder::foldedImage(stablehlo::ConvolutionOp op, Value image) {
  Location loc = op.getLoc();
  auto type = cast<kernel::BufferType>(image.getType());
  LaneFold fold = laneFoldOf(op);
  int64_t dim = type.getRank() - 2, features = type.getLaneCount();
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = foldedPositions(op, blocking);
  SmallVector<int64_t> shape(sizes);
  shape.back() *= fold.folded;
  Value target = kernel::AllocOp::create(b, loc, bufferType(shape, type.getElementType()));
  for (int64_t tap = 0; tap < fold.folded; ++tap) {
    SmallVector<AffineExpr> from, to;
    for (int64_t d = 0; d <= dim + 1; ++d) {
      from.push_back(b.getAffineDimExpr(d));
      to.push_back(b.getAffineDimExpr(d));
    }
    from[dim] = from[dim] * fold.step() + tap * fold.apart;
    to.back() = to.back() + tap * features;
    emitCopy(loc, image, target, sizes, AffineMap::get(sizes.size(), 0, from, b.getContext()),
             AffineMap::get(sizes.size(), 0, to, b.getContext()));
  }
  return target;
}

void StageBuilder::emitFolded(stablehlo::ConvolutionOp op, int passes) {
  Location loc = op.getLoc();
  SmallVector<stablehlo::ConvolutionOp::Window> window = op.getWindow();
  int64_t spatial = window.size(), last = spatial - 1;
  Value image = paddedImage(op), folded = foldedImage(op, image), kernel = foldableKernel(op);
  // The last dimension of the window and the features are one, of rows of weights.
  auto type = cast<kernel::BufferType>(kernel.getType());
  SmallVector<int64_t> rows(type.getShape());
  int64_t outputs = rows.back(), features = rows[spatial];
  rows[last] *= features;
  rows.erase(rows.begin() + spatial);
  kernel = reshaped(loc, bufferType(rows, type.getElementType()), kernel);

  // The indices: images, positions, window (of the last dimension: blocks), depth, outputs.
  LaneFold fold = laneFoldOf(op);
  int64_t taps = fold.folded, blocks = fold.blocks(), rest = fold.rest();
  auto index = [&](int64_t dim) { return b.getAffineDimExpr(dim); };
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(2 * spatial + 3, 0, indices, b.getContext());
  };
  AffineExpr block = index(2 * spatial), depth = index(2 * spatial + 1),
             output = index(2 * spatial + 2), position = index(spatial);
  SmallVector<AffineExpr> ofImage = {index(0)}, ofKernel, ofResult = {index(0)};
  for (int64_t d = 0; d < last; ++d) {
    ofImage.push_back(index(d + 1) * window[d].stride +
                      index(spatial + 1 + d) * window[d].rhsDilation);
    ofKernel.push_back(index(spatial + 1 + d));
    ofResult.push_back(index(d + 1));
  }
  ofImage.append({position, depth});
  ofKernel.append({depth, output});
  ofResult.append({position, output});

  emitSums(op, isOnePass(op, passes), [&](Value sums, Value rounded, bool accumulate) {
    auto contract = [&](Value lhs, int64_t count, int64_t size, AffineExpr place, AffineExpr row,
                        bool isLast) {
      SmallVector<int64_t> sizes(shapeOf(op.getResult()));
      sizes.pop_back();
      for (int64_t d = 0; d < last; ++d)
        sizes.push_back(window[d].size);
      sizes.append({count, size, outputs});
      ofImage[spatial] = place;
      ofKernel[last] = row;
      kernel::ContractOp::create(b, loc, lhs, kernel, sums, isLast ? rounded : Value(), sizes,
                                 map(ofImage), map(ofKernel), map(ofResult), accumulate, passes);
      accumulate = true;
    };
    int64_t apart = window[last].rhsDilation, stride = window[last].stride;
    contract(folded, blocks, taps * features,
             blocks == 1 ? position : position * stride + block * (taps * apart),
             block * (taps * features) + depth, rest == 0);
    if (rest > 0)
      contract(image, rest, features, position * stride + block * apart + blocks * taps * apart,
               block * features + depth + blocks * taps * features, /*isLast=*/true);
  });
}

} // namespace systole
