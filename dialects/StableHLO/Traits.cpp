// The checks behind the StableHLO op traits.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Traits.h"

#include "dialects/StableHLO/Quantization.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::stablehlo {

bool areCompatibleSizes(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

bool areCompatibleShapes(Type a, Type b) {
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && x.getRank() == y.getRank() &&
         llvm::all_of_zip(x.getShape(), y.getShape(), areCompatibleSizes);
}

bool areCompatibleElements(Type a, Type b) {
  return haveSameNumbers(a, b) && quantizedDimension(a) == quantizedDimension(b);
}

/// Whether the sizes of `b` are within the bounds of `a`. Other encodings, such as those of sparse
/// tensors, say how elements are stored, and may differ.
static bool areCompatibleEncodings(RankedTensorType a, RankedTensorType b) {
  if (!isa_and_nonnull<BoundsAttr>(a.getEncoding()))
    return true;
  ArrayRef<int64_t> bounds = cast<BoundsAttr>(a.getEncoding()).getBounds();
  return llvm::all_of(llvm::zip(a.getShape(), bounds, b.getShape()), [](auto sizes) {
    auto [own, bound, other] = sizes;
    return ShapedType::isStatic(own) || ShapedType::isDynamic(bound) ||
           ShapedType::isDynamic(other) || other <= bound;
  });
}

bool areCompatibleTypes(Type a, Type b) {
  if (a == b)
    return true;
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && areCompatibleElements(x.getElementType(), y.getElementType()) &&
         areCompatibleShapes(x, y) && areCompatibleEncodings(x, y) && areCompatibleEncodings(y, x);
}

bool areCompatibleTypes(TypeRange a, TypeRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult inferFirstOperandType(ValueRange operands, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  types.push_back(operands.front().getType());
  return success();
}

namespace OpTrait::detail {

/// Compares every operand and result with the first of them and emits an
/// error, naming both types, at the first for which `same` does not hold.
static LogicalResult verifyAll(Operation *op, StringRef requirement,
                               function_ref<bool(Type, Type)> same) {
  if (op->getNumOperands() == 0)
    return success();
  Type first = op->getOperand(0).getType();
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (!same(first, type))
      return op->emitOpError() << "requires " << requirement << ", but operand #0 is " << first
                               << " and operand #" << i << " is " << type;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (!same(first, type))
      return op->emitOpError() << "requires " << requirement << ", but operand #0 is " << first
                               << " and result #" << i << " is " << type;
  return success();
}

/// Checks a sum of quantized tensors: other than elsewhere, an operand with one scale may be added
/// to one with a scale for each index of a dimension.
static LogicalResult verifyQuantizedSum(AddOp op) {
  Refusal refuse(op);
  if (failed(verifySameShape(op)))
    return failure();
  Type result = op.getType();
  auto sum = cast<quant::QuantizedType>(getElementTypeOrSelf(result));
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes())) {
    auto term = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
    if (!haveSameStorage(term, sum))
      return refuse("requires one storage type for operands and result, but operand #", i, " is ",
                    type, " and the result is ", result);
    if (term.getExpressedType() != sum.getExpressedType())
      return refuse("requires one expressed type for operands and result, but operand #", i, " is ",
                    type, " and the result is ", result);
  }
  auto dimOf = [](Value value) { return quantizedDimension(getElementTypeOrSelf(value)); };
  bool hasDim = dimOf(op.getLhs()) || dimOf(op.getRhs());
  if (hasDim != dimOf(op.getResult()).has_value())
    return refuse("requires a result with a scale for each index of a dimension if and only if an "
                  "operand is such, but the operands are ",
                  op.getLhs().getType(), " and ", op.getRhs().getType(), " and the result is ",
                  result);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (dimOf(operand) && dimOf(operand) != dimOf(op.getResult()))
      return refuse("requires a result that is quantized along the dimension of operand #", i, ", ",
                    *dimOf(operand), ", but it is ", result);
  return success();
}

LogicalResult verifySameType(Operation *op) {
  auto isQuantized = [](Type type) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(type));
  };
  if (auto add = dyn_cast<AddOp>(op);
      add && llvm::all_of(op->getOperandTypes(), isQuantized) && isQuantized(add.getType()))
    return verifyQuantizedSum(add);
  return verifyAll(op, "the same type for all operands and results",
                   [](Type a, Type b) { return areCompatibleTypes(a, b); });
}

LogicalResult verifySameElementType(Operation *op) {
  return verifyAll(op, "the same element type for all operands and results", [](Type a, Type b) {
    // Operations with this trait that move elements also move the dimension that has scales.
    return haveSameNumbers(getElementTypeOrSelf(a), getElementTypeOrSelf(b));
  });
}

LogicalResult verifySameShape(Operation *op) {
  return verifyAll(op, "the same shape for all operands and results", areCompatibleShapes);
}

LogicalResult verifyPairwiseSameType(Operation *op) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "requires as many results as operands, but has "
                             << op->getNumOperands() << " operands and " << op->getNumResults()
                             << " results";
  for (auto [i, operand, result] : llvm::enumerate(op->getOperandTypes(), op->getResultTypes()))
    if (!areCompatibleTypes(operand, result))
      return op->emitOpError() << "requires the same type for operand and result, but operand #"
                               << i << " is " << operand << " and result #" << i << " is "
                               << result;
  return success();
}

LogicalResult verifyInferredType(Operation *op) {
  SmallVector<Type> inferred;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getDiscardableAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), inferred)))
    return failure();
  Type result = op->getResult(0).getType();
  // Elements that move to other places stay quantized as they are.
  const bool isSame = !isa<TransposeOp>(op) ||
                      getElementTypeOrSelf(inferred.front()) == getElementTypeOrSelf(result);
  if (!isSame || !areCompatibleTypes(inferred.front(), result))
    return op->emitOpError() << "requires a result of type " << inferred.front() << ", but it is "
                             << result;
  return success();
}

} // namespace OpTrait::detail
} // namespace systole::stablehlo
