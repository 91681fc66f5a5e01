// Products of elements that are stored as integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Quantized.h"
#include "compiler/Legalize/Small/Storage.h"

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;

namespace {

/// The dimension of a product's result that is dimension `dim` of its right operand, if there is
/// one.
std::optional<int64_t> resultDim(Operation *op, int64_t dim) {
  auto place = [&](ArrayRef<int64_t> dims) -> std::optional<int64_t> {
    const auto *found = llvm::find(dims, dim);
    return found == dims.end() ? std::nullopt : std::optional<int64_t>(found - dims.begin());
  };
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    if (auto batch = place(dot.getRhsBatchingDims()))
      return batch;
    auto free = place(dot.getRhsFreeDims());
    const int64_t before = dot.getLhsBatchingDims().size() + dot.getLhsFreeDims().size();
    return free ? std::optional(before + *free) : std::nullopt;
  }
  auto dims = cast<ConvolutionOp>(op).getDimensionNumbers();
  return dim == dims.getKernelOutputFeatureDimension()
             ? std::optional(dims.getOutputFeatureDimension())
             : std::nullopt;
}

/// The operand in the narrowest float that represents its numbers.
Value floatsOf(Tensors &t, Value number, Type element) {
  const bool isWide =
      isa<quant::QuantizedType>(element) && storageOf(element).getIntOrFloatBitWidth() > 8;
  return isWide ? number : t.convert(number, t.b.getBF16Type());
}

/// The dimensions of a product's right operand over which it sums.
SmallVector<int64_t> summedDims(Operation *op) {
  return llvm::to_vector(
      llvm::make_filter_range(llvm::seq<int64_t>(0, typeOf(op->getOperand(1)).getRank()),
                              [&](int64_t dim) { return !resultDim(op, dim); }));
}

/// Pads the left operand of a convolution by `value` beforehand.
void padBefore(Tensors &t, ConvolutionOp op, Value value) {
  auto dims = op.getDimensionNumbers();
  ArrayRef<int64_t> spatial = dims.getInputSpatialDimensions();
  SmallVector<Window> windows = makeWindow(SmallVector<int64_t>(spatial.size(), 1), std::nullopt,
                                           op.getLhsDilation(), std::nullopt, op.getPaddingAttr());
  const int64_t rank = typeOf(op.getLhs()).getRank();
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  for (auto [dim, window] : llvm::zip_equal(spatial, windows)) {
    low[dim] = window.low;
    high[dim] = window.high;
    interior[dim] = window.lhsDilation - 1;
  }
  op.getLhsMutable().assign(t.pad(op.getLhs(), value, low, high, interior));
  op.removePaddingAttr();
  op.removeLhsDilationAttr();
}

/// Makes a product one of bytes, whose sum is exact, if the right operand has zero points of 0. The
/// left one's zero point times the sums of the right operand is subtracted from it.
bool multiplyBytes(Storage &s, Operation *op, Tensors &t, Tensors &after, Value &value) {
  auto typeOfBytes = [&](Value operand) -> std::optional<Quantization> {
    auto type = dyn_cast_or_null<quant::QuantizedType>(s.elementOf(operand));
    if (!type || widthOf(type) > 8)
      return std::nullopt;
    return Quantization(type);
  };
  std::optional<Quantization> lhs = typeOfBytes(op->getOperand(0)),
                              rhs = typeOfBytes(op->getOperand(1));
  if (!lhs || !rhs || lhs->axis() || rhs->zeroPoint() != 0 ||
      (rhs->axis() && !resultDim(op, *rhs->axis())))
    return false;
  Type i32 = t.b.getI32Type();
  const int64_t zero = *lhs->zeroPoint();
  ArrayRef<int64_t> shape = shapeOf(value);
  value.setType(typeOf(value).clone(i32));
  if (zero == 0)
    return true;
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    padBefore(t, convolution, t.number(typeOf(op->getOperand(0)).getElementType(), zero));
  Value weights = op->getOperand(1);
  Value sums =
      after.reduce<AddOp>(after.convert(weights, i32), after.number(i32, 0), summedDims(op));
  sums = after.apply<MulOp>(sums, after.number(i32, zero, shapeOf(sums)));
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < typeOf(weights).getRank(); ++dim)
    if (auto place = resultDim(op, dim))
      dims.push_back(*place);
  value = after.apply<SubtractOp>(value, after.spread(sums, shape, dims));
  return true;
}

