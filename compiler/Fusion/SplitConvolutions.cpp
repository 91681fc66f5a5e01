// Makes several convolutions of one whose weights, or whose sums, are too large.
// See docs/decisions/convolution-cuts-and-weight-gradients.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/DepthBlocks.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITCONVOLUTIONS
#include "compiler/Fusion/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// Groups may need less than `kMostWeightBytes`, which the planner knows. Few weights are soon
/// latched again, so that any number of positions is enough.
constexpr int64_t kFewWeightBytes = 3 << 19;
/// Latching the weights of a step takes as long as this many positions of a group.
constexpr int64_t kFewPositions = 32;
/// Sums of a filter's gradient that stay while positions are added, of one row of lanes of the
/// gradient's features, or of all where there are groups. These also have all of the operands in
/// VMEM: only without groups positions are summed in chunks.
constexpr int64_t kMostSumBytes = 3 << 20;
constexpr int64_t kMostOperandBytes = 4 << 20;

/// Bytes of all rows of `type`.
int64_t rowBytes(RankedTensorType type) {
  int64_t last = type.getShape().back();
  return type.getNumElements() / last * llvm::alignTo(last, kLanes) *
         type.getElementTypeBitWidth() / 8;
}

class Splitter {
public:
  /// `op` has the form with positions or that of a filter's gradient.
  Splitter(ConvolutionOp op, Planner &planner)
      : op(op), planner(planner), t(op), windows(op.getWindow()), groups(op.getFeatureGroupCount()),
        rank(op.getType().getRank()), isFilter(formOf(op) == ConvolutionForm::Filter) {
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    inputs = numbers.getKernelInputFeatureDimension();
    outputs = numbers.getKernelOutputFeatureDimension();
    features = numbers.getInputFeatureDimension();
    results = numbers.getOutputFeatureDimension();
  }

  /// What takes the place of `op`, made of convolutions that have less; null if it stays.
  Value run() {
    if (std::optional<FirstPositions> first = positionsForChunks(op))
      return first->dim == 0 ? splitBatch(first->count) : splitPositions(first->dim, first->count);
    int64_t count = isFilter ? filterParts() : weightParts();
    if (count <= 1)
      return nullptr;
    if (groups > 1)
      return splitGroups(count);
    if (!isFilter && op.getLhs().getType().getShape().back() > kLanes)
      return splitFeatures(count);
    for (auto [dim, window] : llvm::enumerate(windows))
      if (int64_t size = isFilter ? op.getType().getDimSize(dim) : window.size; size > 1)
        return isFilter ? splitPlaces(dim, std::min(count, size))
                        : splitTaps(dim, std::min(count, size));
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
    // Either kind of features lies along the lanes, results of each group in rows of their own.
    int64_t elements = isKernelTransposed(op)
                           ? made * llvm::alignTo(seen, kLanes)
                           : seen * groups * llvm::alignTo(made / groups, kLanes);
    for (const Window &window : windows)
      elements *= window.size;
    // Few features may be folded, in a copy of the kernel.
    if (groups == 1 && 2 * seen <= kLanes)
      elements += elements / 2;
    return elements * width / 8;
  }
  /// Parts into which weights are to be cut; one if there is a kernel that makes use of them.
  int64_t weightParts() {
    int64_t bytes = weightBytes();
    if (groups == 1 || bytes > kMostWeightBytes)
      return llvm::divideCeil(bytes, kMostWeightBytes);
    Operation *ops = op;
    std::optional<Plan> plan = planner.plan(ops);
    if (!plan)
      return 2;
    bool sharesWeights = positionsOf(Planner::blockingOf(ops, *plan)) >= kFewPositions;
    return bytes <= kFewWeightBytes || sharesWeights ? 1 : 2;
  }
  /// Positions of a step, for which weights are latched once; of a result that has fewer, many.
  int64_t positionsOf(const Blocking &blocking) {
    auto count = [&](ArrayRef<int64_t> shape) {
      int64_t elements = 1;
      for (auto [dim, size] : llvm::enumerate(shape))
        elements *= static_cast<int64_t>(dim) == results ? 1 : size;
      return elements;
    };
    int64_t own = count(blocking.blockShape(op));
    return own == count(op.getType().getShape()) ? kFewPositions : own;
  }
  /// Parts into which sums, and operands of groups, are to be cut; one if there is a kernel.
  int64_t filterParts() {
    if (planner.plan(op.getOperation()))
      return 1;
    RankedTensorType type = op.getType();
    int64_t made =
        groups == 1 ? std::min(type.getDimSize(results), kLanes) : type.getDimSize(results);
    int64_t sums = made * kLanes * kCellBytes;
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      sums *= type.getDimSize(dim);
    int64_t count = std::max<int64_t>(2, llvm::divideCeil(sums, kMostSumBytes));
    if (groups == 1)
      return count;
    int64_t operands = rowBytes(op.getLhs().getType()) + rowBytes(op.getRhs().getType());
    return std::max<int64_t>(count, llvm::divideCeil(operands, kMostOperandBytes));
  }
  Value splitBatch(int64_t images);
  Value splitPositions(int64_t dim, int64_t count);
  Value splitGroups(int64_t count);
  Value splitFeatures(int64_t count);
  Value splitTaps(int64_t dim, int64_t count);
  Value splitPlaces(int64_t dim, int64_t count);

