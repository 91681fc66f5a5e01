// Calls of Mosaic kernels, and the stages that only these need.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole::kernel {

void MosaicCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getSideEffects())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult MosaicCallOp::verify() {
  if (getAliases().size() != getOutputs().size())
    return emitOpError() << "expects an alias for each of its " << getOutputs().size()
                         << " results, found " << getAliases().size();
  for (auto [number, alias] : llvm::enumerate(getAliases())) {
    if (alias < -1 || alias >= int64_t(getInputs().size()))
      return emitOpError() << "names operand " << alias << " of " << getInputs().size()
                           << " as that of result " << number;
    if (alias >= 0 && llvm::count(getAliases(), alias) > 1)
      return emitOpError() << "expects operand " << alias << " to be that of one result";
    if (alias >= 0 && getInputs()[alias].getType() != getOutputs()[number].getType())
      return emitOpError() << "expects result " << number << " to have the type of operand "
                           << alias;
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, BufferType type, ValueRange indices,
                                   Space space) {
  if (type.getSpace() != space)
    return op->emitOpError() << "expects a buffer in " << stringifySpace(space) << ", found "
                             << type;
  if (int64_t(indices.size()) != type.getRank())
    return op->emitOpError() << "expects " << type.getRank() << " indices, found "
                             << indices.size();
  if (type.getRows() * type.getLaneCount() == 0)
    return op->emitOpError() << "expects a buffer with elements, found " << type;
  return success();
}

LogicalResult StoreScalarOp::verify() {
  return verifyElement(*this, getBuffer().getType(), getIndices(), Space::smem);
}

LogicalResult ReadElementOp::verify() {
  BufferType type = getBuffer().getType();
  if (type.getSpace() != Space::vmem || type.getRows() * type.getLaneCount() != 1)
    return emitOpError() << "expects a buffer of one element in vmem, found " << type;
  return success();
}

LogicalResult LogOp::verify() {
  if (getTexts().size() != getValues().size() + 1)
    return emitOpError() << "expects a text around each of its " << getValues().size()
                         << " values, found " << getTexts().size();
  for (Type type : getValues().getAsValueRange<TypeAttr>()) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!getElementTypeOrSelf(type).isIntOrFloat() || (shaped && !shaped.hasStaticShape()) ||
        getElementTypeOrSelf(type).getIntOrFloatBitWidth() > 32)
      return emitOpError() << "expects numbers of at most 32 bits, or arrays of them, found "
                           << type;
  }
  return success();
}

LogicalResult SlotOp::verify() {
  auto alloc = getSource().getDefiningOp<AllocOp>();
  if (!alloc || alloc.getBuffers() == 1)
    return emitOpError("expects a kernel.alloc of several buffers");
  return success();
}

LogicalResult BitcastOp::verify() {
  BufferType from = getSource().getType(), to = getResult().getType();
  if (from.getSpace() != Space::vmem || to.getSpace() != Space::vmem ||
      from.getPhysicalRows() != to.getPhysicalRows() || from.getLaneCount() != to.getLaneCount() ||
      from.getLaneTiles() != 1)
    return emitOpError() << "expects buffers in vmem of the same rows, of 128 lanes at most, found "
                         << from << " and " << to;
  return success();
}

template <typename Op> static LogicalResult verifyAsyncCopy(Op op) {
  BufferType from = op.getSource().getType(), to = op.getDestination().getType();
  if (from.getStorageBits() != to.getStorageBits())
    return op.emitOpError() << "expects buffers of elements of one width, found " << from << " and "
                            << to;
  if (from.getSpace() == Space::flags || to.getSpace() == Space::flags)
    return op.emitOpError("copies no semaphores");
  ArrayRef<int64_t> sizes = op.getSizes();
  auto verifySide = [&](BufferType type, AffineMap map, ValueRange offsets) -> LogicalResult {
    if (map.getNumDims() != sizes.size() || map.getNumSymbols() ||
        int64_t(map.getNumResults()) != type.getRank())
      return op.emitOpError() << "expects a map from " << sizes.size() << " dimensions to "
                              << type.getRank() << ", found " << AffineMapAttr::get(map);
    if (!offsets.empty() && int64_t(offsets.size()) != type.getRank())
      return op.emitOpError() << "expects " << type.getRank() << " offsets or none, found "
                              << offsets.size();
    for (auto [result, extent] : llvm::zip_equal(map.getResults(), type.getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      auto constant = dyn_cast<AffineConstantExpr>(result);
      bool isInside = dim ? sizes[dim.getPosition()] <= extent
                          : constant && constant.getValue() == 0 && extent > 0;
      if (!isInside)
        return op.emitOpError() << "expects a box within " << type << ", found sizes [" << sizes
                                << "] and " << AffineMapAttr::get(map);
    }
    return success();
  };
  if (llvm::any_of(sizes, [](int64_t size) { return size < 1; }))
    return op.emitOpError() << "expects sizes of at least 1, found [" << sizes << "]";
  if (failed(verifySide(from, op.getSrcMap(), op.getSrcOffsets())) ||
      failed(verifySide(to, op.getDstMap(), op.getDstOffsets())))
    return failure();
  if (op.getCount() && sizes.size() < 2)
    return op.emitOpError("expects a dimension behind the one that it counts");
  return verifyElement(op, op.getSemaphore().getType(), op.getIndices(), Space::flags);
}
LogicalResult StartCopyOp::verify() { return verifyAsyncCopy(*this); }
LogicalResult WaitCopyOp::verify() { return verifyAsyncCopy(*this); }

LogicalResult SignalOp::verify() {
  return verifyElement(*this, getSemaphore().getType(), getIndices(), Space::flags);
}
LogicalResult WaitSemaphoreOp::verify() {
  return verifyElement(*this, getSemaphore().getType(), getIndices(), Space::flags);
}
LogicalResult ReadSemaphoreOp::verify() {
  return verifyElement(*this, getSemaphore().getType(), getIndices(), Space::flags);
}

} // namespace systole::kernel
