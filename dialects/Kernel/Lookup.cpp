// Verifiers of lookups.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace systole;
using namespace systole::kernel;

/// Verifies tables, indices and results by shape and type of elements.
template <typename ShapedType>
static LogicalResult verifyTables(Operation *op, ShapedType table, ShapedType indices,
                                  ShapedType result) {
  auto hasWords = [](Type element) { return element.isF32() || element.isInteger(32); };
  if (!hasWords(table.getElementType()) || !indices.getElementType().isSignlessInteger(32) ||
      result.getElementType() != table.getElementType())
    return op->emitOpError() << "expects elements of 32 bits at indices of i32, found " << table
                             << " and " << indices << " for " << result;
  if (table.getShape().size() != 2 || indices.getShape().size() != 2 ||
      table.getShape()[0] != indices.getShape()[0] || result.getShape() != indices.getShape())
    return op->emitOpError() << "expects tables [B, N], indices [B, M] and results of their shape, "
                                "found "
                             << table << " and " << indices << " for " << result;
  return success();
}

LogicalResult LookupOp::verify() {
  return verifyTables(*this, cast<RankedTensorType>(getTable().getType()),
                      cast<RankedTensorType>(getIndices().getType()),
                      cast<RankedTensorType>(getType()));
}

LogicalResult TakeOp::verify() {
  for (Value buffer : getOperands())
    if (auto type = cast<BufferType>(buffer.getType());
        type.getSpace() != Space::vmem || type.getReplicated())
      return emitOpError() << "expects buffers in vmem, found " << type;
  if (getOut() == getTable() || getOut() == getIndices())
    return emitOpError("expects a result that is no other operand");
  return verifyTables(*this, getTable().getType(), getIndices().getType(), getOut().getType());
}
