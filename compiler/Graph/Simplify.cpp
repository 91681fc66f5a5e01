// Removes identity operations on tensors and merges compositions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Barriers.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SimplifyReductions.h"
#include "compiler/Graph/TransposedWork.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SIMPLIFY
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

bool allEqual(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

//===----------------------------------------------------------------------===//
// Operations that are their operand
//===----------------------------------------------------------------------===//

/// Replaces `op` by `value` if the types are equal.
LogicalResult forward(PatternRewriter &rewriter, Operation *op, Value value) {
  if (op->getResult(0).getType() != value.getType())
    return failure();
  rewriter.replaceOp(op, value);
  return success();
}

LogicalResult dropIdentity(ReshapeOp op, PatternRewriter &rewriter) {
  return forward(rewriter, op, op.getOperand());
}
LogicalResult dropIdentity(ConvertOp op, PatternRewriter &rewriter) {
  return forward(rewriter, op, op.getOperand());
}
LogicalResult dropIdentity(BitcastConvertOp op, PatternRewriter &rewriter) {
  return forward(rewriter, op, op.getOperand());
}
LogicalResult dropIdentity(TransposeOp op, PatternRewriter &rewriter) {
  return isIdentity(op.getPermutation()) ? forward(rewriter, op, op.getOperand()) : failure();
}
LogicalResult dropIdentity(BroadcastInDimOp op, PatternRewriter &rewriter) {
  return isIdentity(op.getBroadcastDimensions()) ? forward(rewriter, op, op.getOperand())
                                                 : failure();
}
LogicalResult dropIdentity(ReverseOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = typeOf(op).getShape();
  return llvm::all_of(op.getDimensions(), [&](int64_t d) { return shape[d] <= 1; })
             ? forward(rewriter, op, op.getOperand())
             : failure();
}
LogicalResult dropIdentity(SliceOp op, PatternRewriter &rewriter) {
  return forward(rewriter, op, op.getOperand());
}
LogicalResult dropIdentity(PadOp op, PatternRewriter &rewriter) {
  // Low and high padding could cancel in the shape, so the amounts are compared.
  return allEqual(op.getEdgePaddingLow(), 0) && allEqual(op.getEdgePaddingHigh(), 0)
             ? forward(rewriter, op, op.getOperand())
             : failure();
}
LogicalResult dropIdentity(DynamicSliceOp op, PatternRewriter &rewriter) {
  // A slice as large as the operand can only start at 0.
  return forward(rewriter, op, op.getOperand());
}
LogicalResult dropIdentity(DynamicUpdateSliceOp op, PatternRewriter &rewriter) {
  return forward(rewriter, op, op.getUpdate());
}
LogicalResult dropIdentity(ConcatenateOp op, PatternRewriter &rewriter) {
  SmallVector<Value> inputs = llvm::to_vector(llvm::make_filter_range(
      op.getInputs(), [&](Value input) { return typeOf(input).getNumElements() != 0; }));
  if (inputs.size() == 1)
    return forward(rewriter, op, inputs.front());
  if (inputs.empty() || inputs.size() == op.getInputs().size())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
  return success();
}
LogicalResult dropIdentity(ReduceOp op, PatternRewriter &rewriter) {
  if (!op.getDimensions().empty())
    return failure();
  rewriter.replaceOp(op, op.getInputs());
  return success();
}

//===----------------------------------------------------------------------===//
// Operations that compose
//===----------------------------------------------------------------------===//

LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand());
  return success();
}

LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t d : op.getPermutation())
    permutation.push_back(inner.getPermutation()[d]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getOperand(), permutation);
  return success();
}

/// A transposition that only moves dimensions of size 1.
LogicalResult transposeIsReshape(TransposeOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  int64_t last = -1;
  for (int64_t d : op.getPermutation()) {
    if (shape[d] == 1)
      continue;
    if (d < last)
      return failure();
    last = d;
  }
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
  return success();
}

LogicalResult mergeBroadcasts(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t d : inner.getBroadcastDimensions())
    dims.push_back(op.getBroadcastDimensions()[d]);
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), inner.getOperand(), dims);
  return success();
}

