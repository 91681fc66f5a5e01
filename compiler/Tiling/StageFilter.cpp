// Gradients of filters as stages: positions become the depth of products.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ConvolutionPlan.h"
#include "compiler/Planning/FilterParts.h"
#include "compiler/Planning/Precision.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

using namespace mlir;

namespace systole {

namespace {

/// The gradient of one part of the positions, and the indices of a product with it:
/// window, boxes, group, runs in their order, output features, the image's features.
struct FilterIndices {
  FilterIndices(OpBuilder &b, int64_t spatial, const FilterPart &part)
      : b(b), spatial(spatial), part(part) {}

  AffineExpr tap(int64_t d) const { return b.getAffineDimExpr(d); }
  AffineExpr box(int64_t d) const { return b.getAffineDimExpr(spatial + d); }
  AffineExpr group() const { return b.getAffineDimExpr(groupPlace()); }
  AffineExpr run(int64_t d) const {
    return b.getAffineDimExpr(groupPlace() + 1 + (llvm::find(part.order, d) - part.order.begin()));
  }
  AffineExpr output() const { return b.getAffineDimExpr(count() - 2); }
  AffineExpr feature() const { return b.getAffineDimExpr(count() - 1); }
  int64_t groupPlace() const { return 2 * spatial + 1; }
  int64_t count() const { return 3 * spatial + 5; }

  /// The position along dimension `d` of batch and space.
  AffineExpr position(int64_t d) const {
    const FilterPart::Dim &dim = part.dims[d];
    return box(d) * dim.boxStep() + run(d) * dim.runStep() + dim.start;
  }
  AffineExpr boxNumber() const {
    return boxNumber([&](int64_t d) { return box(d); });
  }
  AffineExpr boxNumber(llvm::function_ref<AffineExpr(int64_t)> boxOf) const {
    AffineExpr number = b.getAffineConstantExpr(0);
    for (auto [d, dim] : llvm::enumerate(part.dims))
      number = number * dim.blocks + boxOf(d);
    return number;
  }
  /// The box that meets an element of the image of `set`, whose number is in place of a box.
  AffineExpr boxNumber(const SharedTaps &set) const {
    return boxNumber([&](int64_t d) {
      return isShared(d) ? box(d) - tap(d - 1) * set.apart + set.box : box(d);
    });
  }
  /// The element of the image along its dimension `d` for tap and box.
  AffineExpr element(int64_t d, const stablehlo::ConvolutionOp::Window &window,
                     const SharedTaps &set) const {
    if (isShared(d))
      return (box(d) + run(d) * part.dims[d].runStep()) * window.rhsDilation + set.image;
    return tap(d - 1) * window.stride + position(d) * window.rhsDilation;
  }
  /// The tap of the result's dimension `d`.
  AffineExpr tapOf(int64_t d, const SharedTaps &set) const {
    return isShared(d + 1) ? tap(d) * set.tapStep + set.tap : tap(d);
  }
  bool isShared(int64_t d) const { return part.shared && d == *part.shared + 1; }
  AffineExpr depth() const {
    AffineExpr place = b.getAffineConstantExpr(0);
    for (int64_t d : ArrayRef<int64_t>(part.order).drop_back())
      place = place * part.dims[d].run + run(d);
    return place * part.pitch() + run(part.order.back());
  }

