// Products and convolutions of f64, and convolutions of 64-bit integers, which the matrix unit does
// not compute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Expand/SlicedProducts.h"
#include "compiler/Tensor/Tensors.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

bool hasDoubles(Operation *op) { return getElementTypeOrSelf(op->getResult(0)).isF64(); }

bool needsWindows(ConvolutionOp op) {
  return getElementTypeOrSelf(op.getResult()).getIntOrFloatBitWidth() == 64;
}

namespace {

int64_t sizeOf(Value value, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims)
    size *= shapeOf(value)[d];
  return size;
}

/// An operand as [depth, batch, free].
Value deepFirst(Tensors &t, Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> summed,
                ArrayRef<int64_t> free) {
  SmallVector<int64_t> order(summed);
  llvm::append_range(order, batch);
  llvm::append_range(order, free);
  SmallVector<int64_t> shape = {sizeOf(value, summed), sizeOf(value, batch), sizeOf(value, free)};
  value = t.convert(value, t.b.getF64Type());
  return t.reshape(t.transpose(value, order), shape);
}

/// Adds the outer products of the steps along the depth, in this order.
class OuterProducts {
public:
  explicit OuterProducts(DotGeneralOp op)
      : t(op), type(typeOf(op.getResult())),
        lhs(deepFirst(t, op.getLhs(), op.getLhsBatchingDims(), op.getLhsContractingDims(),
                      op.getLhsFreeDims())),
        rhs(deepFirst(t, op.getRhs(), op.getRhsBatchingDims(), op.getRhsContractingDims(),
                      op.getRhsFreeDims())),
        shape({shapeOf(lhs)[1], shapeOf(lhs)[2], shapeOf(rhs)[2]}) {}

  Value run() {
    Value sum =
        isForSlices(lhs, rhs) ? multiplySlices(t, lhs, rhs, [&] { return added(); }) : added();
    return t.reshape(sum, type.getShape());
  }

private:
  Value added() {
    Value none = t.real(t.b.getF64Type(), 0, shape);
    return t.repeat(shapeOf(lhs)[0], none, [&](Value step, ValueRange now) -> SmallVector<Value> {
      Value x = t.spread(at(lhs, step), shape, {0, 1}), y = t.spread(at(rhs, step), shape, {0, 2});
      return {t.apply<AddOp>(now[0], t.apply<MulOp>(x, y))};
    })[0];
  }

  /// The slice of an operand at a step: [batch, free].
  Value at(Value value, Value step) {
    Value origin = t.number(t.b.getI32Type(), 0);
    ArrayRef<int64_t> all = shapeOf(value);
    Value row = DynamicSliceOp::create(t.b, t.loc, value, ValueRange{step, origin, origin},
                                       ArrayRef<int64_t>{1, all[1], all[2]});
    return t.reshape(row, all.drop_front());
  }

  Tensors t;
  RankedTensorType type;
  Value lhs, rhs;
  SmallVector<int64_t> shape;
};

/// A convolution as one product of the elements of all windows.
class Windows {
public:
  explicit Windows(ConvolutionOp op)
      : op(op), t(op), element(getElementTypeOrSelf(op.getResult())),
        numbers(op.getDimensionNumbers()), window(op.getWindow()),
        groups(op.getFeatureGroupCount()), batchGroups(op.getBatchGroupCount()) {}

  Value run() {
    Value image = padded(), kernel = taps();
    ArrayRef<int64_t> out = shapeOf(op.getResult());
    if (typeOf(kernel).getNumElements() == 0 || op.getType().getNumElements() == 0)
      return t.number(element, 0, out);
    SmallVector<int64_t> positions = llvm::map_to_vector(numbers.getOutputSpatialDimensions(),
                                                         [&](int64_t d) { return out[d]; });
    // [taps, batch groups, batch, groups, features, positions...]
    SmallVector<Value> elements;
    for (int64_t tap = 0; tap < shapeOf(kernel)[0]; ++tap)
      elements.push_back(at(image, tap, positions));
    int64_t batch = shapeOf(image)[0], features = shapeOf(image)[1];
    int64_t results = shapeOf(kernel)[2] / (groups * batchGroups);
    SmallVector<int64_t> shape = {shapeOf(kernel)[0], batchGroups, batch / batchGroups, groups,
                                  features / groups};
    llvm::append_range(shape, positions);
    Value lhs = t.reshape(t.stack(elements, 0), shape);
    Value rhs = t.reshape(kernel, {shape[0], shape[4], batchGroups, groups, results});
    return restored(contract(lhs, rhs), positions);
  }

private:
  int64_t rank() const { return window.size(); }