/// Broadcast dimensions in ascending order, by transposing the operand first.
LogicalResult sortBroadcast(BroadcastInDimOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  if (llvm::is_sorted(dims))
    return failure();
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  SmallVector<int64_t> sorted, shape;
  RankedTensorType type = typeOf(op.getOperand());
  for (int64_t d : order) {
    sorted.push_back(dims[d]);
    shape.push_back(type.getDimSize(d));
  }
  Value transposed =
      TransposeOp::create(rewriter, op.getLoc(), type.clone(shape), op.getOperand(), order);
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), transposed, sorted);
  return success();
}

/// A transposed broadcast is a broadcast along other dimensions.
LogicalResult transposeOfBroadcast(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t d : inner.getBroadcastDimensions())
    dims.push_back(llvm::find(op.getPermutation(), d) - op.getPermutation().begin());
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), inner.getOperand(), dims);
  return success();
}

/// A slice of a broadcast is a broadcast of a slice.
LogicalResult sliceOfBroadcast(SliceOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner)
    return failure();
  RankedTensorType type = typeOf(inner.getOperand());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  for (auto [i, d] : llvm::enumerate(inner.getBroadcastDimensions()))
    if (type.getDimSize(i) != 1) {
      starts[i] = op.getStartIndices()[d];
      limits[i] = op.getLimitIndices()[d];
      strides[i] = op.getStrides()[d];
    }
  Value slice = SliceOp::create(rewriter, op.getLoc(), inner.getOperand(), starts, limits, strides);
  rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(), slice,
                                                inner.getBroadcastDimensions());
  return success();
}

/// A transposed iota counts along another dimension.
LogicalResult transposeOfIota(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<IotaOp>();
  if (!inner)
    return failure();
  auto dim = static_cast<int64_t>(inner.getIotaDimension());
  rewriter.replaceOpWithNewOp<IotaOp>(
      op, op.getType(), llvm::find(op.getPermutation(), dim) - op.getPermutation().begin());
  return success();
}

/// A small slice of a large tensor is copied from HBM like one at a computed position, instead of
/// loading the whole tensor, unless all users can rematerialize it.
LogicalResult windowOfLarge(SliceOp op, PatternRewriter &rewriter) {
  constexpr int64_t kLargeBytes = 4 << 20, kSmallBytes = 512 << 10;
  auto bytes = [](RankedTensorType type) {
    return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
  };
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op);
  Operation *producer = op.getOperand().getDefiningOp();
  if (producer && (isSplatConstant(producer) || isa<IotaOp, BroadcastInDimOp>(producer)))
    return failure();
  if (!allEqual(op.getStrides(), 1) || bytes(from) < kLargeBytes || bytes(to) > kSmallBytes ||
      to.getNumElements() == 0)
    return failure();
  auto position = RankedTensorType::get({}, rewriter.getI32Type());
  SmallVector<Value> starts;
  for (int64_t start : op.getStartIndices()) {
    if (start > INT32_MAX)
      return failure();
    starts.push_back(ConstantOp::create(
        rewriter, op.getLoc(), DenseElementsAttr::get(position, static_cast<int32_t>(start))));
  }
  rewriter.replaceOpWithNewOp<DynamicSliceOp>(op, to, op.getOperand(), starts, to.getShape());
  return success();
}

/// The same index along another dimension: it has no operand that its readers would divide alike.
LogicalResult broadcastOfIota(BroadcastInDimOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<IotaOp>();
  if (!inner)
    return failure();
  const auto from = int64_t(inner.getIotaDimension());
  const int64_t to = op.getBroadcastDimensions()[from];
  if (typeOf(inner).getDimSize(from) != typeOf(op).getDimSize(to))
    return failure();
  rewriter.replaceOpWithNewOp<IotaOp>(op, op.getType(), to);
  return success();
}

