// Lets elements of windows on images of few features be features themselves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/Convolutions.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FOLDWINDOWS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// Features of a position, at most: weights of so many fit into VMEM.
constexpr int64_t kMostFeatures = 4096;
/// Elements of a window that are slices, at most: each is an operation.
constexpr int64_t kMostSlices = 32;

/// One dimension of windows on an image: `positions` of them, `stride` apart, with `taps` elements,
/// `dilation` apart; and how many of these become features, which divides them: an element of the
/// image beyond a window would need a weight of zero, and zero times an infinity is none.
struct FoldedDim {
  int64_t low, positions, stride, taps, dilation;
  int64_t folded = 1;

  /// Elements of the window that are left.
  int64_t blocks() const { return taps / folded; }
  /// Whether positions are next to each other in the folded image.
  bool isDense() const { return blocks() == 1 || folded * dilation % stride == 0; }
  int64_t step() const { return folded > 1 && isDense() ? stride : 1; }
  int64_t newStride() const { return stride / step(); }
  int64_t newDilation() const { return blocks() == 1 ? 1 : folded * dilation / step(); }
  /// Elements of the folded image, and those of the image from the first to the last that they see.
  int64_t size() const {
    return (positions - 1) * newStride() + (blocks() - 1) * newDilation() + 1;
  }
  int64_t seen() const { return (size() - 1) * step() + (folded - 1) * dilation + 1; }
  /// Whether the folded elements are those of the image in their order, each once.
  bool isPatch() const { return folded > 1 && dilation == 1 && step() == folded; }
};

/// A convolution, or the gradient of the filter of one, and the image in it: [n, spatial..,
/// features].
class Folder {
public:
  explicit Folder(ConvolutionOp op) : op(op), t(op), numbers(op.getDimensionNumbers()) {}

  void run();

private:
  bool isCandidate();
  /// Sees the operation as the gradient of a filter, whose window is the result, if its own window
  /// is larger than the result; false if its image is not one of few features then.
  bool describe(int64_t lanes);
  /// The way to fold that takes the fewest cycles.
  void choose();
  /// Whether as many elements can become features as dimension `number` says.
  bool canFold(size_t number) const;
  /// Cycles for the image, a convolution of it and the gradient of its filter, so that both of
  /// a program make the same choice and share the folded image.
  double cycles() const;
  int64_t foldedTaps() const {
    int64_t product = 1;
    for (const FoldedDim &dim : dims)
      product *= dim.folded;
    return product;
  }

  Value foldedImage();
  SmallVector<int64_t> apart() const;
  Value convolve(Value image, Value kernel, ArrayRef<int64_t> shape, ConvDimensionNumbersAttr form);
  Value foldForward();
  Value foldGradient();
  /// Whether the images of a filter's gradient lie side by side along the lanes, where they are
  /// summed, and the elements of its window can be rows.
  bool sumsAlongLanes();
  Value sumAlongLanes();
  /// The result of a filter's gradient from [taps.., i, o].
  Value gradientOf(Value value);
  SmallVector<int64_t> spatial(int64_t first) const {
    return llvm::to_vector(llvm::seq<int64_t>(first, first + dims.size()));
  }

  ConvolutionOp op;
  Tensors t;
  ConvDimensionNumbersAttr numbers;
  bool isGradient = false;
  SmallVector<FoldedDim, 2> dims;
  int64_t batch = 0, features = 0, outputs = 0;
  int64_t batchDim = 0, featureDim = 0, laneDim = 0; // of the image
};

/// The dimension of `value` that will lie along the lanes: what programs and loops are given,
/// picked slabs and reshaped arrays lie as their shapes decide, and elementwise work keeps that.
std::optional<int64_t> laneDimOf(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || isa<GatherOp, ReshapeOp>(producer) || isSequenced(producer))
    return entryOrder(shapeOf(value)).front();
  if (kindOf(producer) != OpKind::Elementwise &&
      !isa<SliceOp, DynamicSliceOp, PadOp, ReverseOp>(producer))
    return std::nullopt;
  for (Value operand : producer->getOperands())
    if (typeOf(operand).getRank() == typeOf(value).getRank() &&
        !operand.getDefiningOp<BroadcastInDimOp>() && !operand.getDefiningOp<ConstantOp>())
      return laneDimOf(operand);
  return std::nullopt;
}

