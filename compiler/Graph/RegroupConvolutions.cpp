// Gives convolutions with groups the groups that the machine takes well.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_REGROUPCONVOLUTIONS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

constexpr int64_t kLanes = 128;

int64_t blocksOf(int64_t features) { return llvm::divideCeil(features, kLanes); }

/// What becomes of groups with `inputs` and `outputs` features each.
struct Grouping {
  enum class Kind {
    keep,
    merge,  ///< `count` groups at a time, whose weights for each other are zero
    repeat, ///< the one input feature of each group, for each of its output features
    split,  ///< the input features of each group, of one output feature
  } kind = Kind::keep;
  int64_t count = 1;
};

/// The cheapest one, in cycles for eight positions of the result.
Grouping chooseGrouping(int64_t groups, int64_t inputs, int64_t outputs, int64_t taps) {
  // An array takes eight rows in eight cycles, and there are two; on the vector unit a tap is a
  // load. Moving eight rows along the lanes takes about this:
  constexpr int64_t arrayCycles = 4, relayoutCycles = 10;
  Grouping best;
  int64_t least = INT64_MAX;
  auto consider = [&](Grouping::Kind kind, int64_t count, int64_t cycles) {
    if (cycles < least) {
      least = cycles;
      best = {kind, count};
    }
  };
  // Each feature by itself already.
  if (inputs == 1 && outputs == 1 && taps <= kMostChannelTaps)
    return best;
  if (inputs == 1 && taps <= kMostChannelTaps)
    consider(Grouping::Kind::repeat, 1, blocksOf(groups * outputs) * (taps + relayoutCycles));
  if (outputs == 1 && taps <= kMostChannelTaps)
    consider(Grouping::Kind::split, 1, inputs * blocksOf(groups) * (taps + relayoutCycles));
  for (int64_t count = 1; count <= groups; ++count) {
    if (groups % count != 0)
      continue;
    int64_t in = count * inputs, out = count * outputs, parts = groups / count;
    bool isAligned = parts == 1 || (in % kLanes == 0 && out % kLanes == 0);
    int64_t cycles = parts * taps * blocksOf(in) * blocksOf(out) * arrayCycles;
    if (!isAligned)
      cycles += parts * (blocksOf(in) + blocksOf(out)) * relayoutCycles;
    consider(Grouping::Kind::merge, count, cycles);
  }
  if (best.kind == Grouping::Kind::merge && best.count == 1)
    best.kind = Grouping::Kind::keep;
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
      value = regroupFeatures();
    else if (op.getBatchGroupCount() > 1)
      value = regroupBatch();
    if (!value)
      return;
    op.replaceAllUsesWith(value);
    op.erase();
  }

