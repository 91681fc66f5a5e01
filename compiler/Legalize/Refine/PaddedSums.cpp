// Operations that combine the elements of padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/PaddedForms.h"
#include "compiler/Tensor/Identities.h"
#include "dialects/StableHLO/Einsum.h"
#include "dialects/StableHLO/Reducers.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

static void alignAll(PaddedTensors &t, MutableArrayRef<Padded> arrays) {
  for (int64_t dim = 0; dim < arrays.front().rank(); ++dim) {
    SmallVector<Place> places;
    for (unsigned i = 0; i < arrays.size(); ++i)
      places.push_back({i, dim});
    t.align(arrays, places);
  }
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// A value that does not change a result: the identity of the operation, if the body is one that is
/// known, else the initial value, which a program may expect to be combined any number of times.
static Value neutralOf(PaddedTensors &t, Operation *combiner, Type element, Value initial) {
  if (combiner && element.isIntOrFloat() &&
      typeOf(combiner->getResult(0)).getElementType() == element)
    if (DenseElementsAttr identity = identityOf(combiner))
      return t.constant(identity);
  return t.convert(initial, element);
}

Form reduce(PaddedForm &f, ReduceOp op) {
  Arrays inputs = f.at(op.getInputs());
  alignAll(f.t, inputs);
  ArrayRef<int64_t> dims = op.getDimensions();
  SmallVector<Operation *, 2> combiners = combinersOf(op.getBody().front());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Operation *combiner = combiners.empty() ? nullptr : combiners[i];
    input =
        f.t.masked(input, neutralOf(f.t, combiner, input.element(), op.getInitValues()[i]), dims);
  }
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < inputs.front().rank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      sizes.push_back(inputs.front().sizes[dim]);
  SmallVector<Value> operands = valuesOf(inputs);
  llvm::append_range(operands, op.getInitValues());
  return f.rebuild(operands, sizes);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static bool isTrivial(const Window &window) {
  return window.size == 1 && window.stride == 1 && window.low == 0 && window.high == 0 &&
         window.lhsDilation == 1;
}

/// The number of positions of a window on `size` elements.
static Value positions(PaddedTensors &t, Value size, const Window &window) {
  if (isTrivial(window))
    return size;
  Value span = size;
  if (window.lhsDilation != 1)
    span = t.atLeast(t.plus(t.times(t.plus(size, -1), window.lhsDilation), 1), 0);
  span = t.plus(span, window.low + window.high - window.extent());
  // A window that is not inside leaves less than one stride.
  return t.apply<DivOp>(t.atLeast(t.plus(span, window.stride), 0), t.scalar(window.stride));
}

static SmallVector<int64_t> windowed(ArrayRef<Window> windows) {
  SmallVector<int64_t> dims;
  for (auto [dim, window] : llvm::enumerate(windows))
    if (!isTrivial(window))
      dims.push_back(dim);
  return dims;
}

/// Elements outside of an array are the initial values, too.
Form reduceWindow(PaddedForm &f, ReduceWindowOp op) {
  Arrays inputs = f.at(op.getInputs());
  alignAll(f.t, inputs);
  SmallVector<Window> windows = op.getWindow();
  for (auto [input, initial] : llvm::zip_equal(inputs, op.getInitValues()))
    input = f.t.masked(input, f.t.convert(initial, input.element()), windowed(windows));
  SmallVector<Value> sizes = inputs.front().sizes;
  for (auto [size, window] : llvm::zip_equal(sizes, windows))
    if (size)
      size = positions(f.t, size, window);
  SmallVector<Value> operands = valuesOf(inputs);
  llvm::append_range(operands, op.getInitValues());
  return f.rebuild(operands, sizes);
}

/// The element that a selection by order never prefers; null for another selection.
static Value leastPreferred(PaddedTensors &t, Block &select, Type element) {
  auto compared = dyn_cast_or_null<CompareOp>(combinerOf(select));
  if (!compared || !element.isIntOrFloat())
    return nullptr;
  bool isLargest = llvm::is_contained({ComparisonDirection::GE, ComparisonDirection::GT},
                                      compared.getComparisonDirection());
  bool isSmallest = llvm::is_contained({ComparisonDirection::LE, ComparisonDirection::LT},
                                       compared.getComparisonDirection());
  if (!isLargest && !isSmallest)
    return nullptr;
  Value none = t.zero(element);
  Operation *combiner = isLargest ? t.apply<MaxOp>(none, none).getDefiningOp()
                                  : t.apply<MinOp>(none, none).getDefiningOp();
  DenseElementsAttr identity = identityOf(combiner);
  combiner->erase();
  return t.constant(identity);
}

Form selectAndScatter(PaddedForm &f, SelectAndScatterOp op) {
  PaddedTensors &t = f.t;
  Arrays arrays = f.at(ValueRange{op.getOperand(), op.getSource()});
  SmallVector<Window> windows = op.getWindow();
  for (auto [dim, window] : llvm::enumerate(windows)) {
    auto d = static_cast<int64_t>(dim);
    std::optional<int64_t> count = window.positionsOn(arrays[0].shape()[d]);
    if (!count || *count > INT32_MAX)
      return op.emitOpError() << "has too many positions along dimension " << dim;
    if (isTrivial(window))
      t.align(arrays, {{0, d}, {1, d}});
    else if (Value size = arrays[0].sizes[d]) {
      arrays[1] = t.resized(arrays[1], d, *count);
      arrays[1].sizes[d] = positions(t, size, window);
    } else if (arrays[1].sizes[d]) {
      arrays[1] = t.fixed(arrays[1], d, *count);
    }
  }
  SmallVector<int64_t> dims = windowed(windows);
  if (llvm::any_of(dims, [&](int64_t dim) { return bool(arrays[0].sizes[dim]); })) {
    Value filling = leastPreferred(t, op.getSelect().front(), arrays[0].element());
    Operation *combiner = combinerOf(op.getScatter().front());
    if (!filling || !combiner || !arrays[1].element().isIntOrFloat() || !identityOf(combiner))
      return f.refuse("elements must be selected by order, and combined by an operation that has "
                      "an identity");
    arrays[0] = t.masked(arrays[0], filling, dims);
    Value neutral = t.convert(t.constant(identityOf(combiner)), arrays[1].element());
    arrays[1] = t.masked(arrays[1], neutral, dims);
  }
  return f.rebuild({arrays[0].value, arrays[1].value, op.getInitValue()}, arrays[0].sizes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Sums over the dimensions that `labels` lists but `result` does not.
static Form labelled(PaddedForm &f, ArrayRef<SmallVector<int64_t>> labels,
                     ArrayRef<int64_t> result) {
  Arrays arrays = f.at(f.op->getOperands());
  llvm::DenseSet<int64_t> seen;
  for (ArrayRef<int64_t> own : labels)
    for (int64_t label : own) {
      if (!seen.insert(label).second)
        continue;
      SmallVector<Place> places;
      for (auto [i, other] : llvm::enumerate(labels))
        for (auto [dim, same] : llvm::enumerate(other))
          if (same == label)
            places.push_back({static_cast<unsigned>(i), static_cast<int64_t>(dim)});
      f.t.align(arrays, places);
    }
  SmallVector<Value> sizes(result.size());
  for (auto [array, own] : llvm::zip_equal(arrays, labels)) {
    SmallVector<int64_t> summed;
    for (auto [dim, label] : llvm::enumerate(own))
      if (const auto *at = llvm::find(result, label); at == result.end())
        summed.push_back(dim);
      else if (Value size = array.sizes[dim])
        sizes[at - result.begin()] = size;
    array = f.t.masked(array, summed);
  }
  return f.rebuild(valuesOf(arrays), sizes);
}

Form product(PaddedForm &f, DotGeneralOp op) {
  SmallVector<SmallVector<int64_t>> labels;
  for (Value operand : op->getOperands())
    labels.emplace_back(shapeOf(operand).size(), 0);
  SmallVector<int64_t> result;
  int64_t next = 0;
  auto pair = [&](ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs, bool isKept) {
    for (auto [l, r] : llvm::zip_equal(lhs, rhs)) {
      labels[0][l] = labels[1][r] = next++;
      if (isKept)
        result.push_back(next - 1);
    }
  };
  pair(op.getLhsBatchingDims(), op.getRhsBatchingDims(), /*isKept=*/true);
  pair(op.getLhsContractingDims(), op.getRhsContractingDims(), /*isKept=*/false);
  for (const auto &[own, dims] : {std::pair(0, op.getLhsFreeDims()), {1, op.getRhsFreeDims()}})
    for (int64_t dim : dims) {
      result.push_back(next);
      labels[own][dim] = next++;
    }
  return labelled(f, labels, result);
}

Form dot(PaddedForm &f, DotOp op) {
  SmallVector<int64_t> lhs, rhs = {0}, result;
  for (unsigned i = 1; i < shapeOf(op.getLhs()).size(); ++i)
    lhs.push_back(i);
  llvm::append_range(result, lhs);
  lhs.push_back(0);
  for (unsigned i = 1; i < shapeOf(op.getRhs()).size(); ++i) {
    rhs.push_back(2 + i);
    result.push_back(2 + i);
  }
  return labelled(f, {lhs, rhs}, result);
}

Form einsum(PaddedForm &f, StringRef equation) {
  FailureOr<Einsum> parsed = Einsum::parse(Refusal(f.op), equation, f.op->getOperandTypes());
  if (failed(parsed))
    return failure();
  return labelled(
      f, SmallVector<SmallVector<int64_t>>(parsed->operands.begin(), parsed->operands.end()),
      parsed->result);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static bool hasSizes(const Padded &array, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims, [&](int64_t dim) { return bool(array.sizes[dim]); });
}

Form convolution(PaddedForm &f, ConvolutionOp op, Padded lhs, Padded rhs) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  bool hasGroups = op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1;
  int64_t batch = numbers.getInputBatchDimension(), feature = numbers.getInputFeatureDimension(),
          kernelIn = numbers.getKernelInputFeatureDimension(),
          kernelOut = numbers.getKernelOutputFeatureDimension();
  if (hasGroups && (lhs.sizes[feature] || rhs.sizes[kernelIn] || rhs.sizes[kernelOut]))
    return f.refuse("features in groups must have known numbers");
  if (op.getBatchGroupCount() != 1 && lhs.sizes[batch])
    return f.refuse("batches in groups must have known numbers");
  ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
  if (hasSizes(rhs, numbers.getKernelSpatialDimensions()))
    return unrolledWindows(f, op, lhs, rhs);
  Arrays arrays = {lhs, rhs};
  if (!hasGroups)
    f.t.align(arrays, {{0, feature}, {1, kernelIn}});
  SmallVector<Window> windows = op.getWindow();
  SmallVector<int64_t> summed = {feature};
  for (auto [dim, window] : llvm::zip_equal(spatial, windows))
    if (!isTrivial(window))
      summed.push_back(dim);
  arrays[0] = f.t.masked(arrays[0], summed);
  arrays[1] = f.t.masked(arrays[1], {kernelIn});
  SmallVector<Value> sizes(arrays[0].rank());
  sizes[numbers.getOutputBatchDimension()] = arrays[0].sizes[batch];
  sizes[numbers.getOutputFeatureDimension()] = arrays[1].sizes[kernelOut];
  for (auto [from, to, window] :
       llvm::zip_equal(spatial, numbers.getOutputSpatialDimensions(), windows))
    if (Value size = arrays[0].sizes[from])
      sizes[to] = positions(f.t, size, window);
  return f.rebuild(valuesOf(arrays), sizes);
}

/// Pads the operand first, to the extent that the bound of the result needs.
Form dynamicConvolution(PaddedForm &f, DynamicConvOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
  Padded lhs = f.at(op.getLhs()), rhs = f.at(op.getRhs());
  auto made = ConvolutionOp::create(
      f.t.b, f.t.loc, op.getType(), op.getLhs(), op.getRhs(), op.getWindowStridesAttr(),
      /*padding=*/DenseIntElementsAttr(), /*lhs_dilation=*/DenseI64ArrayAttr(),
      op.getRhsDilationAttr(), op.getWindowReversalAttr(), numbers, op.getFeatureGroupCountAttr(),
      op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
  SmallVector<Window> windows = made.getWindow();
  for (auto [window, dim] : llvm::zip_equal(windows, numbers.getKernelSpatialDimensions()))
    window.size = rhs.shape()[dim];
  Number none{nullptr, 0};
  SmallVector<Number> low(lhs.rank(), none), high = low, interior = low;
  for (auto [i, dim] : llvm::enumerate(spatial)) {
    Value pair = f.t.reshape(f.t.slice(op.getPadding(), 0, i, 1), {2});
    low[dim] = f.number(pair, 0);
    high[dim] = f.number(pair, 1);
    interior[dim].known = op.getLhsDilation() ? (*op.getLhsDilation())[i] - 1 : 0;
  }
  auto extent = [&](int64_t dim) -> std::optional<int64_t> {
    int64_t i = llvm::find(spatial, dim) - spatial.begin();
    std::optional<int64_t> bound = f.extent(numbers.getOutputSpatialDimensions()[i]);
    if (!bound)
      return std::nullopt;
    return (std::max<int64_t>(*bound, 1) - 1) * windows[i].stride + windows[i].extent();
  };
  FailureOr<Padded> padded = padBy(f, lhs, f.t.zero(lhs.element()), low, high, interior, extent);
  if (failed(padded))
    return failure();
  PaddedForm inner(made, f.evaluator, f.arrays, f.visit);
  // Behind what has been computed for the operand.
  inner.t.b.setInsertionPoint(f.op);
  Form form = convolution(inner, made, *padded, rhs);
  made.erase();
  return form;
}

} // namespace systole::refine
