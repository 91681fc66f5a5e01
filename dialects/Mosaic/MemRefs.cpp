// Views of memrefs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole::tpu;

/// Whether both memrefs are in one memory space, or one of the types does not tell.
static LogicalResult verifySpace(Operation *op, MemRefType from, MemRefType to) {
  if (to.getMemorySpace() && from.getMemorySpace() && to.getMemorySpace() != from.getMemorySpace())
    return op->emitOpError("expects one memory space, found ") << from << " and " << to;
  return success();
}

static LogicalResult verifyElementType(Operation *op, MemRefType from, MemRefType to) {
  if (from.getElementType() != to.getElementType())
    return op->emitOpError("expects one element type, found ") << from << " and " << to;
  return success();
}

LogicalResult MemRefSliceOp::verify() {
  MemRefType from = getMemRef().getType(), to = getResult().getType();
  if (to.getRank() != from.getRank())
    return emitOpError("expects a part of as many dimensions, found ") << from << " and " << to;
  if (int64_t(getBaseIdx().size()) != from.getRank())
    return emitOpError("expects ")
           << from.getRank() << " indices of " << from << ", found " << getBaseIdx().size();
  if (getDynamicSizes().size() != size_t(to.getNumDynamicDims()))
    return emitOpError("expects ") << to.getNumDynamicDims() << " sizes of " << to << ", found "
                                   << getDynamicSizes().size();
  for (auto [part, all] : llvm::zip(to.getShape(), from.getShape()))
    if (!ShapedType::isDynamic(part) && !ShapedType::isDynamic(all) && part > all)
      return emitOpError("expects a part of ") << from << ", found " << to;
  return failure(failed(verifyElementType(*this, from, to)) ||
                 failed(verifySpace(*this, from, to)));
}

LogicalResult MemRefSqueezeOp::verify() {
  MemRefType from = getInput().getType(), to = getResult().getType();
  ArrayRef<int64_t> rest = to.getShape();
  for (int64_t size : from.getShape()) {
    // A dimension of size 1 that the result has next may be any of several; the first one will do.
    if (!rest.empty() && rest.front() == size)
      rest = rest.drop_front();
    else if (size != 1)
      return emitOpError("expects to drop dimensions of size 1, found ") << from << " and " << to;
  }
  if (!rest.empty())
    return emitOpError("expects to drop dimensions of size 1, found ") << from << " and " << to;
  return failure(failed(verifyElementType(*this, from, to)) ||
                 failed(verifySpace(*this, from, to)));
}

/// The number of elements of a static shape, unless it overflows.
static std::optional<int64_t> countElements(MemRefType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(elements, size, elements))
      return std::nullopt;
  return elements;
}

LogicalResult MemRefReshapeOp::verify() {
  MemRefType from = getInput().getType(), to = getResult().getType();
  std::optional<int64_t> before = countElements(from), after = countElements(to);
  if (!before || before != after)
    return emitOpError("expects static shapes of as many elements, found ")
           << from << " and " << to;
  return failure(failed(verifyElementType(*this, from, to)) ||
                 failed(verifySpace(*this, from, to)));
}

LogicalResult MemRefBitcastOp::verify() {
  MemRefType from = getInput().getType(), to = getResult().getType();
  Type fromType = from.getElementType(), toType = to.getElementType();
  if (!fromType.isIntOrFloat() || !toType.isIntOrFloat())
    return emitOpError("expects memrefs of integers or floats, found ") << from << " and " << to;
  int64_t fromBits = fromType.getIntOrFloatBitWidth(), toBits = toType.getIntOrFloatBitWidth();
  if (from.getRank() != to.getRank() || (fromBits != toBits && from.getRank() < 2))
    return emitOpError("expects memrefs of one rank, at least 2 if the widths differ, found ")
           << from << " and " << to;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t before = from.getDimSize(dim), after = to.getDimSize(dim);
    bool isPacked = dim == from.getRank() - 2;
    // Of a dynamic dimension the sizes are not known.
    bool isSame = before == after && (!isPacked || fromBits == toBits);
    if (ShapedType::isDynamic(before) || ShapedType::isDynamic(after)
            ? before != after
            : !isSame && (!isPacked || before * fromBits != after * toBits))
      return emitOpError("expects as many bits in both types, found ") << from << " and " << to;
  }
  return verifySpace(*this, from, to);
}

LogicalResult ReinterpretCastOp::verify() {
  MemRefType from = getInput().getType(), to = getResult().getType();
  if (getDynamicSizes().size() != size_t(to.getNumDynamicDims()))
    return emitOpError("expects ") << to.getNumDynamicDims() << " sizes of " << to << ", found "
                                   << getDynamicSizes().size();
  return verifySpace(*this, from, to);
}

LogicalResult EraseLayoutOp::verify() {
  MemRefType from = getOperand().getType(), to = getResult().getType();
  if (from.getShape() != to.getShape())
    return emitOpError("expects one shape, found ") << from << " and " << to;
  if (!to.getLayout().isIdentity())
    return emitOpError("expects a result without a layout, found ") << to;
  return failure(failed(verifyElementType(*this, from, to)) ||
                 failed(verifySpace(*this, from, to)));
}
