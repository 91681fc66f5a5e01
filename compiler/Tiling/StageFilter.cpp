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
  auto [before, folded] = fold.isNeeded() ? foldedImage(op, image) : std::pair(image, image);

  // Groups are rows of a view of the sums, and begin anywhere in the words of a narrow result.
  bool rounds = groups == 1 && isOnePass(op, passes);
  emitSums(op, rounds, [&](Value sums, Value rounded, bool accumulate) {
    if (groups > 1)
      sums = splitGroups(loc, sums, spatial, groups);
    // Of elements of the window that stand side by side, and of those that are left.
    Value blockSums, restSums;
    if (fold.isNeeded()) {
      auto type = cast<kernel::BufferType>(sums.getType());
      auto sumsOf = [&](int64_t blocks, int64_t taps) -> Value {
        return kernel::AllocOp::create(
            b, loc,
            bufferType(foldedSums(fold, type.getShape(), blocks, taps), type.getElementType()));
      };
      blockSums = sumsOf(fold.blocks(), fold.folded);
      if (fold.rest() > 0)
        restSums = sumsOf(1, fold.rest());
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
        int64_t outer = fold.outer;
        const LaneFold::Dim &dim = fold.dims[outer];
        for (int64_t d = outer; d < spatial; ++d) {
          sizes[d] = 1;
          ofImage[d + 1] = at.position(d + 1);
        }
        AffineExpr element = at.position(outer + 1) * dim.stride;
        sizes[outer] = fold.blocks();
        if (!fold.isOneBlock())
          ofImage[outer + 1] = element + at.tap(outer) * (fold.folded * dim.apart);
        contract(folded, blockSums, Value());
        if (!restSums)
          continue;
        sizes[outer] = 1;
        ofImage[outer + 1] = element + fold.blocks() * fold.folded * dim.apart;
        contract(fold.rest() == 1 ? before : folded, restSums, Value());
      }
    }
    if (fold.isNeeded())
      unfoldSums(op, blockSums, restSums, sums, accumulate);
  });
}

} // namespace systole