/// A reshaped iota: each element is the sum of its indices, weighted by the sizes of the inner
/// dimensions.
LogicalResult reshapeOfIota(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<IotaOp>();
  RankedTensorType type = typeOf(op);
  int64_t elements = type.getNumElements();
  if (!inner || elements == 0 || elements > INT32_MAX ||
      typeOf(inner).getDimSize(inner.getIotaDimension()) != elements)
    return failure();
  auto counts = type.clone(rewriter.getI32Type());
  Value sum;
  int64_t inside = elements;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    inside /= size;
    if (size == 1)
      continue;
    Value index = IotaOp::create(rewriter, op.getLoc(), counts, dim);
    if (inside != 1) {
      auto step = DenseElementsAttr::get(counts, static_cast<int32_t>(inside));
      index = MulOp::create(rewriter, op.getLoc(), index,
                            ConstantOp::create(rewriter, op.getLoc(), step));
    }
    sum = sum ? AddOp::create(rewriter, op.getLoc(), sum, index) : index;
  }
  if (!sum)
    sum = ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(counts, int32_t(0)));
  if (sum.getType() != type)
    sum = ConvertOp::create(rewriter, op.getLoc(), type, sum);
  rewriter.replaceOp(op, sum);
  return success();
}

/// Splits a concatenation of many inputs: a kernel has a limited number of operands.
LogicalResult splitConcatenate(ConcatenateOp op, PatternRewriter &rewriter) {
  constexpr size_t kMaxInputs = 16;
  auto inputs = op.getInputs();
  if (inputs.size() <= kMaxInputs)
    return failure();
  SmallVector<Value> parts;
  for (size_t begin = 0; begin < inputs.size(); begin += kMaxInputs) {
    size_t count = std::min(kMaxInputs, inputs.size() - begin);
    parts.push_back(ConcatenateOp::create(rewriter, op.getLoc(), inputs.slice(begin, count),
                                          op.getDimension()));
  }
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(parts); });
  return success();
}

/// A broadcast that does not replicate elements only adds dimensions of size 1.
LogicalResult broadcastIsReshape(BroadcastInDimOp op, PatternRewriter &rewriter) {
  if (typeOf(op.getOperand()).getNumElements() != typeOf(op).getNumElements() ||
      !llvm::is_sorted(op.getBroadcastDimensions()))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
  return success();
}

/// A permutation, reshape or slice of a splat is a splat.
template <typename OpTy> LogicalResult foldSplat(OpTy op, PatternRewriter &rewriter) {
  if (!isSplatConstant(op.getOperand().getDefiningOp()))
    return failure();
  auto value =
      cast<DenseElementsAttr>(op.getOperand().template getDefiningOp<ConstantOp>().getValue());
  rewriter.replaceOpWithNewOp<ConstantOp>(op, value.resizeSplat(typeOf(op)));
  return success();
}

/// Folds a reshape of a constant.
LogicalResult foldReshape(ReshapeOp op, PatternRewriter &rewriter) {
  auto constant = op.getOperand().getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements)
    return failure();
  rewriter.replaceOpWithNewOp<ConstantOp>(op, elements.reshape(typeOf(op)));
  return success();
}

//===----------------------------------------------------------------------===//
// Uniform operands
//===----------------------------------------------------------------------===//

/// Broadcasts `value` to `shape`, keeping its element type.
Value broadcastTo(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return BroadcastInDimOp::create(rewriter, loc, typeOf(value).clone(shape), value,
                                  ArrayRef<int64_t>{});
}

LogicalResult broadcastScalars(SelectOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = typeOf(op).getShape();
  Value pred = broadcastTo(rewriter, op.getLoc(), op.getPred(), shape);
  if (pred == op.getPred())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getPredMutable().assign(pred); });
  return success();
}

LogicalResult broadcastScalars(ClampOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = typeOf(op).getShape();
  Value min = broadcastTo(rewriter, op.getLoc(), op.getMin(), shape);
  Value max = broadcastTo(rewriter, op.getLoc(), op.getMax(), shape);
  if (min == op.getMin() && max == op.getMax())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getMinMutable().assign(min);
    op.getMaxMutable().assign(max);
  });
  return success();
}

/// Drops the index vector dimension of size 1, which would be along the lanes.
LogicalResult dropIndexVector(GatherOp op, PatternRewriter &rewriter) {
  auto reshape = op.getStartIndices().getDefiningOp<ReshapeOp>();
  RankedTensorType type = typeOf(op.getStartIndices());
  auto numbers = op.getDimensionNumbers();
  if (!reshape || static_cast<int64_t>(numbers.getIndexVectorDim()) != type.getRank() - 1 ||
      type.getShape().back() != 1 ||
      typeOf(reshape.getOperand()).getShape() != type.getShape().drop_back())
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getStartIndicesMutable().assign(reshape.getOperand()); });
  return success();
}

