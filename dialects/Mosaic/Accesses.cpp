// Loads and stores of vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mosaic/Mosaic.h"

using namespace mlir;
using namespace systole::tpu;

/// Whether `indices` name an element of `base`, which has the elements of `vector`.
static LogicalResult verifyAccess(Operation *op, MemRefType base, ValueRange indices,
                                  VectorType vector) {
  if (int64_t(indices.size()) != base.getRank())
    return op->emitOpError("expects ")
           << base.getRank() << " indices of " << base << ", found " << indices.size();
  if (vector.getElementType() != base.getElementType())
    return op->emitOpError("expects a vector of ")
           << base.getElementType() << ", which the memref has, found " << vector;
  return success();
}

/// Whether there are `strides` for all dimensions of `base`: of stores at least 1, as no two
/// elements go to one place.
static LogicalResult verifyStrides(Operation *op, MemRefType base, ArrayRef<int32_t> strides) {
  if (int64_t(strides.size()) != base.getRank())
    return op->emitOpError("expects ")
           << base.getRank() << " strides of " << base << ", found " << strides.size();
  int32_t least = isa<StridedStoreOp, VectorStoreOp>(op) ? 1 : 0;
  if (llvm::any_of(strides, [&](int32_t stride) { return stride < least; }))
    return op->emitOpError("expects strides of at least ") << least;
  return success();
}

/// An access of a whole vector, with a stride of 1 where there are no `strides`, and maybe a mask.
static LogicalResult verifyVectorAccess(Operation *op, MemRefType base, ValueRange indices,
                                        ArrayRef<int32_t> strides, VectorType vector, Value mask) {
  if (failed(verifyAccess(op, base, indices, vector)) ||
      (!strides.empty() && failed(verifyStrides(op, base, strides))))
    return failure();
  if (vector.getRank() > base.getRank())
    return op->emitOpError("expects a vector of at most ")
           << base.getRank() << " dimensions, found " << vector;
  if (!mask)
    return success();
  auto type = cast<VectorType>(mask.getType());
  bool fits = type.getElementType().isInteger(1) && type.getRank() == vector.getRank();
  for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
    fits = type.getDimSize(dim) == 1 || type.getDimSize(dim) == vector.getDimSize(dim);
  if (!fits)
    return op->emitOpError("expects a mask of i1 that can be broadcast to ")
           << vector << ", found " << type;
  return success();
}

LogicalResult VectorLoadOp::verify() {
  return verifyVectorAccess(*this, getBase().getType(), getIndices(), getStrides(),
                            getResult().getType(), getMask());
}

LogicalResult VectorStoreOp::verify() {
  return verifyVectorAccess(*this, getBase().getType(), getIndices(), getStrides(),
                            getValueToStore().getType(), getMask());
}

static LogicalResult verifyStridedAccess(Operation *op, MemRefType base, ValueRange indices,
                                         ArrayRef<int32_t> strides, VectorType vector) {
  if (failed(verifyAccess(op, base, indices, vector)) || failed(verifyStrides(op, base, strides)))
    return failure();
  if (vector.getRank() != base.getRank())
    return op->emitOpError("expects a vector of ")
           << base.getRank() << " dimensions, found " << vector;
  return success();
}

LogicalResult StridedLoadOp::verify() {
  return verifyStridedAccess(*this, getBase().getType(), getIndices(), getStrides(),
                             getResult().getType());
}

LogicalResult StridedStoreOp::verify() {
  return verifyStridedAccess(*this, getBase().getType(), getIndices(), getStrides(),
                             getValueToStore().getType());
}

//===----------------------------------------------------------------------===//
// Single registers
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getBase().getType(), getIndices(), getResult().getType());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getBase().getType(), getIndices(), getValueToStore().getType());
}

static LogicalResult verifyShuffledAccess(Operation *op, MemRefType base, ValueRange indices,
                                          ArrayRef<bool> mask, ArrayRef<int32_t> offsets,
                                          VectorType vector) {
  if (mask.size() != offsets.size())
    return op->emitOpError("expects an offset for each of ")
           << mask.size() << " sublanes, found " << offsets.size();
  return verifyAccess(op, base, indices, vector);
}

LogicalResult ShuffledLoadOp::verify() {
  return verifyShuffledAccess(*this, getBase().getType(), getIndices(), getSublaneMask(),
                              getSublaneOffsets(), getResult().getType());
}

LogicalResult ShuffledStoreOp::verify() {
  return verifyShuffledAccess(*this, getBase().getType(), getIndices(), getSublaneMask(),
                              getSublaneOffsets(), getValueToStore().getType());
}
