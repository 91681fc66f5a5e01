// Decomposes products in Einstein's notation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/StableHLO/Einsum.h"
#include "compiler/Legalize/Decompose/Decompose.h"
#include "dialects/StableHLO/Quantization.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

namespace {

/// A tensor with a label for each dimension.
struct Labelled {
  Value value;
  Einsum::Labels labels;

  int64_t dimOf(int64_t label) const { return llvm::find(labels, label) - labels.begin(); }
  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
};

/// The sum along `dim`, which is dropped.
void sumOver(Tensors &t, Labelled &x, int64_t dim) {
  Value zero = zeros(t, typeOf(x.value).clone(ArrayRef<int64_t>()));
  x.value = t.reduce<AddOp>(x.value, zero, {dim});
  x.labels.erase(x.labels.begin() + dim);
}

/// Of labels that occur twice, the diagonal.
void takeDiagonals(Tensors &t, Labelled &x) {
  for (size_t second = 0; second < x.labels.size();) {
    int64_t first = x.dimOf(x.labels[second]);
    if (first == static_cast<int64_t>(second)) {
      ++second;
      continue;
    }
    Type i32 = t.b.getI32Type();
    ArrayRef<int64_t> shape = shapeOf(x.value);
    Value isDiagonal =
        t.compare(ComparisonDirection::EQ, t.iota(i32, shape, first), t.iota(i32, shape, second));
    x.value = t.select(isDiagonal, x.value, zeros(t, typeOf(x.value)));
    sumOver(t, x, second);
  }
}

/// Sums over the labels that are not wanted.
template <typename Predicate> void sumOthers(Tensors &t, Labelled &x, Predicate isWanted) {
  for (size_t dim = 0; dim < x.labels.size();)
    if (isWanted(x.labels[dim]))
      ++dim;
    else
      sumOver(t, x, dim);
}

/// The dimensions in the order of `labels`.
Value inOrder(Tensors &t, const Labelled &x, ArrayRef<int64_t> labels) {
  return t.transpose(x.value,
                     llvm::map_to_vector(labels, [&](int64_t label) { return x.dimOf(label); }));
}

/// A product. Quantized factors that a dot_general does not take are multiplied as real numbers.
Value product(Tensors &t, Value lhs, Value rhs, RankedTensorType type,
              DotDimensionNumbersAttr numbers, ArrayAttr precision) {
  Refusal silent(std::nullopt, DotGeneralOp::getOperationName());
  auto multiply = [&](Value lhs, Value rhs, RankedTensorType type) -> Value {
    return DotGeneralOp::create(t.b, t.loc, type, lhs, rhs, numbers, precision, DotAlgorithmAttr());
  };
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  if (!quantized ||
      (succeeded(checkProductElements(silent, typeOf(lhs), typeOf(rhs), type)) &&
       succeeded(checkRightFactor(silent, typeOf(rhs), numbers.getRhsContractingDimensions()))))
    return multiply(lhs, rhs, type);
  auto real = [&](Value value) -> Value {
    auto from = dyn_cast<quant::QuantizedType>(typeOf(value).getElementType());
    if (!from)
      return value;
    return UniformDequantizeOp::create(t.b, t.loc, typeOf(value).clone(from.getExpressedType()),
                                       value);
  };
  return UniformQuantizeOp::create(
      t.b, t.loc, type, multiply(real(lhs), real(rhs), type.clone(quantized.getExpressedType())));
}

Labelled multiply(Tensors &t, const Labelled &lhs, const Labelled &rhs, const Einsum &einsum,
                  Type element) {
  SmallVector<int64_t> batch[2], summed[2];
  Labelled result;
  for (int64_t label : lhs.labels) {
    if (!rhs.has(label))
      continue;
    bool isKept = llvm::is_contained(einsum.result, label);
    (isKept ? batch : summed)[0].push_back(lhs.dimOf(label));
    (isKept ? batch : summed)[1].push_back(rhs.dimOf(label));
    if (isKept)
      result.labels.push_back(label);
  }
  auto addFree = [&](const Labelled &x, const Labelled &other) {
    for (int64_t label : x.labels)
      if (!other.has(label))
        result.labels.push_back(label);
  };
  addFree(lhs, rhs);
  addFree(rhs, lhs);
  SmallVector<int64_t> shape;
  for (int64_t label : result.labels) {
    const Labelled &x = lhs.has(label) ? lhs : rhs;
    shape.push_back(shapeOf(x.value)[x.dimOf(label)]);
  }
  auto numbers =
      DotDimensionNumbersAttr::get(t.b.getContext(), batch[0], batch[1], summed[0], summed[1]);
  result.value =
      product(t, lhs.value, rhs.value, RankedTensorType::get(shape, element), numbers, ArrayAttr());
  return result;
}

} // namespace

Value decomposeDot(DotOp op) {
  Tensors t(op);
  auto numbers = DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                              {op.getLhs().getType().getRank() - 1}, {0});
  return product(t, op.getLhs(), op.getRhs(), op.getType(), numbers, op.getPrecisionConfigAttr());
}

Value decomposeEinsum(Operation *op, StringRef equation) {
  Tensors t(op);
  FailureOr<Einsum> einsum = Einsum::parse(Refusal(op), equation, op->getOperandTypes());
  assert(succeeded(einsum) && "verified");
  SmallVector<Labelled> operands;
  for (auto [value, labels] : llvm::zip_equal(op->getOperands(), einsum->operands)) {
    Labelled &x = operands.emplace_back(Labelled{value, labels});
    takeDiagonals(t, x);
  }
  for (auto [number, x] : llvm::enumerate(operands))
    sumOthers(t, x, [&](int64_t label) {
      bool isShared = operands.size() == 2 && operands[1 - number].has(label);
      return isShared || llvm::is_contained(einsum->result, label);
    });
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Labelled result =
      operands.size() == 1 ? operands[0] : multiply(t, operands[0], operands[1], *einsum, element);
  return t.convert(inOrder(t, result, einsum->result), element);
}

} // namespace systole::decomposition