/// Scales that are the same for all terms of a sum, and so a factor of it: one, or one for each
/// index of a dimension of the result.
struct Factor {
  SmallVector<double> values = {1};
  std::optional<int64_t> dim = std::nullopt;

  /// Multiplies by another factor, or divides.
  void combine(const Factor &other, bool divides = false) {
    assert((!dim || !other.dim || dim == other.dim) && "one dimension");
    if (other.dim && !dim)
      values.assign(other.values.size(), values.front());
    dim = dim ? dim : other.dim;
    for (auto [i, value] : llvm::enumerate(values)) {
      double by = other.dim ? other.values[i] : other.values.front();
      value = divides ? value / by : value * by;
    }
  }
};

std::optional<Factor> factorOf(Storage &s, OpOperand &operand) {
  auto type = dyn_cast_or_null<quant::QuantizedType>(s.elementOf(operand.get()));
  if (!type)
    return std::nullopt;
  Quantization parameters(type);
  Factor factor{SmallVector<double>(parameters.scales()), std::nullopt};
  if (std::optional<int64_t> axis = parameters.axis()) {
    if (operand.getOperandNumber() == 1)
      factor.dim = resultDim(operand.getOwner(), *axis);
    if (!factor.dim)
      return std::nullopt;
  }
  return factor;
}

/// Makes the operands floats, without the scales that are factors.
void multiplyFloats(Storage &s, Operation *op, Tensors &t) {
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = s.elementOf(operand.get());
    if (!element)
      continue;
    const bool isFactor = factorOf(s, operand).has_value();
    Value number =
        isFactor ? Quantization(cast<quant::QuantizedType>(element)).centered(t, operand.get())
                 : s.numbersOf(t, operand.get());
    if (isFactor || isa<FloatType>(element))
      number = floatsOf(t, number, element);
    operand.set(number);
  }
}

/// Stores sums in the quantized type `element`: their scale divides the factor, rather than the
/// product of both.
void quantizeSums(Storage &s, Value sums, Value result, Factor factor, quant::QuantizedType element,
                  Tensors &t) {
  Quantization parameters(element);
  factor.combine({SmallVector<double>(parameters.scales()), parameters.axis()}, /*divides=*/true);
  const bool isOne = llvm::all_of(factor.values, [](double value) { return float(value) == 1; });
  Type storage = storageOf(element);
  Value stored;
  if (isOne && parameters.zeroPoint() == 0 && storage == typeOf(sums).getElementType()) {
    stored = sums;
  } else {
    Value number = t.convert(sums, t.b.getF32Type());
    if (!isOne)
      number = t.apply<MulOp>(number, spreadNumbers(t, factor.values, shapeOf(sums), factor.dim));
    stored = parameters.quantizeScaled(t, number);
  }
  s.storeBits(result, stored, element);
}

} // namespace

void lowerProduct(Storage &s, Operation *op) {
  Value result = op->getResult(0);
  Type element = typeOf(result).getElementType();
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  Factor factor;
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<Factor> each = factorOf(s, operand))
      factor.combine(*each);
  // The uses of the result are those of another value from here on.
  Tensors t(op);
  Operation *product = t.b.clone(*op);
  Tensors after(op);
  t.b.setInsertionPoint(product);
  Value sums = product->getResult(0);
  if (isStored(element))
    sums.setType(typeOf(sums).clone(computedType(element)));
  Type computed = typeOf(sums).getElementType();
  if (!multiplyBytes(s, product, t, after, sums))
    multiplyFloats(s, product, t);
  const bool joins = quantized && !(factor.dim && Quantization(quantized).axis() &&
                                    factor.dim != Quantization(quantized).axis());
  if (joins) {
    quantizeSums(s, sums, result, factor, quantized, after);
  } else {
    Value value = sums;
    if (llvm::any_of(factor.values, [](double scale) { return scale != 1; }))
      value = after.apply<MulOp>(after.convert(sums, after.b.getF32Type()),
                                 spreadNumbers(after, factor.values, shapeOf(sums), factor.dim));
    value = after.convert(value, computed);
    if (isStored(element))
      s.storeNumbers(result, value, element, /*isExact=*/false);
    else
      result.replaceAllUsesWith(value);
  }
  op->erase();
}

} // namespace systole::small
