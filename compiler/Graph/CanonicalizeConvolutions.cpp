// Brings convolutions into the forms that the matrix unit takes.
// See docs/decisions/convolutions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_CANONICALIZECONVOLUTIONS
#include "compiler/Graph/Passes.h.inc"

using namespace stablehlo;

namespace {

/// `values` permuted: entry i is that of place order[i].
SmallVector<int64_t> pick(ArrayRef<int64_t> values, ArrayRef<int64_t> order) {
  return llvm::map_to_vector(order, [&](int64_t place) { return values[place]; });
}

SmallVector<int64_t> sorted(SmallVector<int64_t> dims) {
  llvm::sort(dims);
  return dims;
}

/// One of the three arrays: a value and where its dimensions are.
struct Array {
  Value value;
  int64_t first, second; // batch and feature, or input and output feature
  SmallVector<int64_t> spatial;

  int64_t size(int64_t dim) const { return typeOf(value).getDimSize(dim); }
  /// `before`, all spatial dimensions, `after`.
  SmallVector<int64_t> around(ArrayRef<int64_t> before, ArrayRef<int64_t> after) const {
    SmallVector<int64_t> order(before);
    llvm::append_range(order, spatial);
    llvm::append_range(order, after);
    return order;
  }
};

/// Whether the image is dilated, and the kernel may be the image instead.
bool canExchange(ArrayRef<ConvolutionOp::Window> window) {
  using Window = ConvolutionOp::Window;
  return llvm::any_of(window, [](const Window &w) { return w.lhsDilation != 1; }) &&
         llvm::all_of(window, [](const Window &w) {
           return w.stride == 1 && w.rhsDilation == 1 && !w.reversed;
         });
}

// Element i of the result is the sum of image[p] * kernel[D p + low - i] over the positions p of
// the image, which is dilated by D: from its end, the result of a convolution of the kernel with
// the image as a dilated window. So zeros of the dilation take no part.
void exchange(MutableArrayRef<ConvolutionOp::Window> window, Array &lhs, Array &rhs,
              const Array &result) {
  for (auto [w, place, dim] : llvm::zip_equal(window, result.spatial, lhs.spatial)) {
    int64_t size = result.size(place), positions = lhs.size(dim);
    int64_t low = size - 1 - w.low;
    w.rhsDilation = std::exchange(w.lhsDilation, 1);
    w.high = size - w.size - low + w.rhsDilation * (positions - 1);
    w.low = low;
    w.size = positions;
  }
  std::swap(lhs, rhs);
  for (Array *array : {&lhs, &rhs})
    std::swap(array->first, array->second);
}

class Canonicalizer {
public:
  explicit Canonicalizer(ConvolutionOp op)
      : op(op), b(op), loc(op.getLoc()), window(op.getWindow()) {
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    lhs = {op.getLhs(), numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
           SmallVector<int64_t>(numbers.getInputSpatialDimensions())};
    rhs = {op.getRhs(), numbers.getKernelInputFeatureDimension(),
           numbers.getKernelOutputFeatureDimension(),
           SmallVector<int64_t>(numbers.getKernelSpatialDimensions())};
    groups = op.getFeatureGroupCount();
  }

  void run() {
    std::optional<ConvolutionForm> form = formOf(op);
    bool isGradient = form == ConvolutionForm::Filter || form == ConvolutionForm::ChannelFilter;
    if (form && !isTrivial() && !isProduct() && !reversedKernel() &&
        isChannels() == (form == ConvolutionForm::Channels) &&
        (!isGradient || sumType() == op.getType().getElementType()))
      return;
    Value result = isTrivial() ? zeros() : convert();
    if (isExchanged)
      result = ReverseOp::create(b, loc, result.getType(), result, sorted(resultDims().spatial));
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  /// Nothing to compute, or nothing to sum.
  bool isTrivial() {
    return llvm::is_contained(op.getType().getShape(), 0) ||
           llvm::is_contained(typeOf(rhs.value).getShape(), 0) ||
           llvm::is_contained(typeOf(lhs.value).getShape(), 0);
  }
  Value constantZero(Type element, ArrayRef<int64_t> shape = {}) {
    auto type = RankedTensorType::get(shape, element);
    auto zero = cast<TypedAttr>(b.getZeroAttr(element));
    return ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(zero)));
  }
  Value zeros() { return constantZero(op.getType().getElementType(), op.getType().getShape()); }

