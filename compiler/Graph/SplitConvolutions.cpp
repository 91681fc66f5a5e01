// Makes several convolutions of one whose weights are too large.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Convolutions.h"
#include "compiler/Graph/Expand/Tensors.h"
#include "compiler/Graph/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITCONVOLUTIONS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

constexpr int64_t kLanes = 128;
/// Weights of one row of lanes of results, or of all where there are groups: those of a kernel's
/// step, which stay while positions stream past them.
constexpr int64_t kMostWeightBytes = 5 << 20;

class Splitter {
public:
  /// `op` has the form with positions.
  explicit Splitter(ConvolutionOp op)
      : op(op), t(op), windows(op.getWindow()), groups(op.getFeatureGroupCount()),
        rank(op.getType().getRank()) {
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    inputs = numbers.getKernelInputFeatureDimension();
    outputs = numbers.getKernelOutputFeatureDimension();
  }

  /// What takes the place of `op`, made of convolutions with smaller weights; null if it stays.
  Value run() {
    if (weightBytes() <= kMostWeightBytes)
      return nullptr;
    if (groups > 1)
      return splitGroups();
    if (op.getLhs().getType().getShape().back() > kLanes)
      return splitFeatures();
    for (auto [dim, window] : llvm::enumerate(windows))
      if (window.size > 1)
        return splitTaps(dim);
    return nullptr;
  }
  /// The convolutions that `run` has made.
  SmallVector<ConvolutionOp> parts;

private:
  int64_t weightBytes() {
    RankedTensorType type = op.getRhs().getType();
    int64_t seen = type.getDimSize(inputs), made = type.getDimSize(outputs);
    int64_t width = type.getElementTypeBitWidth();
    // Of narrow elements several rows are the least that is cut.
    int64_t packing = 32 / std::min<int64_t>(width, op.getType().getElementTypeBitWidth());
    if (groups == 1)
      made = std::min(made, packing * kLanes);
    // Either kind of features lies along the lanes.
    int64_t elements = isKernelTransposed(op) ? made * llvm::alignTo(seen, kLanes)
                                              : seen * llvm::alignTo(made, kLanes);
    for (const Window &window : windows)
      elements *= window.size;
    // Few features may be folded, in a copy of the kernel.
    if (groups == 1 && 2 * seen <= kLanes)
      elements += elements / 2;
    return elements * width / 8;
  }
  /// How many parts of `size` there should be.
  int64_t partsOf(int64_t size) {
    return std::min<int64_t>(size, llvm::divideCeil(weightBytes(), kMostWeightBytes));
  }
  Value splitGroups();
  Value splitFeatures();
  Value splitTaps(int64_t dim);

  Value create(Value image, Value kernel, int64_t outputs, int64_t groups, Type element) {
    SmallVector<int64_t> shape(op.getType().getShape()), padding;
    shape.back() = outputs;
    for (const Window &window : windows)
      padding.append({window.low, window.high});
    auto paddingType = RankedTensorType::get({rank - 2, 2}, t.b.getI64Type());
    parts.push_back(ConvolutionOp::create(
        t.b, t.loc, RankedTensorType::get(shape, element), image, kernel, op.getWindowStridesAttr(),
        DenseIntElementsAttr::get(paddingType, padding), op.getLhsDilationAttr(),
        op.getRhsDilationAttr(), op.getWindowReversalAttr(), op.getDimensionNumbersAttr(), groups,
        /*batch_group_count=*/1, op.getPrecisionConfigAttr()));
    return parts.back();
  }
  /// One convolution of a sum of several, whose products are added in the type of the machine's
  /// sums.
  Value createAddend(Value image, Value kernel) {
    Type element = op.getType().getElementType();
    if (element.getIntOrFloatBitWidth() < 32)
      element = isa<FloatType>(element) ? Type(t.b.getF32Type()) : Type(t.b.getI32Type());
    return create(image, kernel, op.getType().getShape().back(), 1, element);
  }
  Value sumOf(ArrayRef<Value> addends) {
    Value sum = addends.front();
    for (Value addend : addends.drop_front())
      sum = t.apply<AddOp>(sum, addend);
    return t.convert(sum, op.getType().getElementType());
  }

