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
// constant: the attribute alone, its type being the result's, or else the generic form
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ElementsAttr value = adaptor.getValue();
  if (!value)
    return Refusal(location, getOperationName())("requires a 'value'");
  types.push_back(value.getShapedType());
  return success();
}

/// The integers that store a quantized type, as the specification and as MLIR has them.
static SmallVector<Type, 2> storageTypes(quant::QuantizedType type) {
  SmallVector<Type, 2> types = {type.getStorageType()};
  if (!type.isSigned())
    types.push_back(IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                                     IntegerType::Unsigned));
  return types;
}

LogicalResult ConstantOp::verify() {
  auto value = dyn_cast<RankedTensorType>(getValue().getShapedType());
  if (!value)
    return emitOpError() << "requires a value of a tensor type, but it is "
                         << getValue().getShapedType();
  RankedTensorType result = getOutput().getType();
  auto quantized = dyn_cast<quant::QuantizedType>(result.getElementType());
  bool fits = quantized && llvm::is_contained(storageTypes(quantized), value.getElementType())
                  ? value.getShape() == result.getShape()
                  : value == result;
  if (fits)
    return success();
  return emitOpError() << "requires a result of type " << value << ", but it is " << result;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool isInteger = isa<IntegerType>(getOutput().getType().getElementType());
  setName(getOutput(), isInteger ? "c" : "cst");
}

void ConstantOp::print(OpAsmPrinter &p) {
  if (getValue().getShapedType() != getType())
    return p.printGenericOp(*this, /*printOpName=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(), getAttributeNames());
  p << ' ';
  p.printStrippedAttrOrType(getValue());
}

/// The generic form behind its opening parenthesis.
static ParseResult parseGenericConstant(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseRParen() ||
      (succeeded(parser.parseOptionalLess()) &&
       (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater())) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseLParen() || parser.parseRParen() || parser.parseArrow() || parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return parseGenericConstant(parser, result);
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