  Value convert() {
    bool hasPositions = formOf(op) == ConvolutionForm::Positions && !isChannels();
    takeReversal();
    if (isChannelFilter()) {
      applyPadding(/*keepsPhases=*/false);
      applyReversal();
      return asChannelFilter();
    }
    if (op.getBatchGroupCount() > 1)
      turnBatchGroups();
    if (isProduct())
      return asProduct();
    if (!hasPositions && isFilter()) {
      if (groups == 1 && op.getBatchGroupCount() == 1 && canExchange(window)) {
        exchange(window, lhs, rhs, resultDims());
        isExchanged = true;
      }
      applyPadding(/*keepsPhases=*/false);
      applyReversal();
      return asFilter();
    }
    applyPadding(/*keepsPhases=*/true);
    return asPositions();
  }

  /// The reversal along dimensions of the window of which the kernel is the result, if it is.
  ReverseOp reversedKernel() {
    auto reverse = rhs.value.getDefiningOp<ReverseOp>();
    bool isOfWindow = reverse && llvm::all_of(reverse.getDimensions(), [&](int64_t dim) {
                        return llvm::is_contained(rhs.spatial, dim);
                      });
    return isOfWindow ? reverse : ReverseOp();
  }
  void takeReversal();
  void applyPadding(bool keepsPhases);
  void applyReversal();
  void turnBatchGroups();
  bool isProduct();
  Value asProduct();
  bool isFilter();
  Type sumType();
  Value asFilter();
  /// Each feature has a group, of the features or of the batch, by itself.
  bool isChannels();
  bool isChannelFilter();
  Value asChannelFilter();
  Value asPositions();

  Value transpose(Value value, ArrayRef<int64_t> order) {
    if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
      return value;
    auto type = typeOf(value);
    return TransposeOp::create(b, loc, type.clone(pick(type.getShape(), order)), value, order);
  }
  /// `value`, whose dimension i is the result's dimension places[i], as the result.
  Value toResult(Value value, ArrayRef<int64_t> places) {
    SmallVector<int64_t> order(places.size());
    for (auto [i, place] : llvm::enumerate(places))
      order[place] = i;
    return transpose(value, order);
  }
  Array resultDims() {
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    Array result = {op.getResult(), numbers.getOutputBatchDimension(),
                    numbers.getOutputFeatureDimension(),
                    SmallVector<int64_t>(numbers.getOutputSpatialDimensions())};
    if (isExchanged)
      std::swap(result.first, result.second);
    return result;
  }
  Value create(Value image, Value kernel, Type element, ConvolutionForm form, bool transposed);

  ConvolutionOp op;
  OpBuilder b;
  Location loc;
  SmallVector<ConvolutionOp::Window> window;
  Array lhs, rhs;
  int64_t groups;
  bool isExchanged = false; ///< the result is read from its end along spatial dimensions
};

/// Negative padding and dilation of the image become a `pad`, but dilation whose positions fall
/// into phases if it `keepsPhases`; else the window pads.
void Canonicalizer::applyPadding(bool keepsPhases) {
  RankedTensorType type = typeOf(lhs.value);
  int64_t rank = type.getRank();
  SmallVector<int64_t> low(rank), high(rank), interior(rank), shape(type.getShape());
  bool isNeeded = false;
  for (auto [dim, w] : llvm::zip_equal(lhs.spatial, window)) {
    bool isDilated = w.lhsDilation != 1 && !(keepsPhases && hasPhases(w));
    if (!isDilated && w.low >= 0 && w.high >= 0)
      continue;
    isNeeded = true;
    low[dim] = std::exchange(w.low, 0);
    high[dim] = std::exchange(w.high, 0);
    interior[dim] = std::exchange(w.lhsDilation, 1) - 1;
    shape[dim] += low[dim] + high[dim] + (shape[dim] - 1) * interior[dim];
  }
  if (isNeeded)
    lhs.value = PadOp::create(b, loc, type.clone(shape), lhs.value,
                              constantZero(type.getElementType()), low, high, interior);
}

