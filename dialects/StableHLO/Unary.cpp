// The StableHLO operations on one tensor, element by element.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/Unary.cpp.inc"

void StableHLODialect::registerUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Unary.cpp.inc"
      >();
}

/// The type of a tensor's real parts.
static Type realType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    return type.clone(complex.getElementType());
  return type;
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(realType(adaptor.getOperand()));
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(realType(adaptor.getOperand()));
  return success();
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(realType(adaptor.getOperand()));
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  types.push_back(type.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult UniformQuantizeOp::verify() {
  Type from = getOperand().getType().getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(from))
    from = quantized.getExpressedType();
  auto to = cast<quant::QuantizedType>(getResult().getType().getElementType());
  if (from == to.getExpressedType())
    return success();
  return Refusal(*this)("requires numbers of one type, but those of the operand are ", from,
                        " and those of the result ", to.getExpressedType());
}

LogicalResult UniformDequantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  types.push_back(type.clone(cast<quant::QuantizedType>(type.getElementType()).getExpressedType()));
  return success();
}

/// The number of bits of an element for bitcasts.
static int64_t bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  Refusal refuse(*this);
  RankedTensorType from = getOperand().getType(), to = getResult().getType();
  if (isa<ComplexType>(from.getElementType()) != isa<ComplexType>(to.getElementType()))
    return refuse("cannot read bits across real and complex numbers, from ", from, " to ", to);
  int64_t fromWidth = bitWidth(from.getElementType());
  int64_t toWidth = bitWidth(to.getElementType());
  if (fromWidth == toWidth) {
    if (!areCompatibleShapes(from, to))
      return refuse("requires the same shape for elements of equal width, but "
                    "the operand is ",
                    from, " and the result is ", to);
    return success();
  }
  RankedTensorType narrow = fromWidth < toWidth ? from : to;
  RankedTensorType wide = fromWidth < toWidth ? to : from;
  int64_t ratio = std::max(fromWidth, toWidth) / std::min(fromWidth, toWidth);
  if (std::max(fromWidth, toWidth) % std::min(fromWidth, toWidth) != 0)
    return refuse("requires one element width to divide the other, but they "
                  "are ",
                  fromWidth, " and ", toWidth);
  if (narrow.getRank() != wide.getRank() + 1 ||
      !areCompatibleSizes(narrow.getShape().back(), ratio) ||
      !llvm::all_of_zip(narrow.getShape().drop_back(), wide.getShape(), areCompatibleSizes))
    return refuse("requires the narrower elements to have one more dimension, "
                  "at the end and of size ",
                  ratio, ", but the operand is ", from, " and the result is ", to);
  return success();
}