  OpBuilder &b;
  int64_t spatial;
  const FilterPart &part;
};

} // namespace

/// In one pass products round their operands: blocks of narrow elements are transposed together.
Value StageBuilder::roundedGradient(stablehlo::ConvolutionOp op, int passes) {
  Value gradient = buffer(op->getOpOperand(1));
  if (!roundsGradient(op, passes))
    return gradient;
  Type element = b.getBF16Type();
  auto type = cast<kernel::BufferType>(gradient.getType());
  Value narrow = kernel::AllocOp::create(b, op.getLoc(), bufferType(type.getShape(), element));
  emitElements(b, op.getLoc(), gradient, narrow, [&](ValueRange elements) -> Value {
    return stablehlo::ConvertOp::create(b, op.getLoc(), RankedTensorType::get({}, element),
                                        elements[0]);
  });
  return narrow;
}

void StageBuilder::emitFilter(stablehlo::ConvolutionOp op, int passes) {
  Location loc = op.getLoc();
  MLIRContext *context = b.getContext();
  int64_t groups = op.getFeatureGroupCount(), spatial = op.getWindow().size();
  Value image = paddedImage(op), gradient = roundedGradient(op, passes);
  Type element = cast<kernel::BufferType>(gradient.getType()).getElementType();
  SmallVector<int64_t> positions = blocking.blockShape(op->getOpOperand(1));
  SmallVector<int64_t> result = shapeOf(op.getResult());
  int64_t outputs = positions.pop_back_val();
  if (groups > 1)
    image = splitGroups(loc, image, 0, groups);
  LaneFold fold = laneFoldOf(op);
  Value folded = fold.isNeeded() ? foldedImage(op, image) : image;

  // Groups are rows of a view of the sums, and begin anywhere in the words of a narrow result.
  bool rounds = groups == 1 && isOnePass(op, passes);
  emitSums(op, rounds, [&](Value sums, Value rounded, bool accumulate) {
    if (groups > 1)
      sums = splitGroups(loc, sums, spatial, groups);
    // Of elements of the window that stand side by side, and of those that are left.
    Value foldedSums, restSums;
    if (fold.isNeeded()) {
      foldedSums = sumsOf(op, sums, fold.blocks(), fold.folded);
      if (fold.rest() > 0)
        restSums = sumsOf(op, sums, fold.rest(), 1);
    }
    bool isFirst = true;
    for (const FilterPart &part : filterParts(op, positions)) {
      FilterIndices at(b, spatial, part);
      auto map = [&](ArrayRef<AffineExpr> indices) {
        return AffineMap::get(at.count(), 0, indices, context);
      };
      // Boxes of positions as rows, then transposed: they lie along the lanes.
      SmallVector<int64_t> sizes(spatial, 1);
      for (const FilterPart::Dim &dim : part.dims)
        sizes.push_back(dim.blocks);
      sizes.push_back(1);
      for (int64_t d : part.order)
        sizes.push_back(part.dims[d].run);
      sizes.append({outputs, 1});
      SmallVector<AffineExpr> from;
      for (int64_t d = 0; d <= spatial; ++d)
        from.push_back(at.position(d));
      from.push_back(at.output());
      int64_t boxes = part.boxes(), depth = part.depth();
      Value rows = kernel::AllocOp::create(b, loc, bufferType({boxes, depth, outputs}, element));
      if (part.hasGaps())
        emitElements(b, loc, {}, rows, [&](ValueRange) { return zeroElement(b, loc, element); });
      emitCopy(loc, gradient, rows, sizes, map(from),
               map({at.boxNumber(), at.depth(), at.output()}));
      Value lanes = kernel::AllocOp::create(b, loc, bufferType({boxes, outputs, depth}, element));
      emitCopy(loc, rows, lanes, {boxes, depth, outputs}, b.getMultiDimIdentityMap(3),
               AffineMap::getPermutationMap(ArrayRef<unsigned>{0, 2, 1}, context));

      if (groups > 1)
        lanes = splitGroups(loc, lanes, 1, groups);
      sizes[at.groupPlace()] = groups;
      sizes.end()[-2] = outputs / groups;
      bool adds = !isFirst || (accumulate && !fold.isNeeded());
      isFirst = false;
      for (const SharedTaps &set : sharedTaps(op, part)) {
        for (int64_t d = 0; d < spatial; ++d)
          sizes[d] = result[d];
        if (part.shared) {
          sizes[*part.shared] = set.taps;
          sizes[spatial + *part.shared + 1] = set.count;
        }
        SmallVector<AffineExpr> ofGradient = {at.boxNumber(set)}, ofImage, ofResult;
        if (groups > 1) {
          ofGradient.push_back(at.group());
          ofImage.push_back(at.group());
        }
        ofGradient.append({at.output(), at.depth()});
        ofImage.push_back(at.position(0));
        for (auto [d, window] : llvm::enumerate(op.getWindow())) {
          ofImage.push_back(at.element(d + 1, window, set));
          ofResult.push_back(at.tapOf(d, set));
        }
        ofImage.push_back(at.feature());
        if (groups > 1)
          ofResult.push_back(at.group());
        ofResult.append({at.output(), at.feature()});
        auto contract = [&](Value image, Value target, Value rounded) {
          sizes.back() = cast<kernel::BufferType>(target.getType()).getLaneCount();
          kernel::ContractOp::create(b, loc, lanes, image, target, rounded, sizes, map(ofGradient),
                                     map(ofImage), map(ofResult), adds || !set.begins, passes);
        };
        if (!fold.isNeeded()) {
          contract(image, sums, rounded);
          continue;
        }
        int64_t last = spatial - 1;
        AffineExpr tap = at.tap(last), position = at.position(spatial);
        sizes[last] = fold.blocks();
        ofImage[spatial] = fold.blocks() == 1
                               ? position
                               : position * fold.stride + tap * (fold.folded * fold.apart);
        contract(folded, foldedSums, Value());
        if (!restSums)
          continue;
        sizes[last] = fold.rest();
        ofImage[spatial] =
            position * fold.stride + (tap + fold.blocks() * fold.folded) * fold.apart;
        contract(image, restSums, Value());
      }
    }
    if (fold.isNeeded())
      unfoldSums(op, foldedSums, restSums, sums, accumulate);
  });
}

/// Like `sums`, for `count` elements of the window along its last dimension, `folded` of which
/// stand side by side.
Value StageBuilder::sumsOf(stablehlo::ConvolutionOp op, Value sums, int64_t count, int64_t folded) {
  auto type = cast<kernel::BufferType>(sums.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.end()[-3] = count;
  shape.back() *= folded;
  return kernel::AllocOp::create(b, op.getLoc(), bufferType(shape, type.getElementType()));
}

/// Gives each element of the window its row of `sums`, or adds it there.
void StageBuilder::unfoldSums(stablehlo::ConvolutionOp op, Value folded, Value rest, Value sums,
                              bool accumulate) {
  Location loc = op.getLoc();
  LaneFold fold = laneFoldOf(op);
  auto type = cast<kernel::BufferType>(sums.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t rank = shape.size(), last = rank - 3;
  Value own = accumulate ? sumsOf(op, sums, fold.taps, 1) : sums;
  auto move = [&](Value from, int64_t count, int64_t lane, int64_t step, int64_t first) {
    SmallVector<int64_t> sizes(shape);
    sizes[last] = count;
    SmallVector<AffineExpr> source, target;
    for (int64_t d = 0; d < rank; ++d) {
      source.push_back(b.getAffineDimExpr(d));
      target.push_back(b.getAffineDimExpr(d));
    }
    source.back() = source.back() + lane;
    target[last] = target[last] * step + first;
    emitCopy(loc, from, own, sizes, AffineMap::get(rank, 0, source, b.getContext()),
             AffineMap::get(rank, 0, target, b.getContext()));
  };
  for (int64_t tap = 0; tap < fold.folded; ++tap)
    move(folded, fold.blocks(), tap * shape.back(), fold.folded, tap);
  if (rest)
    move(rest, fold.rest(), 0, 1, fold.blocks() * fold.folded);
  if (accumulate)
    emitElements(b, loc, {own, sums}, sums, [&](ValueRange elements) -> Value {
      return stablehlo::AddOp::create(b, loc, elements[0], elements[1]);
    });
}

} // namespace systole
