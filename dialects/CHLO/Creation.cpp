// The CHLO operations that create constant tensors.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace systole::chlo;

#define GET_OP_CLASSES
#include "dialects/CHLO/Creation.cpp.inc"

void CHLODialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/CHLO/Creation.cpp.inc"
      >();
}

LogicalResult ConstantLikeOp::verify() {
  Type given = getValue().getType();
  Type element = cast<RankedTensorType>(getResult().getType()).getElementType();
  if (given != element)
    return stablehlo::Refusal(*this)("requires a value of type ", element, ", but it is ", given);
  return success();
}

void ConstantOp::print(OpAsmPrinter &p) {
  p.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
  p << ' ';
  p.printStrippedAttrOrType(getValue());
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseCustomAttributeWithFallback(value, Type(), "value", result.attributes))
    return failure();
  result.addTypes(value.getShapedType());
  return success();
}

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() == getOutput().getType())
    return success();
  return stablehlo::Refusal(*this)("requires a result of type ", getValue().getShapedType(),
                                   ", but it is ", getOutput().getType());
}
