// Gives convolutions with groups the groups that the machine takes well.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REGROUPCONVOLUTIONS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

int64_t blocksOf(int64_t features) { return llvm::divideCeil(features, kLanes); }

/// How many groups of `inputs` and `outputs` features to merge at a time, for the fewest cycles of
/// eight positions of the result; 1 if features are by themselves (Convolutions.h).
int64_t groupsToMerge(int64_t groups, int64_t inputs, int64_t outputs, int64_t taps) {
  // An array takes eight rows in eight cycles, and there are two. Groups that are no whole rows of
  // lanes are moved along these.
  constexpr int64_t arrayCycles = 4, relayoutCycles = 10;
  if (inputs == 1 && outputs == 1 && taps <= kMostChannelTaps)
    return 1;
  int64_t best = 1, least = INT64_MAX;
  for (int64_t count = 1; count <= groups; ++count) {
    if (groups % count != 0)
      continue;
    int64_t in = count * inputs, out = count * outputs, parts = groups / count;
    bool isAligned = parts == 1 || (in % kLanes == 0 && out % kLanes == 0);
    int64_t cycles = parts * taps * blocksOf(in) * blocksOf(out) * arrayCycles;
    if (!isAligned)
      cycles += parts * (blocksOf(in) + blocksOf(out)) * relayoutCycles;
    if (cycles < least) {
      least = cycles;
      best = count;
    }
  }
  return best;
}

class Regrouper {
public:
  explicit Regrouper(ConvolutionOp op)
      : op(op), t(op), numbers(op.getDimensionNumbers()), result(op.getType()) {}

  void run() {
    if (llvm::is_contained(result.getShape(), 0) || op.getLhs().getType().getNumElements() == 0 ||
        op.getRhs().getType().getNumElements() == 0)
      return;
    Value value;
    if (op.getFeatureGroupCount() > 1)
      value = mergeFeatures();
    else if (op.getBatchGroupCount() > 1)
      value = mergeBatch();
    if (!value)
      return;
    op.replaceAllUsesWith(value);
    op.erase();
  }

private:
  Value mergeFeatures();
  Value mergeBatch();

  int64_t sizeOf(Value value, int64_t dim) { return shapeOf(value)[dim]; }
  /// The convolution of other arrays, with `shape` as its result's.
  Value create(Value lhs, Value rhs, ArrayRef<int64_t> shape, int64_t featureGroups,
               int64_t batchGroups) {
    return ConvolutionOp::create(
        t.b, t.loc, result.clone(shape), lhs, rhs, op.getWindowStridesAttr(), op.getPaddingAttr(),
        op.getLhsDilationAttr(), op.getRhsDilationAttr(), op.getWindowReversalAttr(), numbers,
        featureGroups, batchGroups, op.getPrecisionConfigAttr());
  }
  SmallVector<int64_t> with(ArrayRef<int64_t> shape, int64_t dim, int64_t size) {
    SmallVector<int64_t> other(shape);
    other[dim] = size;
    return other;
  }
  /// `times` copies of all of `value` one after the other along `dim`.
  Value repeated(Value value, int64_t dim, int64_t times) {
    SmallVector<int64_t> shape(shapeOf(value)), dims;
    shape.insert(shape.begin() + dim, times);
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (d != dim)
        dims.push_back(d);
    Value longer = BroadcastInDimOp::create(t.b, t.loc, typeOf(value).clone(shape), value, dims);
    return t.reshape(longer, with(shapeOf(value), dim, sizeOf(value, dim) * times));
  }
  /// The sum of `count` equal parts of `value` along `dim`.
  Value sumOfParts(Value value, int64_t dim, int64_t count);
  /// `value`, and 0 where indices along `first` and `second` belong to different groups: these
  /// change every `firstSize` and `secondSize` elements, and begin anew after `count` of them.
  Value onlyWithin(Value value, int64_t first, int64_t firstSize, int64_t second,
                   int64_t secondSize, int64_t count);

  ConvolutionOp op;
  Tensors t;
  ConvDimensionNumbersAttr numbers;
  RankedTensorType result;
};

