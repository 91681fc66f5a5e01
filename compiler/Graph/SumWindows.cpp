// Lets elements of windows be features of results that have few.
// See docs/decisions/convolutions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SUMWINDOWS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

using Window = ConvolutionOp::Window;

/// Elements of a window that become features, at most: each is an operation.
constexpr int64_t kMostSlices = 32;

/// Elements of the window along one dimension that become features, and where their products
/// belong: position p of the result has the sum over taps t of what element (p + t * dilation -
/// low) / spread of the image gave for t, if there is one.
struct SummedDim {
  int64_t taps, dilation, low, spread, positions, elements;
  int64_t place; ///< of this dimension in the products

  /// Positions that are `spread` apart see the image with the same taps, at neighbouring elements.
  int64_t perPhase() const { return llvm::divideCeil(positions, spread); }
  /// The element that the first position of `phase` sees with `tap`.
  std::optional<int64_t> elementOf(int64_t phase, int64_t tap) const {
    int64_t place = phase + tap * dilation - low;
    return place % spread == 0 ? std::optional(place / spread) : std::nullopt;
  }
  /// Whether each element of the image gives the positions of one period, in the taps' order or, if
  /// `descending`, against it: an image of patches.
  bool isPatch(bool descending) const {
    return spread > 1 && taps == spread && positions == elements * spread &&
           llvm::all_of(llvm::seq<int64_t>(0, spread), [&](int64_t phase) {
             return elementOf(phase, descending ? taps - 1 - phase : phase) == 0;
           });
  }
};

/// The dimension that lies along the lanes if `value` lies as its shape decides.
int64_t laneOf(Value value) { return entryOrder(shapeOf(value)).front(); }

/// A convolution with few features in its result, [n, spatial.., features].
class Summer {
public:
  explicit Summer(ConvolutionOp op)
      : op(op), t(op), numbers(op.getDimensionNumbers()), windows(op.getWindow()) {}

  void run();

private:
  bool isCandidate();
  /// Whether elements of the window along dimension `d` can be features: positions are not
  /// interleaved along the lanes.
  bool canSum(size_t d);
  /// Slices that overlap in one sum.
  int64_t slices() {
    int64_t count = 1;
    for (auto [d, window] : llvm::enumerate(windows))
      if (isSummed[d] && window.lhsDilation == 1)
        count *= window.size;
    return count;
  }
  SummedDim describe(size_t d);
  void choose();
  double cycles();
  /// Of a row of the products with `blocks` of 128 features.
  double productCycles(int64_t blocks);

  int64_t positions(size_t d) {
    return op.getType().getDimSize(numbers.getOutputSpatialDimensions()[d]);
  }
  int64_t elements(size_t d) {
    int64_t size = op.getLhs().getType().getDimSize(numbers.getInputSpatialDimensions()[d]);
    // An image that is not dilated has its padding: zeros meet the filter there.
    return windows[d].lhsDilation == 1 ? size + windows[d].low + windows[d].high : size;
  }
  Value kernel();
  Value products();
  /// Of `value`, which has taps of these dimensions before the rest of its features, their sums: of
  /// slices that overlap, and of an image that is dilated, for each phase of the positions.
  Value overlappingSums(Value value, ArrayRef<SummedDim> dims);
  Value spreadSums(Value value, const SummedDim &dim);
  /// Features of one combination of taps, `number`, and of these what is `shape` from `starts` on.
  /// Across the lanes they are a slice of their own first, which the kernel of the products takes.
  Value part(Value value, int64_t number, ArrayRef<int64_t> starts, ArrayRef<int64_t> shape);
  /// The dimension `place` of the result in [n, spatial.., features].
  int64_t dimOf(int64_t place);

  ConvolutionOp op;
  Tensors t;
  ConvDimensionNumbersAttr numbers;
  SmallVector<Window> windows;
  SmallVector<bool> isSummed;
  int64_t outputs = 0;
  int64_t featureDim = 0; ///< of the products, as the result lies
};