  /// The image as [batch, features, spatial...], with its padding.
  Value padded() {
    SmallVector<int64_t> order = {numbers.getInputBatchDimension(),
                                  numbers.getInputFeatureDimension()};
    llvm::append_range(order, numbers.getInputSpatialDimensions());
    SmallVector<int64_t> low = {0, 0}, high = {0, 0}, interior = {0, 0};
    for (const auto &dim : window) {
      low.push_back(dim.low);
      high.push_back(dim.high);
      interior.push_back(dim.lhsDilation - 1);
    }
    return t.pad(t.transpose(t.convert(op.getLhs(), element), order), t.number(element, 0), low,
                 high, interior);
  }

  /// The kernel as [taps, input features, output features].
  Value taps() {
    SmallVector<int64_t> order(numbers.getKernelSpatialDimensions());
    order.push_back(numbers.getKernelInputFeatureDimension());
    order.push_back(numbers.getKernelOutputFeatureDimension());
    Value kernel = t.transpose(t.convert(op.getRhs(), element), order);
    ArrayRef<int64_t> shape = shapeOf(kernel);
    int64_t count = 1;
    for (const auto &dim : window)
      count *= dim.size;
    return t.reshape(kernel, {count, shape[rank()], shape[rank() + 1]});
  }

  /// The elements that tap number `tap` of the windows reads at all positions.
  Value at(Value image, int64_t tap, ArrayRef<int64_t> positions) {
    for (int64_t d = rank() - 1; d >= 0; --d) {
      int64_t element = tap % window[d].size;
      tap /= window[d].size;
      if (window[d].reversed)
        element = window[d].size - 1 - element;
      image =
          t.slice(image, d + 2, element * window[d].rhsDilation, positions[d], window[d].stride);
    }
    return image;
  }

  /// [batch groups, groups, batch, positions..., features]
  Value contract(Value lhs, Value rhs) {
    auto attribute = DotDimensionNumbersAttr::get(op.getContext(), {1, 3}, {2, 3}, {0, 4}, {0, 1});
    ArrayRef<int64_t> left = shapeOf(lhs);
    SmallVector<int64_t> shape = {left[1], left[3], left[2]};
    llvm::append_range(shape, left.drop_front(5));
    shape.push_back(shapeOf(rhs)[4]);
    return DotGeneralOp::create(t.b, t.loc, typeOf(lhs).clone(shape), lhs, rhs, attribute, nullptr,
                                nullptr);
  }

  /// The result in its order: features are in groups, and so were images.
  Value restored(Value value, ArrayRef<int64_t> positions) {
    int64_t last = rank() + 3, batch = shapeOf(value)[2];
    SmallVector<int64_t> order = {2};
    for (int64_t d = 0; d < rank(); ++d)
      order.push_back(3 + d);
    llvm::append_range(order, ArrayRef<int64_t>{0, 1, last});
    ArrayRef<int64_t> out = shapeOf(op.getResult());
    SmallVector<int64_t> shape = {batch};
    llvm::append_range(shape, positions);
    shape.push_back(out[numbers.getOutputFeatureDimension()]);
    value = t.reshape(t.transpose(value, order), shape);
    SmallVector<int64_t> places(rank() + 2);
    places[numbers.getOutputBatchDimension()] = 0;
    for (auto [number, d] : llvm::enumerate(numbers.getOutputSpatialDimensions()))
      places[d] = number + 1;
    places[numbers.getOutputFeatureDimension()] = rank() + 1;
    return t.transpose(value, places);
  }

  ConvolutionOp op;
  Tensors t;
  Type element;
  ConvDimensionNumbersAttr numbers;
  SmallVector<Window> window;
  int64_t groups, batchGroups;
};

} // namespace

Value expandWindows(ConvolutionOp op) { return Windows(op).run(); }

Value expandDoubles(OpBuilder &b, DotGeneralOp op) {
  return isForVectorUnit(op) ? expandForVectorUnit(b, op) : OuterProducts(op).run();
}

} // namespace systole::expansion