/// A kernel that is reversed is a window that is.
void Canonicalizer::takeReversal() {
  if (ReverseOp reverse = reversedKernel()) {
    for (auto [dim, w] : llvm::zip_equal(rhs.spatial, window))
      w.reversed ^= llvm::is_contained(reverse.getDimensions(), dim);
    rhs.value = reverse.getOperand();
  }
  for (ConvolutionOp::Window &w : window)
    w.reversed &= w.size > 1;
}

void Canonicalizer::applyReversal() {
  SmallVector<int64_t> dims;
  for (auto [dim, w] : llvm::zip_equal(rhs.spatial, window))
    if (std::exchange(w.reversed, false))
      dims.push_back(dim);
  llvm::sort(dims);
  if (!dims.empty())
    rhs.value = ReverseOp::create(b, loc, rhs.value.getType(), rhs.value, dims);
}

/// Groups of the batch are groups of features: group g of the batch with the features
/// f is the features of group g.
void Canonicalizer::turnBatchGroups() {
  groups = op.getBatchGroupCount();
  RankedTensorType type = typeOf(lhs.value);
  SmallVector<int64_t> split(type.getShape());
  split[lhs.first] /= groups;
  split.insert(split.begin() + lhs.first, groups);
  Value grouped = ReshapeOp::create(b, loc, type.clone(split), lhs.value);
  auto moved = [&](int64_t dim) { return dim + (dim >= lhs.first); };
  SmallVector<int64_t> order = {moved(lhs.first)};
  for (int64_t dim : lhs.spatial)
    order.push_back(moved(dim));
  order.push_back(lhs.first);
  order.push_back(moved(lhs.second));
  Value transposed = transpose(grouped, order);
  SmallVector<int64_t> merged(typeOf(transposed).getShape());
  int64_t features = merged.pop_back_val();
  merged.back() *= features;
  int64_t spatial = lhs.spatial.size();
  lhs = {ReshapeOp::create(b, loc, type.clone(merged), transposed), 0, spatial + 1,
         llvm::to_vector(llvm::seq<int64_t>(1, 1 + spatial))};
}

/// A product of matrices: there are no positions; or a window of one element sees features so many
/// that their weights do not fit into VMEM for one block of outputs, or so few on both sides that
/// positions along the lanes take a quarter of the rows (dialects/Layout/EntryLayout.h).
bool Canonicalizer::isProduct() {
  constexpr int64_t deep = 4096;
  int64_t features = lhs.size(lhs.second), outputs = rhs.size(rhs.second);
  bool isSparse = kLayoutGain * (features + outputs) <= 2 * kLanes &&
                  llvm::all_of(window, [](const Window &w) { return w.stride == 1; });
  return groups == 1 && (window.empty() || features > deep || isSparse) &&
         llvm::all_of(window, [](const Window &w) {
           return w.size == 1 && w.low == 0 && w.high == 0 && w.lhsDilation == 1;
         });
}