Value Regrouper::onlyWithin(Value value, int64_t first, int64_t firstSize, int64_t second,
                            int64_t secondSize, int64_t count) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (first > second) {
    std::swap(first, second);
    std::swap(firstSize, secondSize);
  }
  auto type = RankedTensorType::get({shape[first], shape[second]}, t.b.getI1Type());
  SmallVector<bool> within;
  for (int64_t i = 0; i < shape[first]; ++i)
    for (int64_t j = 0; j < shape[second]; ++j)
      within.push_back(i / firstSize % count == j / secondSize % count);
  Value mask = ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(type, within));
  mask = BroadcastInDimOp::create(t.b, t.loc, RankedTensorType::get(shape, t.b.getI1Type()), mask,
                                  ArrayRef<int64_t>{first, second});
  return t.select(mask, value, t.number(typeOf(value).getElementType(), 0, shape));
}

Value Regrouper::sumOfParts(Value value, int64_t dim, int64_t count) {
  SmallVector<int64_t> shape(shapeOf(value));
  shape[dim] /= count;
  Type sum = typeOf(value).clone(shape), element = typeOf(value).getElementType();
  shape.insert(shape.begin() + dim, count);
  auto reduce = ReduceOp::create(t.b, t.loc, TypeRange(sum), t.reshape(value, shape),
                                 t.number(element, 0), dim);
  Block &body = reduce.getBody().emplaceBlock();
  Type scalar = RankedTensorType::get({}, element);
  body.addArguments({scalar, scalar}, {t.loc, t.loc});
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Value total = AddOp::create(inner, t.loc, body.getArgument(0), body.getArgument(1));
  ReturnOp::create(inner, t.loc, total);
  return reduce.getResult(0);
}

//===----------------------------------------------------------------------===//
// Groups of features
//===----------------------------------------------------------------------===//

/// Each input feature of the merged groups has weights for all their outputs, those of other groups
/// zero.
Value Regrouper::mergeFeatures() {
  int64_t groups = op.getFeatureGroupCount(), taps = 1;
  int64_t in = numbers.getKernelInputFeatureDimension();
  int64_t out = numbers.getKernelOutputFeatureDimension();
  int64_t inputs = sizeOf(op.getRhs(), in), outputs = sizeOf(op.getRhs(), out) / groups;
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    taps *= sizeOf(op.getRhs(), dim);
  int64_t count = groupsToMerge(groups, inputs, outputs, taps);
  if (count == 1)
    return nullptr;
  Value weights = onlyWithin(repeated(op.getRhs(), in, count), in, inputs, out, outputs, count);
  return create(op.getLhs(), weights, result.getShape(), groups / count, 1);
}

//===----------------------------------------------------------------------===//
// Groups of the batch
//===----------------------------------------------------------------------===//

/// As filters of groups get their gradients, where windows are larger than results: the merged
/// groups as one, of whose results those within a group are kept.
Value Regrouper::mergeBatch() {
  int64_t batch = numbers.getInputBatchDimension();
  int64_t out = numbers.getKernelOutputFeatureDimension();
  int64_t first = numbers.getOutputBatchDimension(), second = numbers.getOutputFeatureDimension();
  int64_t groups = op.getBatchGroupCount(), positions = 1, window = 1;
  int64_t inputs = sizeOf(op.getLhs(), batch) / groups, outputs = sizeOf(op.getRhs(), out) / groups;
  for (auto [dim, place] : llvm::zip_equal(numbers.getKernelSpatialDimensions(),
                                           numbers.getOutputSpatialDimensions())) {
    window *= sizeOf(op.getRhs(), dim);
    positions *= result.getDimSize(place);
  }
  int64_t count = window < positions ? 1 : groupsToMerge(groups, inputs, outputs, positions);
  if (count == 1)
    return nullptr;
  SmallVector<Value> all;
  int64_t in = count * inputs, of = count * outputs;
  for (int64_t part = 0; part < groups / count; ++part) {
    Value sums =
        create(t.slice(op.getLhs(), batch, part * in, in), t.slice(op.getRhs(), out, part * of, of),
               with(with(result.getShape(), first, in), second, of), 1, 1);
    all.push_back(
        sumOfParts(onlyWithin(sums, first, inputs, second, outputs, count), first, count));
  }
  return t.concatenate(all, second);
}

struct RegroupConvolutions : impl::RegroupConvolutionsBase<RegroupConvolutions> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { Regrouper(op).run(); });
  }
};

} // namespace
} // namespace systole