  ConvolutionOp op;
  Tensors t;
  SmallVector<Window> windows;
  int64_t groups, rank;
  int64_t inputs, outputs; // dimensions of the kernel
};

/// As few parts as fit, of equally many groups each; their results stand side by side.
Value Splitter::splitGroups() {
  int64_t count = partsOf(groups);
  while (groups % count != 0)
    ++count;
  int64_t features = shapeOf(op.getLhs()).back() / count, results = shapeOf(op).back() / count;
  SmallVector<Value> values;
  for (int64_t part = 0; part < count; ++part) {
    Value image = t.slice(op.getLhs(), rank - 1, part * features, features);
    Value kernel = t.slice(op.getRhs(), outputs, part * results, results);
    values.push_back(create(image, kernel, results, groups / count, op.getType().getElementType()));
  }
  return t.concatenate(values, rank - 1);
}

/// The image's features in whole rows of lanes.
Value Splitter::splitFeatures() {
  int64_t features = shapeOf(op.getLhs()).back();
  int64_t blocks = llvm::divideCeil(features, kLanes);
  int64_t size = llvm::divideCeil(blocks, partsOf(blocks)) * kLanes;
  SmallVector<Value> addends;
  for (int64_t first = 0; first < features; first += size) {
    int64_t count = std::min(size, features - first);
    Value image = t.slice(op.getLhs(), rank - 1, first, count);
    Value kernel = t.slice(op.getRhs(), inputs, first, count);
    addends.push_back(createAddend(image, kernel));
  }
  return sumOf(addends);
}

/// The elements of the window along dimension `dim`. Those of the image that a part does not see
/// are left out, instead of negative padding.
Value Splitter::splitTaps(int64_t dim) {
  const Window window = windows[dim];
  int64_t count = partsOf(window.size), place = dim + 1, extent = shapeOf(op.getLhs())[place];
  SmallVector<Value> addends;
  for (int64_t part = 0; part < count; ++part) {
    int64_t first = window.size * part / count, end = window.size * (part + 1) / count;
    Window &own = windows[dim];
    own.low = window.low - first * window.rhsDilation;
    own.high = window.high - (window.size - end) * window.rhsDilation;
    auto leaveOut = [&](int64_t &padding) {
      int64_t elements = llvm::divideCeil(std::max<int64_t>(0, -padding), window.lhsDilation);
      padding += elements * window.lhsDilation;
      return elements;
    };
    int64_t before = leaveOut(own.low), after = leaveOut(own.high);
    // A part that sees nothing but padding.
    if (before + after >= extent)
      continue;
    int64_t start = window.reversed ? window.size - end : first;
    Value image = t.slice(op.getLhs(), place, before, extent - before - after);
    Value kernel = t.slice(op.getRhs(), dim, start, end - first);
    addends.push_back(createAddend(image, kernel));
  }
  return addends.empty() ? t.number(op.getType().getElementType(), 0, shapeOf(op)) : sumOf(addends);
}

struct SplitConvolutions : impl::SplitConvolutionsBase<SplitConvolutions> {
  void runOnOperation() override {
    SmallVector<ConvolutionOp> worklist;
    getOperation().walk([&](ConvolutionOp op) {
      if (formOf(op) == ConvolutionForm::Positions)
        worklist.push_back(op);
    });
    while (!worklist.empty()) {
      ConvolutionOp op = worklist.pop_back_val();
      Splitter splitter(op);
      Value value = splitter.run();
      if (!value)
        continue;
      op.replaceAllUsesWith(value);
      op.erase();
      llvm::append_range(worklist, splitter.parts);
    }
  }
};

} // namespace
} // namespace systole
