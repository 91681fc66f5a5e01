// Quantized numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Quantized.h"

#include "compiler/Legalize/Small/Storage.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;

Value spreadNumbers(Tensors &t, ArrayRef<double> values, ArrayRef<int64_t> shape,
                    std::optional<int64_t> dim) {
  Type f32 = t.b.getF32Type();
  if (llvm::all_equal(values))
    return t.real(f32, values.front(), shape);
  auto type = RankedTensorType::get(int64_t(values.size()), f32);
  SmallVector<float> numbers(values.begin(), values.end());
  Value list =
      ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  return t.spread(list, shape, *dim);
}

Quantization::Quantization(quant::QuantizedType type) : type(type) {
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type)) {
    scaleValues.push_back(uniform.getScale());
    zeroPoints.push_back(double(uniform.getZeroPoint()));
    return;
  }
  auto perAxis = cast<quant::UniformQuantizedPerAxisType>(type);
  dim = perAxis.getQuantizedDimension();
  scaleValues.assign(perAxis.getScales().begin(), perAxis.getScales().end());
  zeroPoints.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
}

bool Quantization::isSame(const Quantization &other) const {
  return scaleValues == other.scaleValues && zeroPoints == other.zeroPoints &&
         storageOf(type) == storageOf(other.type) && dim.has_value() == other.dim.has_value();
}

std::optional<int64_t> Quantization::zeroPoint() const {
  return llvm::all_equal(zeroPoints) ? std::optional(int64_t(zeroPoints.front())) : std::nullopt;
}

Value Quantization::centered(Tensors &t, Value stored) const {
  Value number = t.convert(stored, t.b.getF32Type());
  if (llvm::all_of(zeroPoints, [](double zero) { return zero == 0; }))
    return number;
  return t.apply<SubtractOp>(number, spreadNumbers(t, zeroPoints, shapeOf(stored), dim));
}

Value Quantization::dequantize(Tensors &t, Value stored) const {
  return t.apply<MulOp>(centered(t, stored), spreadNumbers(t, scaleValues, shapeOf(stored), dim));
}

Value Quantization::quantize(Tensors &t, Value number) const {
  Value scale = spreadNumbers(t, scaleValues, shapeOf(number), dim);
  return quantizeScaled(t, t.apply<DivOp>(number, scale));
}

std::optional<int64_t> Quantization::quantize(float number) const {
  if (dim || std::isnan(number))
    return std::nullopt;
  // As the operations that `quantize` creates.
  const float whole =
      std::nearbyint(number / float(scaleValues.front())) + float(zeroPoints.front());
  return int64_t(std::clamp(double(whole), double(type.getStorageTypeMin()),
                            double(type.getStorageTypeMax())));
}

Value Quantization::quantizeScaled(Tensors &t, Value number) const {
  ArrayRef<int64_t> shape = shapeOf(number);
  Value whole = t.apply<RoundNearestEvenOp>(number);
  if (llvm::any_of(zeroPoints, [](double zero) { return zero != 0; }))
    whole = t.apply<AddOp>(whole, spreadNumbers(t, zeroPoints, shape, dim));
  // The conversion saturates to all integers of the storage type.
  Type storage = storageOf(type);
  Value stored = t.convert(whole, storage);
  const bool isSigned = type.isSigned();
  const unsigned bits = storage.getIntOrFloatBitWidth();
  const int64_t least = type.getStorageTypeMin(), most = type.getStorageTypeMax();
  if (most < quant::QuantizedType::getDefaultMaximumForInteger(isSigned, bits))
    stored = t.apply<MinOp>(stored, t.number(storage, most, shape));
  if (least > quant::QuantizedType::getDefaultMinimumForInteger(isSigned, bits))
    stored = t.apply<MaxOp>(stored, t.number(storage, least, shape));
  return stored;
}

} // namespace systole::small
