// Conversions of elements, narrow elements in words, and masks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace systole::tpu;

/// Bits of an element that can be packed; 0 for other types.
static unsigned bitsOf(Type element) {
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

LogicalResult BitcastOp::verify() {
  VectorType from = getInput().getType(), to = getOutput().getType();
  unsigned fromBits = bitsOf(from.getElementType()), toBits = bitsOf(to.getElementType());
  if (!fromBits || !toBits)
    return emitOpError("expects vectors of integers or floats, found ") << from << " and " << to;
  if (from.getRank() != to.getRank() || (fromBits != toBits && from.getRank() < 2))
    return emitOpError("expects vectors of one rank, at least 2 if the widths differ, found ")
           << from << " and " << to;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    bool isPacked = dim == from.getRank() - 2;
    if (from.getDimSize(dim) * (isPacked ? fromBits : 1) !=
        to.getDimSize(dim) * (isPacked ? toBits : 1))
      return emitOpError("expects as many bits in both types, found ") << from << " and " << to;
  }
  return success();
}

LogicalResult WeirdOp::verify() {
  Type input = getInput().getType(), output = getOutput().getType();
  if (!getElementTypeOrSelf(input).isF32() || !getElementTypeOrSelf(output).isInteger(1) ||
      failed(verifyCompatibleShape(input, output)))
    return emitOpError("expects f32 and i1 of one shape, found ") << input << " and " << output;
  return success();
}

LogicalResult StochasticConvertElementwiseOp::verify() {
  unsigned bits = isa<FloatType>(getDstType()) ? bitsOf(getDstType()) : 0;
  if (!bits || bits > 16)
    return emitOpError("expects a float of at most 16 bits to convert to, found ") << getDstType();
  return success();
}

//===----------------------------------------------------------------------===//
// Narrow elements in words
//===----------------------------------------------------------------------===//

/// How many elements of type `narrow` are in one of type `wide`; 0 if they do not fill it.
static unsigned packingOf(Type wide, Type narrow) {
  unsigned wideBits = bitsOf(wide), narrowBits = bitsOf(narrow);
  return narrowBits && wideBits > narrowBits && wideBits % narrowBits == 0 ? wideBits / narrowBits
                                                                           : 0;
}

LogicalResult PackElementwiseOp::verify() {
  if (getSources().empty())
    return emitOpError("expects sources");
  auto source = cast<VectorType>(getSources().front().getType());
  VectorType output = getOutput().getType();
  unsigned packing = packingOf(source.getElementType(), getTargetType());
  if (packing != getSources().size())
    return emitOpError("expects a source for each of ")
           << packing << " " << getTargetType() << " in " << source.getElementType() << ", found "
           << getSources().size();
  if (output.getShape() != source.getShape() ||
      bitsOf(output.getElementType()) != bitsOf(source.getElementType()))
    return emitOpError("expects a result with the shape and width of ")
           << source << ", found " << output;
  return success();
}

LogicalResult UnpackElementwiseOp::verify() {
  Type word = getSource().getType().getElementType();
  unsigned packing = packingOf(word, getSourceType());
  if (!packing)
    return emitOpError("expects elements that fill ") << word << ", found " << getSourceType();
  if (getIndex() >= packing)
    return emitOpError("expects an index below ") << packing << ", found " << getIndex();
  if (bitsOf(getOutput().getType().getElementType()) != bitsOf(word))
    return emitOpError("expects a result as wide as ")
           << word << ", found " << getOutput().getType();
  return success();
}

LogicalResult PackSubelementsOp::verify() {
  if (getSources().empty() || getSources().size() != getPositions().size())
    return emitOpError("expects sources and a position for each, found ")
           << getSources().size() << " and " << getPositions().size();
  auto source = cast<VectorType>(getSources().front().getType());
  unsigned packing = packingOf(source.getElementType(), getOutput().getType().getElementType());
  SmallVector<bool> seen(packing);
  for (int32_t position : getPositions())
    if (position < 0 || unsigned(position) >= packing || std::exchange(seen[position], true))
      return emitOpError("expects different positions below ") << packing << ", found " << position;
  return success();
}

LogicalResult UnpackSubelementsOp::verify() {
  Type from = getSource().getType().getElementType(), to = getOutput().getType().getElementType();
  unsigned packing = packingOf(to, from);
  if (!packing)
    return emitOpError("expects wider elements than ") << from << ", found " << to;
  if (getIndex() >= packing)
    return emitOpError("expects an index below ") << packing << ", found " << getIndex();
  return success();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

LogicalResult CreateMaskOp::verify() {
  if (int64_t(getLow().size()) != getOutput().getType().getRank())
    return emitOpError("expects two ends of each dimension of ")
           << getOutput().getType() << ", found " << getLow().size();
  return success();
}

LogicalResult MaskCastOp::verify() {
  VectorType from = getInput().getType(), to = getResult().getType();
  if (from.getShape().take_front(2) != to.getShape().take_front(2) || from.getRank() < 2 ||
      to.getRank() > 3 || from.getRank() > 3)
    return emitOpError("expects the same sublanes and lanes, found ") << from << " and " << to;
  return success();
}