Value Canonicalizer::asProduct() {
  RankedTensorType type = typeOf(lhs.value);
  SmallVector<int64_t> starts(type.getRank()), limits(type.getShape()), strides(type.getRank(), 1);
  SmallVector<int64_t> shape(type.getShape());
  Array result = resultDims();
  for (auto [dim, place, w] : llvm::zip_equal(lhs.spatial, result.spatial, window)) {
    strides[dim] = w.stride;
    shape[dim] = result.size(place);
    limits[dim] = (shape[dim] - 1) * w.stride + 1;
  }
  Value image = lhs.value;
  if (shape != type.getShape())
    image = SliceOp::create(b, loc, type.clone(shape), image, starts, limits, strides);
  RankedTensorType kernelType = typeOf(rhs.value);
  SmallVector<int64_t> matrix = {rhs.size(rhs.first), rhs.size(rhs.second)};
  bool transposed = rhs.first > rhs.second;
  if (transposed)
    std::swap(matrix[0], matrix[1]);
  Value kernel = rhs.value;
  if (kernelType.getRank() != 2)
    kernel = ReshapeOp::create(b, loc, kernelType.clone(matrix), kernel);
  auto numbers =
      DotDimensionNumbersAttr::get(b.getContext(), {}, {}, {lhs.second}, {int64_t(transposed)});
  // The image's dimensions but the features, then the result's features.
  SmallVector<int64_t> places, sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != lhs.second) {
      int64_t number = llvm::find(lhs.spatial, dim) - lhs.spatial.begin();
      places.push_back(dim == lhs.first ? result.first : result.spatial[number]);
      sizes.push_back(shape[dim]);
    }
  places.push_back(result.second);
  sizes.push_back(rhs.size(rhs.second));
  Value dot = DotGeneralOp::create(b, loc, op.getType().clone(sizes), image, kernel, numbers,
                                   op.getPrecisionConfigAttr(), DotAlgorithmAttr());
  return toResult(dot, places);
}

/// Which form takes fewer cycles of the arrays, relayouts of the image included.
bool Canonicalizer::isFilter() {
  constexpr int64_t relayoutPerRow = 2;
  // A window stays whole in VMEM, while gradients are summed in chunks.
  constexpr int64_t largeWindow = 4 << 20, largestFilter = 3 << 20;
  auto blocks = [](int64_t size) { return llvm::divideCeil(size, kLanes); };
  int64_t batch = lhs.size(lhs.first), features = lhs.size(lhs.second) / groups;
  if (isChannels())
    return false;
  int64_t outputs = rhs.size(rhs.second) / groups, positions = 1, taps = tapsOf(window);
  Array result = resultDims();
  for (int64_t dim : result.spatial)
    positions *= result.size(dim);
  if (taps * llvm::alignTo(features, 8) * kRowBytes > largeWindow && taps > positions)
    return true;
  // So does all of a filter but for the features of either side that are cut.
  if (positions * std::min(outputs, kLanes) * kRowBytes > largestFilter)
    return false;
  auto relayout = [&](int64_t last) {
    bool isLast = last + 1 == typeOf(lhs.value).getRank();
    return isLast ? 0 : relayoutPerRow * typeOf(lhs.value).getNumElements() / kLanes;
  };
  int64_t asPositions = groups * taps * blocks(features) * blocks(outputs) *
                            std::max(kLatchCycles, positions * batch) +
                        relayout(lhs.second);
  int64_t asFilter = groups * positions * blocks(features * taps) * blocks(batch) *
                         std::max(kLatchCycles, outputs) +
                     relayout(lhs.first);
  return asFilter < asPositions;
}