  /// A convolution of `groups` with the windows as they are now, and `size` elements of the result
  /// along `dim`.
  Value create(Value image, Value kernel, int64_t dim, int64_t size, int64_t groups, Type element) {
    SmallVector<int64_t> shape(op.getType().getShape()), padding;
    shape[dim] = size;
    for (const Window &window : windows)
      padding.append({window.low, window.high});
    auto paddingType = RankedTensorType::get({rank - 2, 2}, t.b.getI64Type());
    parts.push_back(ConvolutionOp::create(
        t.b, t.loc, RankedTensorType::get(shape, element), image, kernel, op.getWindowStridesAttr(),
        DenseIntElementsAttr::get(paddingType, padding), op.getLhsDilationAttr(),
        op.getRhsDilationAttr(), op.getWindowReversalAttr(), op.getDimensionNumbersAttr(), groups,
        /*batch_group_count=*/1, op.getPrecisionConfigAttr()));
    if (std::optional<DepthBlocks> blocks = DepthBlocks::of(op))
      blocks->mark(parts.back());
    return parts.back();
  }
  /// One convolution of a sum of several, whose products are added in the type of the machine's
  /// sums.
  Value createAddend(Value image, Value kernel) {
    Type element = op.getType().getElementType();
    if (element.getIntOrFloatBitWidth() < 32)
      element = isa<FloatType>(element) ? Type(t.b.getF32Type()) : Type(t.b.getI32Type());
    return create(image, kernel, results, op.getType().getDimSize(results), 1, element);
  }
  Value sumOf(ArrayRef<Value> addends) {
    Value sum = addends.front();
    for (Value addend : addends.drop_front())
      sum = t.apply<AddOp>(sum, addend);
    return t.convert(sum, op.getType().getElementType());
  }
  /// The image without what negative padding along dimension `dim` leaves out, which then is not
  /// negative; null if nothing is left.
  Value withoutUnseen(int64_t dim) {
    Window &window = windows[dim];
    int64_t place = dim + 1, extent = shapeOf(op.getLhs())[place];
    auto leaveOut = [&](int64_t &padding) {
      int64_t elements = llvm::divideCeil(std::max<int64_t>(0, -padding), window.lhsDilation);
      padding += elements * window.lhsDilation;
      return elements;
    };
    int64_t before = leaveOut(window.low), after = leaveOut(window.high);
    if (before + after >= extent)
      return nullptr;
    return t.slice(op.getLhs(), place, before, extent - before - after);
  }

  ConvolutionOp op;
  Planner &planner;
  Tensors t;
  SmallVector<Window> windows;
  int64_t groups, rank;
  bool isFilter;
  int64_t inputs, outputs; // dimensions of the kernel
  int64_t features;        // of the image
  int64_t results;         // features of the result
};

/// The gradients of the first `images` of the batch and those of the others, which are added. The
/// others are windows of HBM: they are few of an array that need not be loaded for them.
Value Splitter::splitBatch(int64_t images) {
  auto others = [&](Value value) -> Value {
    SmallVector<int64_t> sizes(shapeOf(value));
    sizes.front() -= images;
    SmallVector<Value> starts(sizes.size(), t.number(t.b.getI32Type(), 0));
    starts.front() = t.number(t.b.getI32Type(), images);
    return DynamicSliceOp::create(t.b, t.loc, typeOf(value).clone(sizes), value, starts, sizes);
  };
  Value image = op.getLhs(), kernel = op.getRhs();
  Value sum = createAddend(t.slice(image, 0, 0, images), t.slice(kernel, 0, 0, images));
  return sumOf({sum, createAddend(others(image), others(kernel))});
}