void Folder::run() {
  std::optional<int64_t> lanes = isCandidate() ? laneDimOf(op.getLhs()) : std::nullopt;
  if (!lanes || !describe(*lanes))
    return;
  if (isGradient && laneDim == batchDim) {
    if (!sumsAlongLanes())
      return;
    op.replaceAllUsesWith(sumAlongLanes());
  } else {
    choose();
    if (foldedTaps() == 1)
      return;
    op.replaceAllUsesWith(isGradient ? foldGradient() : foldForward());
  }
  op.erase();
}

bool Folder::isCandidate() {
  auto isEmpty = [](Value value) { return typeOf(value).getNumElements() == 0; };
  if (op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1 || op.getWindow().empty() ||
      isEmpty(op.getLhs()) || isEmpty(op.getRhs()) || isEmpty(op.getResult()))
    return false;
  return llvm::all_of(op.getWindow(), [](const ConvolutionOp::Window &dim) {
    return dim.lhsDilation == 1 && !dim.reversed && dim.low >= 0;
  });
}

bool Folder::describe(int64_t lanes) {
  RankedTensorType image = op.getLhs().getType();
  SmallVector<ConvolutionOp::Window> window = op.getWindow();
  ArrayRef<int64_t> places = numbers.getOutputSpatialDimensions();
  double ofWindow = 1, ofResult = 1; // as far as they reach in the image
  for (auto [dim, place] : llvm::zip_equal(window, places)) {
    ofWindow *= dim.extent();
    ofResult *= (op.getType().getDimSize(place) - 1) * dim.stride + 1;
  }
  isGradient = ofWindow > ofResult;
  laneDim = lanes;
  batchDim = numbers.getInputBatchDimension();
  featureDim = numbers.getInputFeatureDimension();
  if (isGradient)
    std::swap(batchDim, featureDim);
  batch = image.getDimSize(batchDim);
  features = image.getDimSize(featureDim);
  outputs = op.getRhs().getType().getDimSize(numbers.getKernelOutputFeatureDimension());
  for (auto [dim, place] : llvm::zip_equal(window, places)) {
    int64_t count = op.getType().getDimSize(place);
    if (isGradient)
      dims.push_back({dim.low, dim.size, dim.rhsDilation, count, dim.stride});
    else
      dims.push_back({dim.low, count, dim.stride, dim.size, dim.rhsDilation});
  }
  return lanes != featureDim && 2 * features <= kLanes;
}

double Folder::cycles() const {
  // HBM moves a row in about a cycle, and there are two arrays.
  constexpr double arrays = 2;
  double positions = batch, rows = batch, products = 1, slices = 0;
  int64_t lanes = foldedTaps() * features, blocks = llvm::divideCeil(lanes, kLanes);
  for (const FoldedDim &dim : dims) {
    positions *= dim.positions;
    rows *= dim.size();
    // Kernels fold what fits into the lanes along the last dimension.
    products *= &dim == &dims.back()
                    ? llvm::divideCeil(dim.blocks(), std::max<int64_t>(1, kLanes / lanes))
                    : dim.blocks();
  }
  // Slices are read and written as they lie, in rows that are full.
  for (const FoldedDim &dim : dims)
    if (dim.folded > 1 && !dim.isPatch())
      slices = 2 * rows * lanes / kLanes;
  double forward = positions * products * blocks / arrays;
  double latches = positions / kLanes * products * blocks;
  return slices + 2 * rows * blocks + forward +
         latches * std::max<double>(kLatchCycles, outputs) / arrays;
}

bool Folder::canFold(size_t number) const {
  const FoldedDim &dim = dims[number];
  if (dim.folded == 1 || dim.taps % dim.folded != 0 || !dim.isDense())
    return dim.folded == 1;
  // Elements along the lanes would be picked one by one; kernels fold these (ConvolutionPlan.h).
  bool isLane = numbers.getInputSpatialDimensions()[number] == laneDim;
  return !isLane && (dim.isPatch() || dim.folded <= kMostSlices);
}

void Folder::choose() {
  double least = cycles();
  SmallVector<int64_t> best(dims.size(), 1);
  auto visit = [&](auto &visit, size_t number) -> void {
    if (number == dims.size()) {
      double now = cycles();
      if (now < least) {
        least = now;
        for (auto [dim, folded] : llvm::zip_equal(dims, best))
          folded = dim.folded;
      }
      return;
    }
    FoldedDim &dim = dims[number];
    for (int64_t folded = 1; folded <= dim.taps; ++folded) {
      dim.folded = folded;
      if (canFold(number) && foldedTaps() * features <= kMostFeatures)
        visit(visit, number + 1);
      dim.folded = 1;
    }
  };
  visit(visit, 0);
  for (auto [dim, folded] : llvm::zip_equal(dims, best))
    dim.folded = folded;
}