void Summer::run() {
  if (!isCandidate())
    return;
  choose();
  if (!llvm::is_contained(isSummed, true))
    return;
  // From here on as the result lies: rows, features, what lies along the lanes.
  int64_t rank = op.getType().getRank(), lane = dimOf(laneOf(op.getResult()));
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != lane)
      order.push_back(dim);
  order.push_back(lane);
  featureDim = llvm::find(order, rank - 1) - order.begin();
  Value value = t.transpose(products(), order);
  SmallVector<SummedDim> overlapping;
  for (size_t d = 0; d < windows.size(); ++d) {
    if (!isSummed[d])
      continue;
    SummedDim dim = describe(d);
    dim.place = llvm::find(order, d + 1) - order.begin();
    if (dim.spread == 1) {
      overlapping.push_back(dim);
    } else {
      value = overlappingSums(value, std::exchange(overlapping, {}));
      value = spreadSums(value, dim);
    }
  }
  value = overlappingSums(value, overlapping);
  value = t.convert(value, op.getType().getElementType());
  SmallVector<int64_t> back;
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(order, dimOf(dim)) - order.begin());
  op.replaceAllUsesWith(t.transpose(value, back));
  op.erase();
}

int64_t Summer::dimOf(int64_t place) {
  if (place == static_cast<int64_t>(numbers.getOutputBatchDimension()))
    return 0;
  ArrayRef<int64_t> spatial = numbers.getOutputSpatialDimensions();
  return llvm::find(spatial, place) - spatial.begin() + 1;
}

bool Summer::isCandidate() {
  auto isEmpty = [](Value value) { return typeOf(value).getNumElements() == 0; };
  if (op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1 || windows.empty() ||
      isEmpty(op.getLhs()) || isEmpty(op.getRhs()) || isEmpty(op.getResult()))
    return false;
  // The gradient of a filter has a window larger than its result.
  double ofWindow = 1, ofResult = 1;
  for (auto [d, window] : llvm::enumerate(windows)) {
    ofWindow *= window.extent();
    ofResult *= positions(d);
  }
  outputs = op.getRhs().getType().getDimSize(numbers.getKernelOutputFeatureDimension());
  return ofWindow <= ofResult && 2 * outputs <= kLanes;
}

bool Summer::canSum(size_t d) {
  const Window &window = windows[d];
  return window.size > 1 && window.size <= kMostSlices && window.stride == 1 &&
         (window.lhsDilation == 1 ||
          laneOf(op.getResult()) != numbers.getOutputSpatialDimensions()[d]);
}

SummedDim Summer::describe(size_t d) {
  const Window &window = windows[d];
  int64_t low = window.lhsDilation == 1 ? 0 : window.low;
  return {window.size, window.rhsDilation, low, window.lhsDilation, positions(d), elements(d), 0};
}

void Summer::choose() {
  isSummed.assign(windows.size(), false);
  SmallVector<bool> best = isSummed;
  double least = cycles();
  auto visit = [&](auto &visit, size_t d) -> void {
    if (d < windows.size()) {
      visit(visit, d + 1);
      isSummed[d] = canSum(d);
      if (isSummed[d] && slices() <= kMostSlices)
        visit(visit, d + 1);
      isSummed[d] = false;
    } else if (double now = cycles(); now < least) {
      least = now;
      best = isSummed;
    }
  };
  visit(visit, 0);
  isSummed = best;
}

double Summer::productCycles(int64_t blocks) {
  // There are two arrays.
  constexpr double arrays = 2;
  int64_t depth = op.getRhs().getType().getDimSize(numbers.getKernelInputFeatureDimension());
  bool isDilated =
      llvm::any_of(windows, [](const Window &window) { return window.lhsDilation != 1; });
  double products = llvm::divideCeil(depth, kLanes), moved = 0;
  int64_t room = isDilated ? 1 : std::max<int64_t>(1, kLanes / depth);
  for (size_t d = windows.size(); d-- > 0;) {
    if (isSummed[d])
      continue;
    // Kernels lay few features of neighbours side by side (compiler/Planning/LaneFold.h).
    const Window &window = windows[d];
    int64_t folded = std::min(room, window.size);
    room = folded == window.size ? room / folded : 1;
    moved += folded > 1 ? double(folded) : 0;
    // Positions of an image that is dilated see some taps only.
    double taps = double(window.size) / (window.stride == 1 ? window.lhsDilation : 1);
    products *= folded > 1 ? double(llvm::divideCeil(window.size, folded)) : taps;
  }
  return products * double(blocks) / arrays + moved / kMovedRowsPerCycle;
}