Value Canonicalizer::create(Value image, Value kernel, Type element, ConvolutionForm form,
                            bool transposed) {
  int64_t spatial = window.size();
  auto member = [&](auto pointer) {
    return b.getDenseI64ArrayAttr(llvm::map_to_vector(
        window, [&](const ConvolutionOp::Window &w) { return int64_t(w.*pointer); }));
  };
  SmallVector<int64_t> padding;
  for (const ConvolutionOp::Window &w : window)
    padding.append({w.low, w.high});
  DenseBoolArrayAttr reversal;
  if (llvm::any_of(window, [](const ConvolutionOp::Window &w) { return w.reversed; }))
    reversal = b.getDenseBoolArrayAttr(
        llvm::map_to_vector(window, [](const ConvolutionOp::Window &w) { return w.reversed; }));
  DenseI64ArrayAttr lhsDilation;
  if (llvm::any_of(window, hasPhases))
    lhsDilation = member(&ConvolutionOp::Window::lhsDilation);
  auto paddingType = RankedTensorType::get({spatial, 2}, b.getI64Type());
  Array result = resultDims();
  SmallVector<int64_t> places = result.around({result.first}, {result.second});
  bool hasBatchGroups = form == ConvolutionForm::ChannelFilter;
  if (form == ConvolutionForm::Filter)
    places = result.around({}, {result.second, result.first});
  else if (hasBatchGroups)
    places = result.around({}, {result.first, result.second});
  Type type = RankedTensorType::get(pick(op.getType().getShape(), places), element);
  Value convolution = ConvolutionOp::create(
      b, loc, type, image, kernel, member(&ConvolutionOp::Window::stride),
      DenseIntElementsAttr::get(paddingType, padding), lhsDilation,
      member(&ConvolutionOp::Window::rhsDilation), reversal,
      numbersOf(b.getContext(), form, spatial, transposed), hasBatchGroups ? 1 : groups,
      hasBatchGroups ? op.getBatchGroupCount() : 1,
      isExchanged ? systole::exchanged(op.getPrecisionConfigAttr()) : op.getPrecisionConfigAttr());
  if (element != op.getType().getElementType())
    convolution = ConvertOp::create(
        b, loc,
        RankedTensorType::get(pick(op.getType().getShape(), places), op.getType().getElementType()),
        convolution);
  return toResult(convolution, places);
}

bool Canonicalizer::isChannels() {
  return groups > 1 && groups == lhs.size(lhs.second) && groups == rhs.size(rhs.second) &&
         tapsOf(window) <= kMostChannelTaps;
}

bool Canonicalizer::isChannelFilter() {
  int64_t own = op.getBatchGroupCount(), taps = 1;
  Array result = resultDims();
  for (int64_t dim : result.spatial)
    taps *= result.size(dim);
  return own > 1 && own == lhs.size(lhs.first) && own == rhs.size(rhs.second) &&
         taps <= kMostChannelTaps && !window.empty();
}

Value Canonicalizer::asChannelFilter() {
  return create(transpose(lhs.value, lhs.around({lhs.second}, {lhs.first})),
                transpose(rhs.value, rhs.around({rhs.first}, {rhs.second})), sumType(),
                ConvolutionForm::ChannelFilter, /*transposed=*/false);
}

Value Canonicalizer::asPositions() {
  bool transposed = rhs.first + 1 == typeOf(rhs.value).getRank() && !isChannels();
  SmallVector<int64_t> kernelOrder = transposed ? rhs.around({}, {rhs.second, rhs.first})
                                                : rhs.around({}, {rhs.first, rhs.second});
  return create(transpose(lhs.value, lhs.around({lhs.first}, {lhs.second})),
                transpose(rhs.value, kernelOrder), op.getType().getElementType(),
                isChannels() ? ConvolutionForm::Channels : ConvolutionForm::Positions, transposed);
}

Value Canonicalizer::asFilter() {
  return create(transpose(lhs.value, lhs.around({lhs.second}, {lhs.first})),
                transpose(rhs.value, rhs.around({rhs.first}, {rhs.second})), sumType(),
                ConvolutionForm::Filter, /*transposed=*/false);
}

/// Sums over positions are done in chunks: a narrower result is rounded once, at the end.
Type Canonicalizer::sumType() {
  Type element = op.getType().getElementType();
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  return isa<FloatType>(element) ? Type(b.getF32Type()) : Type(b.getI32Type());
}

struct CanonicalizeConvolutions : impl::CanonicalizeConvolutionsBase<CanonicalizeConvolutions> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { Canonicalizer(op).run(); });
  }
};

} // namespace
} // namespace systole