/// [n, spatial.., folded.. x features], of which element q has what the image has at q * step + v *
/// dilation - low, for v of `folded`.
Value Folder::foldedImage() {
  SmallVector<int64_t> places = {batchDim};
  llvm::append_range(places, numbers.getInputSpatialDimensions());
  places.push_back(featureDim);
  Value image = t.transpose(op.getLhs(), places);
  int64_t last = places.size() - 1;
  SmallVector<int64_t> low(places.size()), high(places.size()), none(places.size());
  for (auto [d, dim] : llvm::enumerate(dims)) {
    low[d + 1] = dim.low;
    high[d + 1] = dim.seen() - dim.low - shapeOf(image)[d + 1];
  }
  image = t.pad(image, t.number(typeOf(image).getElementType(), 0), low, high, none);
  for (int64_t place = dims.size(); place > 0; --place) {
    const FoldedDim &dim = dims[place - 1];
    if (dim.folded == 1)
      continue;
    if (dim.isPatch()) {
      SmallVector<int64_t> split(shapeOf(image)), moved, merged(split);
      split[place] = dim.size();
      split.insert(split.begin() + place + 1, dim.folded);
      for (int64_t d = 0; d <= last + 1; ++d)
        if (d != place + 1)
          moved.push_back(d);
      moved.insert(moved.end() - 1, place + 1);
      merged[place] = dim.size();
      merged.back() *= dim.folded;
      image = t.reshape(t.transpose(t.reshape(image, split), moved), merged);
      continue;
    }
    SmallVector<Value> parts;
    for (int64_t v = 0; v < dim.folded; ++v)
      parts.push_back(t.slice(image, place, v * dim.dilation, dim.size(), dim.step()));
    image = t.concatenate(parts, last);
  }
  return image;
}

Value Folder::convolve(Value image, Value kernel, ArrayRef<int64_t> shape,
                       ConvDimensionNumbersAttr form) {
  int64_t rank = dims.size();
  SmallVector<int64_t> strides, dilations;
  for (const FoldedDim &dim : dims) {
    strides.push_back(dim.newStride());
    dilations.push_back(dim.newDilation());
  }
  if (isGradient)
    std::swap(strides, dilations);
  auto padding = RankedTensorType::get({rank, 2}, t.b.getI64Type());
  return ConvolutionOp::create(
      t.b, t.loc, op.getType().clone(shape), image, kernel, t.b.getDenseI64ArrayAttr(strides),
      DenseIntElementsAttr::get(padding, SmallVector<int64_t>(2 * rank, 0)), DenseI64ArrayAttr(),
      t.b.getDenseI64ArrayAttr(dilations), DenseBoolArrayAttr(), form, 1, 1,
      op.getPrecisionConfigAttr());
}

/// The dimensions of [block, folded, block, folded, .., i, o] as [blocks.., folded.., i, o].
SmallVector<int64_t> Folder::apart() const {
  SmallVector<int64_t> places;
  int64_t count = dims.size();
  for (int64_t d = 0; d < count; ++d)
    places.push_back(2 * d);
  for (int64_t d = 0; d < count; ++d)
    places.push_back(2 * d + 1);
  places.append({2 * count, 2 * count + 1});
  return places;
}

Value Folder::foldForward() {
  int64_t count = dims.size();
  SmallVector<int64_t> places(numbers.getKernelSpatialDimensions()), split, shape;
  SmallVector<int64_t> result = {batch};
  places.append({static_cast<int64_t>(numbers.getKernelInputFeatureDimension()),
                 static_cast<int64_t>(numbers.getKernelOutputFeatureDimension())});
  for (const FoldedDim &dim : dims) {
    split.append({dim.blocks(), dim.folded});
    shape.push_back(dim.blocks());
    result.push_back(dim.positions);
  }
  split.append({features, outputs});
  shape.append({foldedTaps() * features, outputs});
  result.push_back(outputs);
  Value kernel = t.transpose(t.reshape(t.transpose(op.getRhs(), places), split), apart());
  Value value = convolve(foldedImage(), t.reshape(kernel, shape), result,
                         numbersOfPositions(t.b.getContext(), count));
  SmallVector<int64_t> back(result.size());
  back[numbers.getOutputBatchDimension()] = 0;
  for (auto [d, place] : llvm::enumerate(numbers.getOutputSpatialDimensions()))
    back[place] = d + 1;
  back[numbers.getOutputFeatureDimension()] = count + 1;
  return t.transpose(value, back);
}