double Summer::cycles() {
  // HBM moves a row in about a cycle, and a relayout writes and reads one. Two rows are moved along
  // the lanes and added in a cycle.
  constexpr double addedRowsPerCycle = 2;
  double images = op.getType().getDimSize(numbers.getOutputBatchDimension());
  double rows = images, results = images, slices = 1;
  int64_t lanes = outputs;
  for (auto [d, window] : llvm::enumerate(windows)) {
    rows *= double(isSummed[d] ? elements(d) : positions(d));
    results *= double(positions(d));
    if (isSummed[d]) {
      lanes *= window.size;
      slices *= double(window.size) / window.lhsDilation;
    }
  }
  int64_t blocks = llvm::divideCeil(lanes, kLanes);
  bool isSum = lanes != outputs;
  double products = rows * productCycles(blocks);
  if (laneOf(op.getResult()) == static_cast<int64_t>(numbers.getOutputFeatureDimension()))
    return products + (isSum ? results * slices / addedRowsPerCycle : 0);
  double compact = isSum ? 2 * rows * double(lanes) / kLanes : 0;
  return products + 2 * rows * double(blocks) + compact;
}

/// [spatial.., i, taps of summed dimensions.. x o], where these are 1.
Value Summer::kernel() {
  ArrayRef<int64_t> spatial = numbers.getKernelSpatialDimensions();
  Value kernel = op.getRhs();
  SmallVector<int64_t> reversed, places, shape;
  for (auto [d, window] : llvm::enumerate(windows))
    if (isSummed[d] && window.reversed != describe(d).isPatch(/*descending=*/true))
      reversed.push_back(spatial[d]);
  llvm::sort(reversed);
  if (!reversed.empty())
    kernel = ReverseOp::create(t.b, t.loc, kernel.getType(), kernel, reversed);
  int64_t lanes = outputs, input = numbers.getKernelInputFeatureDimension();
  for (auto [d, window] : llvm::enumerate(windows)) {
    shape.push_back(isSummed[d] ? 1 : window.size);
    if (isSummed[d])
      lanes *= window.size;
    else
      places.push_back(spatial[d]);
  }
  places.push_back(input);
  for (size_t d = 0; d < windows.size(); ++d)
    if (isSummed[d])
      places.push_back(spatial[d]);
  places.push_back(numbers.getKernelOutputFeatureDimension());
  shape.append({shapeOf(kernel)[input], lanes});
  return t.reshape(t.transpose(kernel, places), shape);
}

/// What each element of the image gives for each of those taps, unrounded.
Value Summer::products() {
  int64_t rank = windows.size();
  SmallVector<int64_t> strides, padding, lhsDilations, rhsDilations, shape;
  SmallVector<bool> reversed;
  shape.push_back(op.getType().getDimSize(numbers.getOutputBatchDimension()));
  for (auto [d, window] : llvm::enumerate(windows)) {
    Window left = window;
    if (isSummed[d])
      left = window.lhsDilation == 1 ? Window{1, 1, window.low, window.high} : Window{1};
    strides.push_back(left.stride);
    padding.append({left.low, left.high});
    lhsDilations.push_back(left.lhsDilation);
    rhsDilations.push_back(left.rhsDilation);
    reversed.push_back(left.reversed);
    shape.push_back(isSummed[d] ? elements(d) : positions(d));
  }
  SmallVector<int64_t> places = {static_cast<int64_t>(numbers.getInputBatchDimension())};
  llvm::append_range(places, numbers.getInputSpatialDimensions());
  places.push_back(numbers.getInputFeatureDimension());
  Value image = t.transpose(op.getLhs(), places), kernel = this->kernel();
  shape.push_back(shapeOf(kernel).back());
  Type element = op.getType().getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = isa<FloatType>(element) ? Type(t.b.getF32Type()) : Type(t.b.getI32Type());
  auto inner = llvm::to_vector(llvm::seq<int64_t>(1, rank + 1));
  auto outer = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto form = ConvDimensionNumbersAttr::get(t.b.getContext(), 0, rank + 1, inner, rank, rank + 1,
                                            outer, 0, rank + 1, inner);
  auto paddingType = RankedTensorType::get({rank, 2}, t.b.getI64Type());
  return ConvolutionOp::create(
      t.b, t.loc, RankedTensorType::get(shape, element), image, kernel,
      t.b.getDenseI64ArrayAttr(strides), DenseIntElementsAttr::get(paddingType, padding),
      t.b.getDenseI64ArrayAttr(lhsDilations), t.b.getDenseI64ArrayAttr(rhsDilations),
      t.b.getDenseBoolArrayAttr(reversed), form, 1, 1, op.getPrecisionConfigAttr());
}