/// The gradients of the first `count` positions along dimension `dim` of the image and those of the
/// others, which are added. Neither has what it does not see.
Value Splitter::splitPositions(int64_t dim, int64_t count) {
  const Window window = windows[dim - 1];
  int64_t extent = shapeOf(op.getLhs())[dim], places = shapeOf(op)[dim - 1];
  SmallVector<Value> addends;
  for (auto [first, size] : {std::pair(int64_t(0), count), {count, window.size - count}}) {
    Window &own = windows[dim - 1];
    own.size = size;
    own.low = window.low - first * window.rhsDilation;
    own.high = (places - 1) * window.stride + own.extent() - own.low - extent;
    if (Value image = withoutUnseen(dim - 1))
      addends.push_back(createAddend(image, t.slice(op.getRhs(), dim, first, size)));
  }
  return addends.empty() ? t.number(op.getType().getElementType(), 0, shapeOf(op)) : sumOf(addends);
}

/// As few parts as fit, of equally many groups each; their results stand side by side.
Value Splitter::splitGroups(int64_t count) {
  count = std::min(count, groups);
  while (groups % count != 0)
    ++count;
  int64_t seen = shapeOf(op.getLhs())[features] / count;
  int64_t made = shapeOf(op)[results] / count;
  SmallVector<Value> values;
  for (int64_t part = 0; part < count; ++part) {
    Value image = t.slice(op.getLhs(), features, part * seen, seen);
    Value kernel = t.slice(op.getRhs(), outputs, part * made, made);
    values.push_back(
        create(image, kernel, results, made, groups / count, op.getType().getElementType()));
  }
  return t.concatenate(values, results);
}

/// The image's features in whole rows of lanes.
Value Splitter::splitFeatures(int64_t count) {
  int64_t all = shapeOf(op.getLhs())[features];
  int64_t blocks = llvm::divideCeil(all, kLanes);
  int64_t size = llvm::divideCeil(blocks, std::min(count, blocks)) * kLanes;
  SmallVector<Value> addends;
  for (int64_t first = 0; first < all; first += size) {
    int64_t own = std::min(size, all - first);
    Value image = t.slice(op.getLhs(), features, first, own);
    Value kernel = t.slice(op.getRhs(), inputs, first, own);
    addends.push_back(createAddend(image, kernel));
  }
  return sumOf(addends);
}

/// The elements of the window along dimension `dim`. Those of the image that a part does not see
/// are left out, instead of negative padding.
Value Splitter::splitTaps(int64_t dim, int64_t count) {
  const Window window = windows[dim];
  SmallVector<Value> addends;
  for (int64_t part = 0; part < count; ++part) {
    int64_t first = window.size * part / count, end = window.size * (part + 1) / count;
    Window &own = windows[dim];
    own.low = window.low - first * window.rhsDilation;
    own.high = window.high - (window.size - end) * window.rhsDilation;
    Value image = withoutUnseen(dim);
    if (!image)
      continue;
    int64_t start = window.reversed ? window.size - end : first;
    Value kernel = t.slice(op.getRhs(), dim, start, end - first);
    addends.push_back(createAddend(image, kernel));
  }
  return addends.empty() ? t.number(op.getType().getElementType(), 0, shapeOf(op)) : sumOf(addends);
}

/// The elements of a filter along dimension `dim`, each of which sees the image at places of its
/// own.
Value Splitter::splitPlaces(int64_t dim, int64_t count) {
  const Window window = windows[dim];
  int64_t size = shapeOf(op)[dim], extent = shapeOf(op.getLhs())[dim + 1];
  SmallVector<Value> values;
  for (int64_t part = 0; part < count; ++part) {
    int64_t first = size * part / count, end = size * (part + 1) / count;
    Window &own = windows[dim];
    own.low = window.low - first * window.stride;
    own.high = (end - 1) * window.stride + window.extent() - window.low - extent;
    Type element = op.getType().getElementType();
    SmallVector<int64_t> shape(shapeOf(op));
    shape[dim] = end - first;
    Value image = withoutUnseen(dim);
    values.push_back(image ? create(image, op.getRhs(), dim, end - first, 1, element)
                           : t.number(element, 0, shape));
  }
  return t.concatenate(values, dim);
}

struct SplitConvolutions : PlanningPass<impl::SplitConvolutionsBase<SplitConvolutions>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    SmallVector<ConvolutionOp> worklist;
    getOperation().walk([&](ConvolutionOp op) {
      std::optional<ConvolutionForm> form = formOf(op);
      if (form == ConvolutionForm::Positions || form == ConvolutionForm::Filter)
        worklist.push_back(op);
    });
    while (!worklist.empty()) {
      ConvolutionOp op = worklist.pop_back_val();
      Splitter splitter(op, planner());
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

std::unique_ptr<Pass> createSplitConvolutions(std::shared_ptr<Planner> planner) {
  return std::make_unique<SplitConvolutions>(std::move(planner));
}

} // namespace systole