Value Folder::foldGradient() {
  int64_t count = dims.size();
  SmallVector<int64_t> places = {static_cast<int64_t>(numbers.getKernelInputFeatureDimension())};
  llvm::append_range(places, numbers.getKernelSpatialDimensions());
  places.push_back(numbers.getKernelOutputFeatureDimension());
  SmallVector<int64_t> shape, split, whole;
  for (const FoldedDim &dim : dims) {
    shape.push_back(dim.blocks());
    whole.push_back(dim.taps);
  }
  split = shape;
  shape.append({outputs, foldedTaps() * features});
  auto form = ConvDimensionNumbersAttr::get(t.b.getContext(), count + 1, 0, spatial(1), 0,
                                            count + 1, spatial(1), count + 1, count, spatial(0));
  Value value = convolve(foldedImage(), t.transpose(op.getRhs(), places), shape, form);
  // [blocks.., o, folded.. x i] as [taps.., i, o].
  SmallVector<int64_t> exchanged = spatial(0);
  exchanged.append({count + 1, count});
  for (const FoldedDim &dim : dims)
    split.push_back(dim.folded);
  split.append({features, outputs});
  value = t.reshape(t.transpose(value, exchanged), split);
  value = t.transpose(value, invertPermutationVector(apart()));
  whole.append({features, outputs});
  return gradientOf(t.reshape(value, whole));
}

Value Folder::gradientOf(Value value) {
  const int64_t count = dims.size();
  SmallVector<int64_t> back(count + 2);
  for (auto [d, place] : llvm::enumerate(numbers.getOutputSpatialDimensions()))
    back[place] = d;
  back[numbers.getOutputBatchDimension()] = count;
  back[numbers.getOutputFeatureDimension()] = count + 1;
  return t.transpose(value, back);
}

bool Folder::sumsAlongLanes() {
  Type element = op.getLhs().getType().getElementType();
  int64_t rows = features;
  for (const FoldedDim &dim : dims) {
    rows *= dim.taps;
    if (dim.taps > kMostSlices)
      return false;
  }
  // Each position has a product of its own, whose results are no more than what it sums.
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 32 && rows <= batch;
}

Value Folder::sumAlongLanes() {
  const int64_t count = dims.size();
  SmallVector<int64_t> places(numbers.getInputSpatialDimensions()), taps;
  places.append({featureDim, batchDim});
  Value image = t.transpose(op.getLhs(), places);
  SmallVector<int64_t> low(count + 2), high(count + 2), none(count + 2);
  for (auto [d, dim] : llvm::enumerate(dims)) {
    const int64_t seen = (dim.positions - 1) * dim.stride + (dim.taps - 1) * dim.dilation + 1;
    low[d] = dim.low;
    high[d] = seen - dim.low - shapeOf(image)[d];
    taps.push_back(dim.taps);
  }
  image = t.pad(image, t.number(typeOf(image).getElementType(), 0), low, high, none);
  for (int64_t d = count - 1; d >= 0; --d) {
    SmallVector<Value> parts;
    for (int64_t tap = 0; tap < dims[d].taps; ++tap)
      parts.push_back(t.slice(image, d, tap * dims[d].dilation, dims[d].positions, dims[d].stride));
    image = t.concatenate(parts, count);
  }
  // [positions.., taps.. x i, n] times [.., n, o], for each position.
  ArrayRef<int64_t> kernelSpatial = numbers.getKernelSpatialDimensions();
  auto form = DotDimensionNumbersAttr::get(t.b.getContext(), spatial(0), kernelSpatial, {count + 1},
                                           {int64_t(numbers.getKernelInputFeatureDimension())});
  SmallVector<int64_t> shape(shapeOf(image).drop_back());
  shape.push_back(outputs);
  Value products =
      DotGeneralOp::create(t.b, t.loc, RankedTensorType::get(shape, t.b.getF32Type()), image,
                           op.getRhs(), form, op.getPrecisionConfigAttr(), DotAlgorithmAttr());
  Value sums = t.reduce<AddOp>(products, t.number(t.b.getF32Type(), 0), spatial(0));
  taps.append({features, outputs});
  return gradientOf(t.convert(t.reshape(sums, taps), op.getType().getElementType()));
}

struct FoldWindows : impl::FoldWindowsBase<FoldWindows> {
  void rewrite() override {
    getOperation().walk([](ConvolutionOp op) { Folder(op).run(); });
  }
};

} // namespace
} // namespace systole