/// If there are more indices than fit into SMEM, they are loaded in chunks of positions: position
/// dimensions come first, the index vector dimension last.
struct ComponentsLast : OpRewritePattern<GatherOp> {
  ComponentsLast(MLIRContext *context, int64_t indexWords)
      : OpRewritePattern(context), indexWords(indexWords) {}

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getStartIndices());
    auto numbers = op.getDimensionNumbers();
    int64_t components = numbers.getIndexVectorDim(), last = type.getRank() - 1;
    if (components >= last || type.getNumElements() <= indexWords)
      return failure();
    SmallVector<int64_t> permutation, shape, batching;
    for (int64_t d = 0; d <= last; ++d)
      if (d != components)
        permutation.push_back(d);
    permutation.push_back(components);
    for (int64_t d : permutation)
      shape.push_back(type.getDimSize(d));
    for (int64_t d : numbers.getStartIndicesBatchingDims())
      batching.push_back(d - (d > components));
    Value indices = TransposeOp::create(rewriter, op.getLoc(), type.clone(shape),
                                        op.getStartIndices(), permutation);
    rewriter.modifyOpInPlace(op, [&] {
      op.getStartIndicesMutable().assign(indices);
      op.setDimensionNumbersAttr(GatherDimensionNumbersAttr::get(
          op.getContext(), numbers.getOffsetDims(), numbers.getCollapsedSliceDims(),
          numbers.getOperandBatchingDims(), batching, numbers.getStartIndexMap(), last));
    });
    return success();
  }

  int64_t indexWords;
};

/// Converts start indices to i32. Larger unsigned values saturate: they are clamped to the operand
/// anyway, whose sizes are below 2^31.
struct IndicesToI32 : RewritePattern {
  IndicesToI32(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isIndexOperand(operand))
        continue;
      RankedTensorType type = typeOf(operand.get());
      if (type.getElementType() == i32)
        continue;
      Value index = operand.get();
      if (type.getElementType().isUnsignedInteger(32)) {
        Value bound = ConstantOp::create(
            rewriter, op->getLoc(), DenseElementsAttr::get(type, APInt::getSignedMaxValue(32)));
        index = MinOp::create(rewriter, op->getLoc(), index, bound);
      }
      Value converted = ConvertOp::create(rewriter, op->getLoc(), type.clone(i32), index);
      rewriter.modifyOpInPlace(op, [&] { operand.set(converted); });
      changed = true;
    }
    return success(changed);
  }
};

struct Simplify : impl::SimplifyBase<Simplify> {
  using SimplifyBase::SimplifyBase;

  void rewrite() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(+[](ReshapeOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](ConvertOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](BitcastConvertOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](TransposeOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](BroadcastInDimOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](ReverseOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](SliceOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](PadOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](DynamicSliceOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](DynamicUpdateSliceOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](ConcatenateOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    patterns.add(+[](ReduceOp op, PatternRewriter &r) { return dropIdentity(op, r); });
    addReductionPatterns(patterns);
    patterns.add(simplifyBarrier);
    patterns.add(splitConcatenate);
    patterns.add(mergeReshapes);
    patterns.add(mergeTransposes);
    patterns.add(transposeOfElementwise);
    patterns.add(transposeIsReshape);
    patterns.add(transposeOfBroadcast);
    patterns.add(sliceOfBroadcast);
    patterns.add(transposeOfIota);
    patterns.add(broadcastOfIota);
    patterns.add(reshapeOfIota);
    patterns.add(windowOfLarge);
    patterns.add(mergeBroadcasts);
    patterns.add(sortBroadcast);
    patterns.add(broadcastIsReshape);
    patterns.add(foldReshape);
    patterns.add(+[](BroadcastInDimOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](TransposeOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](SliceOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](ReverseOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](DynamicSliceOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](GatherOp op, PatternRewriter &r) { return foldSplat(op, r); });
    patterns.add(+[](SelectOp op, PatternRewriter &r) { return broadcastScalars(op, r); });
    patterns.add(+[](ClampOp op, PatternRewriter &r) { return broadcastScalars(op, r); });
    patterns.add(dropIndexVector);
    patterns.add<ComponentsLast>(&getContext(), indexWords);
    patterns.add<IndicesToI32>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
