// Rules of quantized element types that several StableHLO operations share.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Quantization.h"

#include "dialects/StableHLO/Traits.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using quant::QuantizedType;
using quant::UniformQuantizedPerAxisType;
using quant::UniformQuantizedType;

namespace systole::stablehlo {

bool haveSameStorage(QuantizedType a, QuantizedType b) {
  return a.getStorageType() == b.getStorageType() && a.isSigned() == b.isSigned();
}

std::optional<int64_t> quantizedDimension(Type element) {
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(element);
  return perAxis ? std::optional<int64_t>(perAxis.getQuantizedDimension()) : std::nullopt;
}

bool haveSameNumbers(Type a, Type b) {
  if (a == b)
    return true;
  auto x = dyn_cast<QuantizedType>(a), y = dyn_cast<QuantizedType>(b);
  return x && y && x.getExpressedType() == y.getExpressedType() && haveSameStorage(x, y) &&
         x.getStorageTypeMin() == y.getStorageTypeMin() &&
         x.getStorageTypeMax() == y.getStorageTypeMax() &&
         isa<UniformQuantizedPerAxisType>(x) == isa<UniformQuantizedPerAxisType>(y);
}

/// Checks that the dimension along which the elements of `type` are quantized exists.
static LogicalResult checkDimension(const Refusal &refuse, RankedTensorType type) {
  if (*quantizedDimension(type.getElementType()) < type.getRank())
    return success();
  return refuse("requires types that are quantized along one of their dimensions, but there is ",
                type);
}

/// Checks that element types are the same, or of numbers with a scale for each index.
static LogicalResult checkSame(const Refusal &refuse, RankedTensorType operand,
                               RankedTensorType result) {
  Type from = operand.getElementType(), to = result.getElementType();
  if (from == to || (haveSameNumbers(from, to) && quantizedDimension(from)))
    return success();
  return refuse("requires the same element type for operand and result, but they are ", operand,
                " and ", result);
}

LogicalResult checkReshapedElements(const Refusal &refuse, RankedTensorType operand,
                                    RankedTensorType result) {
  if (failed(checkSame(refuse, operand, result)))
    return failure();
  auto from = dyn_cast<UniformQuantizedPerAxisType>(operand.getElementType()),
       to = dyn_cast<UniformQuantizedPerAxisType>(result.getElementType());
  if (!from)
    return success();
  if (failed(checkDimension(refuse, operand)) || failed(checkDimension(refuse, result)))
    return failure();
  if (from.getScales() != to.getScales() || from.getZeroPoints() != to.getZeroPoints())
    return refuse("requires the same scales and zero points for operand and result, but they are ",
                  operand, " and ", result);
  int64_t a = from.getQuantizedDimension(), b = to.getQuantizedDimension();
  auto areSame = [](ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
    return ShapedType::isDynamicShape(x) || ShapedType::isDynamicShape(y) ||
           countElements(x) == countElements(y);
  };
  ArrayRef<int64_t> x = operand.getShape(), y = result.getShape();
  if (areSame(x.take_front(a), y.take_front(b)) && areCompatibleSizes(x[a], y[b]) &&
      areSame(x.drop_front(a + 1), y.drop_front(b + 1)))
    return success();
  return refuse("cannot reshape across the dimension with scales, from ", operand, " to ", result);
}

LogicalResult checkBroadcastElements(const Refusal &refuse, RankedTensorType operand,
                                     RankedTensorType result, ArrayRef<int64_t> dims) {
  if (failed(checkSame(refuse, operand, result)))
    return failure();
  auto from = dyn_cast<UniformQuantizedPerAxisType>(operand.getElementType()),
       to = dyn_cast<UniformQuantizedPerAxisType>(result.getElementType());
  if (!from)
    return success();
  if (failed(checkDimension(refuse, operand)) || failed(checkDimension(refuse, result)))
    return failure();
  int64_t dim = from.getQuantizedDimension();
  if (dims[dim] != to.getQuantizedDimension())
    return refuse("requires a result that is quantized along dimension ", dims[dim], ", but it is ",
                  result);
  bool isRepeated =
      llvm::all_of(to.getScales(), [&](double s) { return s == from.getScales().front(); }) &&
      llvm::all_of(to.getZeroPoints(),
                   [&](int64_t zero) { return zero == from.getZeroPoints().front(); });
  if (operand.getDimSize(dim) == 1 && !isRepeated)
    return refuse("requires the operand's one scale and zero point for the whole result, but they "
                  "are ",
                  operand, " and ", result);
  return success();
}

LogicalResult checkProductElements(const Refusal &refuse, RankedTensorType lhs,
                                   RankedTensorType rhs, RankedTensorType result) {
  auto quantized = [](RankedTensorType type) {
    return dyn_cast<QuantizedType>(type.getElementType());
  };
  auto l = quantized(lhs), r = quantized(rhs), sum = quantized(result);
  auto refuseTypes = [&](StringRef rule) {
    return refuse("requires ", rule, ", but lhs is ", lhs, ", rhs is ", rhs, " and the result is ",
                  result);
  };
  if (!l && !r && !sum)
    return checkSameKind(refuse, lhs, rhs, result);
  if (!r || bool(l) != bool(sum))
    return refuseTypes("a quantized rhs, and both lhs and result quantized or none of them");
  if (!l) {
    Type numbers = r.getExpressedType();
    if (lhs.getElementType() == numbers && result.getElementType() == numbers)
      return success();
    return refuseTypes("lhs and result of the type that rhs expresses");
  }
  if (!haveSameStorage(l, r))
    return refuseTypes("one storage type for lhs and rhs");
  if (l.getExpressedType() != r.getExpressedType() ||
      l.getExpressedType() != sum.getExpressedType())
    return refuseTypes("one expressed type");
  if (!quantizedDimension(r) && quantizedDimension(sum))
    return refuseTypes("a result with one scale if rhs has one");
  return success();
}

LogicalResult checkRightFactor(const Refusal &refuse, RankedTensorType rhs,
                               ArrayRef<int64_t> contracting) {
  auto perTensor = dyn_cast<UniformQuantizedType>(rhs.getElementType());
  auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(rhs.getElementType());
  if ((perTensor && perTensor.getZeroPoint() != 0) ||
      (perAxis && llvm::any_of(perAxis.getZeroPoints(), [](int64_t zero) { return zero != 0; })))
    return refuse("requires zero points of 0 for rhs, but it is ", rhs);
  if (perAxis && llvm::is_contained(contracting, perAxis.getQuantizedDimension()))
    return refuse("cannot contract dimension ", perAxis.getQuantizedDimension(),
                  " of rhs, along which it is quantized");
  return success();
}

} // namespace systole::stablehlo