Value Summer::part(Value value, int64_t number, ArrayRef<int64_t> starts, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> first(starts), limits, strides(shape.size(), 1);
  int64_t count = shape[featureDim];
  // Along the lanes features move anyway, and positions with them.
  if (featureDim + 1 == static_cast<int64_t>(shape.size()))
    first[featureDim] = number * count;
  else
    value = t.slice(value, featureDim, number * count, count);
  for (auto [start, size] : llvm::zip_equal(first, shape))
    limits.push_back(start + size);
  return t.slice(value, first, limits, strides);
}

Value Summer::overlappingSums(Value value, ArrayRef<SummedDim> dims) {
  if (dims.empty())
    return value;
  int64_t rank = typeOf(value).getRank(), combinations = 1;
  SmallVector<int64_t> shape(shapeOf(value)), starts(rank);
  for (const SummedDim &dim : dims) {
    combinations *= dim.taps;
    shape[dim.place] = dim.positions;
  }
  shape[featureDim] /= combinations;
  Value sum;
  for (int64_t number = 0; number < combinations; ++number) {
    int64_t left = number;
    for (const SummedDim &dim : llvm::reverse(dims)) {
      starts[dim.place] = left % dim.taps * dim.dilation;
      left /= dim.taps;
    }
    Value next = part(value, number, starts, shape);
    sum = sum ? t.apply<AddOp>(sum, next) : next;
  }
  return sum;
}

Value Summer::spreadSums(Value value, const SummedDim &dim) {
  int64_t rank = typeOf(value).getRank(), features = featureDim;
  int64_t place = dim.place, count = dim.perPhase();
  int64_t rest = shapeOf(value)[features] / dim.taps;
  SmallVector<int64_t> merged(shapeOf(value));
  merged[features] = rest;
  merged[place] = count * dim.spread;
  if (dim.isPatch(/*descending=*/false) || dim.isPatch(/*descending=*/true)) {
    SmallVector<int64_t> split(shapeOf(value)), moved;
    split[features] = dim.taps;
    split.insert(split.begin() + features + 1, rest);
    for (int64_t from = 0; from <= rank; ++from)
      if (from != features)
        moved.push_back(from);
    moved.insert(moved.begin() + place + 1, features);
    return t.reshape(t.transpose(t.reshape(value, split), moved), merged);
  }
  // Zeros where elements are missing.
  int64_t before = 0, behind = 0;
  for (int64_t phase = 0; phase < dim.spread; ++phase)
    for (int64_t tap = 0; tap < dim.taps; ++tap)
      if (std::optional<int64_t> element = dim.elementOf(phase, tap)) {
        before = std::max(before, -*element);
        behind = std::max(behind, *element + count - dim.elements);
      }
  SmallVector<int64_t> low(rank), high(rank), none(rank);
  low[place] = before;
  high[place] = behind;
  Type element = typeOf(value).getElementType();
  value = t.pad(value, t.number(element, 0), low, high, none);
  SmallVector<Value> phases;
  SmallVector<int64_t> starts(rank), shape(merged);
  shape[place] = count;
  for (int64_t phase = 0; phase < dim.spread; ++phase) {
    Value sum;
    for (int64_t tap = 0; tap < dim.taps; ++tap)
      if (std::optional<int64_t> first = dim.elementOf(phase, tap)) {
        starts[place] = *first + before;
        Value next = part(value, tap, starts, shape);
        sum = sum ? t.apply<AddOp>(sum, next) : next;
      }
    phases.push_back(sum ? sum : t.number(element, 0, shape));
  }
  Value all = t.reshape(t.stack(phases, place + 1), merged);
  return t.slice(all, place, 0, dim.positions);
}

struct SumWindows : impl::SumWindowsBase<SumWindows> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { Summer(op).run(); });
  }
};

} // namespace
} // namespace systole
