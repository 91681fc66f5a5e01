// The StableHLO operations that create tensors without operands.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Creation.cpp.inc"

void StableHLODialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Creation.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// constant: the attribute alone, its type being the result's
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ElementsAttr value = adaptor.getValue();
  if (!value)
    return Refusal(location, getOperationName())("requires a 'value'");
  types.push_back(value.getShapedType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool isInteger = isa<IntegerType>(getOutput().getType().getElementType());
  setName(getOutput(), isInteger ? "c" : "cst");
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

//===----------------------------------------------------------------------===//
// iota
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t rank = getOutput().getType().getRank();
  int64_t dim = getIotaDimension();
  if (dim >= rank)
    return Refusal(*this)("iota_dimension ", dim, " is out of range for rank-", rank, " result");
  return success();
}