private:
  Value regroupFeatures();
  Value mergeFeatures(int64_t inputs, int64_t outputs, int64_t count);
  Value splitFeatures(int64_t groups, int64_t inputs);
  Value regroupBatch();
  Value mergeBatch(int64_t inputs, int64_t outputs, int64_t count);
  Value splitBatch(int64_t groups, int64_t inputs);

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
  /// Every element along `dim` as many times, one after the other; or all of them, as many times.
  Value repeated(Value value, int64_t dim, int64_t times) {
    return copies(value, dim, times, dim + 1);
  }
  Value allRepeated(Value value, int64_t dim, int64_t times) {
    return copies(value, dim, times, dim);
  }
  Value copies(Value value, int64_t dim, int64_t times, int64_t added) {
    SmallVector<int64_t> shape(shapeOf(value)), dims;
    shape.insert(shape.begin() + added, times);
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (d != added)
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

Value Regrouper::regroupFeatures() {
  int64_t groups = op.getFeatureGroupCount(), taps = 1;
  int64_t inputs = sizeOf(op.getRhs(), numbers.getKernelInputFeatureDimension());
  int64_t outputs = sizeOf(op.getRhs(), numbers.getKernelOutputFeatureDimension()) / groups;
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    taps *= sizeOf(op.getRhs(), dim);
  Grouping grouping = chooseGrouping(groups, inputs, outputs, taps);
  switch (grouping.kind) {
  case Grouping::Kind::keep:
    return nullptr;
  case Grouping::Kind::merge:
    return mergeFeatures(inputs, outputs, grouping.count);
  case Grouping::Kind::repeat:
    return create(repeated(op.getLhs(), numbers.getInputFeatureDimension(), outputs), op.getRhs(),
                  result.getShape(), groups * outputs, 1);
  case Grouping::Kind::split:
    return splitFeatures(groups, inputs);
  }
  return nullptr;
}

/// Each input feature of the merged groups has weights for all their outputs, those of other groups
/// zero.
Value Regrouper::mergeFeatures(int64_t inputs, int64_t outputs, int64_t count) {
  int64_t in = numbers.getKernelInputFeatureDimension();
  int64_t out = numbers.getKernelOutputFeatureDimension();
  Value weights = onlyWithin(allRepeated(op.getRhs(), in, count), in, inputs, out, outputs, count);
  return create(op.getLhs(), weights, result.getShape(), op.getFeatureGroupCount() / count, 1);
}

/// One convolution of features by themselves for each of a group's input features.
Value Regrouper::splitFeatures(int64_t groups, int64_t inputs) {
  int64_t feature = numbers.getInputFeatureDimension();
  int64_t in = numbers.getKernelInputFeatureDimension();
  Value total;
  for (int64_t i = 0; i < inputs; ++i) {
    Value part = create(t.slice(op.getLhs(), feature, i, groups, inputs),
                        t.slice(op.getRhs(), in, i, 1, 1), result.getShape(), groups, 1);
    total = total ? AddOp::create(t.b, t.loc, total, part).getResult() : part;
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Groups of the batch
//===----------------------------------------------------------------------===//

/// As filters of groups get their gradients: windows are larger than results.
Value Regrouper::regroupBatch() {
  int64_t groups = op.getBatchGroupCount(), positions = 1, window = 1;
  int64_t inputs = sizeOf(op.getLhs(), numbers.getInputBatchDimension()) / groups;
  int64_t outputs = sizeOf(op.getRhs(), numbers.getKernelOutputFeatureDimension()) / groups;
  for (auto [dim, place] : llvm::zip_equal(numbers.getKernelSpatialDimensions(),
                                           numbers.getOutputSpatialDimensions())) {
    window *= sizeOf(op.getRhs(), dim);
    positions *= result.getDimSize(place);
  }
  if (window < positions)
    return nullptr;
  Grouping grouping = chooseGrouping(groups, inputs, outputs, positions);
  switch (grouping.kind) {
  case Grouping::Kind::keep:
    return nullptr;
  case Grouping::Kind::merge:
    return mergeBatch(inputs, outputs, grouping.count);
  case Grouping::Kind::repeat:
    return create(repeated(op.getLhs(), numbers.getInputBatchDimension(), outputs), op.getRhs(),
                  result.getShape(), 1, groups * outputs);
  case Grouping::Kind::split:
    return splitBatch(groups, inputs);
  }
  return nullptr;
}

/// The merged groups as one, of whose results those within a group are kept.
Value Regrouper::mergeBatch(int64_t inputs, int64_t outputs, int64_t count) {
  int64_t batch = numbers.getInputBatchDimension();
  int64_t out = numbers.getKernelOutputFeatureDimension();
  int64_t first = numbers.getOutputBatchDimension(), second = numbers.getOutputFeatureDimension();
  int64_t in = count * inputs, parts = op.getBatchGroupCount() / count;
  SmallVector<Value> all;
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<int64_t> shape = with(with(result.getShape(), first, in), second, count * outputs);
    Value sums =
        create(t.slice(op.getLhs(), batch, part * in, in, 1),
               t.slice(op.getRhs(), out, part * count * outputs, count * outputs, 1), shape, 1, 1);
    sums = onlyWithin(sums, first, inputs, second, outputs, count);
    all.push_back(sumOfParts(sums, first, count));
  }
  return all.size() == 1 ? all.front() : t.concatenate(all, second);
}

Value Regrouper::splitBatch(int64_t groups, int64_t inputs) {
  int64_t batch = numbers.getInputBatchDimension(), first = numbers.getOutputBatchDimension();
  SmallVector<Value> all;
  for (int64_t i = 0; i < inputs; ++i)
    all.push_back(create(t.slice(op.getLhs(), batch, i, groups, inputs), op.getRhs(),
                         with(result.getShape(), first, 1), 1, groups));
  return t.concatenate(all, first);
}

struct RegroupConvolutions : impl::RegroupConvolutionsBase<RegroupConvolutions> {
  void runOnOperation() override {
    getOperation().walk([](ConvolutionOp op) { Regrouper(op).run(); });
  }
};

} // namespace
} // namespace systole
