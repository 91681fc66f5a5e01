// The checks behind the StableHLO op traits.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Traits.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
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
  auto x = dyn_cast<quant::QuantizedType>(a), y = dyn_cast<quant::QuantizedType>(b);
  return a == b || (x && y && x.getExpressedType() == y.getExpressedType());
}

bool areCompatibleTypes(Type a, Type b) {
  if (a == b)
    return true;
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && areCompatibleElements(x.getElementType(), y.getElementType()) &&
         x.getEncoding() == y.getEncoding() && areCompatibleShapes(x, y);
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

LogicalResult verifySameType(Operation *op) {
  return verifyAll(op, "the same type for all operands and results",
                   [](Type a, Type b) { return areCompatibleTypes(a, b); });
}

LogicalResult verifySameElementType(Operation *op) {
  return verifyAll(op, "the same element type for all operands and results", [](Type a, Type b) {
    return areCompatibleElements(getElementTypeOrSelf(a), getElementTypeOrSelf(b));
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
  if (!areCompatibleTypes(inferred.front(), result))
    return op->emitOpError() << "requires a result of type " << inferred.front() << ", but it is "
                             << result;
  return success();
}

} // namespace OpTrait::detail
} // namespace systole::stablehlo
