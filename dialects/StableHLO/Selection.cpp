// The StableHLO operations that compare elements and choose between them.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Selection.cpp.inc"

void StableHLODialect::registerSelectionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Selection.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// compare
//===----------------------------------------------------------------------===//

/// The default comparison type of an element type.
static ComparisonType defaultComparison(Type element) {
  if (isa<FloatType, ComplexType>(element))
    return ComparisonType::FLOAT;
  if (element.isUnsignedInteger() || element.isInteger(1))
    return ComparisonType::UNSIGNED;
  return ComparisonType::SIGNED;
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (!areCompatibleTypes(lhs, rhs))
    return Refusal(location, getOperationName())(
        "requires the same type for both operands, but lhs is ", lhs, " and rhs is ", rhs);
  types.push_back(lhs.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult CompareOp::verify() {
  Refusal refuse(*this);
  Type element = getLhs().getType().getElementType();
  std::optional<ComparisonType> type = getCompareType();
  if (!type || *type == ComparisonType::NOTYPE || *type == defaultComparison(element) ||
      isa<quant::QuantizedType>(element) ||
      (*type == ComparisonType::TOTALORDER && !isa<ComplexType>(element)))
    return success();
  return refuse("compare_type ", stringifyComparisonType(*type), " does not fit elements of type ",
                element);
}

//===----------------------------------------------------------------------===//
// select, clamp
//===----------------------------------------------------------------------===//

/// Checks that a tensor has rank 0 or the shape of another.
static LogicalResult checkScalarOrShape(const Refusal &refuse, StringRef name, Type type,
                                        StringRef whole, Type wholeType) {
  if (cast<RankedTensorType>(type).getRank() == 0 || areCompatibleShapes(type, wholeType))
    return success();
  return refuse(name, " must have rank 0 or the shape of ", whole, ", but is ", type, " beside ",
                wholeType);
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  Type onTrue = adaptor.getOnTrue().getType();
  Type onFalse = adaptor.getOnFalse().getType();
  if (!areCompatibleTypes(onTrue, onFalse))
    return refuse("requires the same type for both choices, but on_true is ", onTrue,
                  " and on_false is ", onFalse);
  types.push_back(onTrue);
  return checkScalarOrShape(refuse, "pred", adaptor.getPred().getType(), "on_true", onTrue);
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Refusal refuse(location, getOperationName());
  Type operand = adaptor.getOperand().getType();
  types.push_back(operand);
  if (failed(checkScalarOrShape(refuse, "min", adaptor.getMin().getType(), "operand", operand)))
    return failure();
  return checkScalarOrShape(refuse, "max", adaptor.getMax().getType(), "operand", operand);
}
