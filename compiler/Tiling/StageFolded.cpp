// Convolutions of few features as stages: elements of the window side by side along the lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

/// Position p has the features of the image at p, moved by the elements of the window that lie side
/// by side. With one block of these, p counts positions of the convolution.
std::pair<Value, Value> StageBuilder::foldedImage(stablehlo::ConvolutionOp op, Value image) {
  Location loc = op.getLoc();
  Value before;
  LaneFold fold = laneFoldOf(op);
  auto type = cast<kernel::BufferType>(image.getType());
  for (const FoldLevel &level : foldLevels(op, type.getShape(), blocking)) {
    auto from = cast<kernel::BufferType>(image.getType());
    int64_t dim = level.dim + 1, rank = from.getRank(), features = from.getLaneCount();
    Value target = kernel::AllocOp::create(b, loc, bufferType(level.shape, type.getElementType()));
    for (int64_t tap = 0; tap < fold.folding(level.dim); ++tap) {
      int64_t step = fold.step(level.dim), first = tap * fold.dims[level.dim].apart;
      SmallVector<int64_t> sizes(level.shape);
      sizes.back() = features;
      // A last block has fewer elements of the window, which the image ends with.
      sizes[dim] =
          std::min<int64_t>(sizes[dim], llvm::divideCeil(from.getShape()[dim] - first, step));
      SmallVector<AffineExpr> source, destination;
      for (int64_t d = 0; d < rank; ++d) {
        source.push_back(b.getAffineDimExpr(d));
        destination.push_back(b.getAffineDimExpr(d));
      }
      source[dim] = source[dim] * step + first;
      destination.back() = destination.back() + tap * features;
      emitCopy(loc, image, target, sizes, AffineMap::get(rank, 0, source, b.getContext()),
               AffineMap::get(rank, 0, destination, b.getContext()));
    }
    before = image;
    image = target;
  }
  return {before, image};
}

void StageBuilder::emitFolded(stablehlo::ConvolutionOp op, int passes) {
  Location loc = op.getLoc();
  SmallVector<stablehlo::ConvolutionOp::Window> window = op.getWindow();
  LaneFold fold = laneFoldOf(op);
  int64_t spatial = window.size(), outer = fold.outer;
  auto [before, folded] = foldedImage(op, paddedImage(op));
  Value kernel = foldableKernel(op);
  // Folded dimensions of the window and the features are one, of rows of weights.
  auto type = cast<kernel::BufferType>(kernel.getType());
  SmallVector<int64_t> rows(type.getShape().take_front(outer));
  int64_t outputs = type.getLaneCount(), lanes = fold.inner() * type.getShape()[spatial];
  rows.append({fold.dims[outer].taps * lanes, outputs});
  kernel = reshaped(loc, bufferType(rows, type.getElementType()), kernel);

  // The indices: images, positions, window (of the outermost folded dimension: blocks), depth,
  // outputs.
  auto index = [&](int64_t dim) { return b.getAffineDimExpr(dim); };
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(2 * spatial + 3, 0, indices, b.getContext());
  };
  AffineExpr block = index(spatial + 1 + outer), depth = index(2 * spatial + 1),
             output = index(2 * spatial + 2);
  SmallVector<AffineExpr> ofImage = {index(0)}, ofKernel, ofResult = {index(0)};
  for (int64_t d = 0; d < spatial; ++d) {
    ofResult.push_back(index(d + 1));
    ofImage.push_back(index(d + 1));
    if (d < outer) {
      ofImage.back() =
          index(d + 1) * window[d].stride + index(spatial + 1 + d) * window[d].rhsDilation;
      ofKernel.push_back(index(spatial + 1 + d));
    }
  }
  ofImage.push_back(depth);
  ofKernel.append({depth, output});
  ofResult.push_back(output);

  emitSums(op, isOnePass(op, passes), [&](Value sums, Value rounded, bool accumulate) {
    auto contract = [&](Value image, int64_t count, int64_t taps, int64_t first, bool isLast) {
      SmallVector<int64_t> sizes(shapeOf(op.getResult()));
      sizes.pop_back();
      for (int64_t d = 0; d < spatial; ++d)
        sizes.push_back(d < outer ? window[d].size : d == outer ? count : 1);
      sizes.append({taps * lanes, outputs});
      const LaneFold::Dim &dim = fold.dims[outer];
      if (image != folded || !fold.isOneBlock())
        ofImage[outer + 1] =
            index(outer + 1) * dim.stride + block * (taps * dim.apart) + first * dim.apart;
      ofKernel[outer] = block * (taps * lanes) + depth + first * lanes;
      kernel::ContractOp::create(b, loc, image, kernel, sums, isLast ? rounded : Value(), sizes,
                                 map(ofImage), map(ofKernel), map(ofResult), accumulate, passes);
      accumulate = true;
    };
    contract(folded, fold.blocks(), fold.folded, 0, fold.rest() == 0);
    if (fold.rest() > 0)
      contract(fold.rest() == 1 ? before : folded, 1, fold.rest(), fold.blocks() * fold.folded,
               /*isLast=*/true);
  });
}

/// Gives each element of the window its row of `sums`, or adds it there: of whole blocks, and of
/// the `rest`.
void StageBuilder::unfoldSums(stablehlo::ConvolutionOp op, Value folded, Value rest, Value sums,
                              bool accumulate) {
  Location loc = op.getLoc();
  LaneFold fold = laneFoldOf(op);
  auto type = cast<kernel::BufferType>(sums.getType());
  int64_t rank = type.getRank();
  auto move = [&](Value from, Value to, int64_t dim, int64_t tap, int64_t step, int64_t first) {
    auto source = cast<kernel::BufferType>(from.getType()).getShape();
    int64_t lanes = cast<kernel::BufferType>(to.getType()).getLaneCount();
    SmallVector<int64_t> sizes(source);
    sizes.back() = lanes;
    SmallVector<AffineExpr> read, written;
    for (int64_t d = 0; d < rank; ++d) {
      read.push_back(b.getAffineDimExpr(d));
      written.push_back(b.getAffineDimExpr(d));
    }
    read.back() = read.back() + tap * lanes;
    written[dim] = written[dim] * step + first;
    emitCopy(loc, from, to, sizes, AffineMap::get(rank, 0, read, b.getContext()),
             AffineMap::get(rank, 0, written, b.getContext()));
  };
  SmallVector<FoldLevel, 3> levels = unfoldLevels(fold, type.getShape());
  for (const FoldLevel &level : levels) {
    bool isLast = &level == &levels.back();
    Value target =
        isLast && !accumulate
            ? sums
            : kernel::AllocOp::create(b, loc, bufferType(level.shape, type.getElementType()));
    int64_t dim = level.dim;
    for (int64_t tap = 0; tap < fold.folding(dim); ++tap)
      move(folded, target, dim, tap, fold.folding(dim), tap);
    if (level.dim == fold.outer)
      for (int64_t tap = 0; tap < fold.rest(); ++tap)
        move(rest, target, dim, tap, 1, fold.blocks() * fold.folded + tap);
    folded = target;
  }
  if (accumulate)
    emitElements(b, loc, {folded, sums}, sums, [&](ValueRange elements) -> Value {
      return stablehlo::AddOp::create(b, loc, elements[0], elements[1]);
    });
}

} // namespace systole
