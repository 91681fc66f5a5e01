// Verifiers of sorts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace systole;
using namespace systole::kernel;

/// Verifies arrays of one shape, of which `elements` are the types of elements, and chunks.
static LogicalResult verifyColumns(Operation *op, ArrayRef<int64_t> shape, ArrayRef<Type> elements,
                                   int64_t chunks) {
  if (shape.size() != 3 || shape[1] < kLeastSortedRows || !llvm::isPowerOf2_64(shape[1]))
    return op->emitOpError() << "expects arrays of shape [O, T, L], T a power of two of at least "
                             << kLeastSortedRows << ", found [" << shape << "]";
  for (Type element : elements)
    if (!element.isF32() && !element.isInteger(32))
      return op->emitOpError() << "expects elements of 32 bits, found " << element;
  bool hasChunks = chunks > 1 && chunks <= shape[2] && llvm::isPowerOf2_64(chunks) &&
                   llvm::isPowerOf2_64(shape[2]) && shape[2] <= systole::kLanes &&
                   shape[1] >= kLeastChunkRows;
  if (chunks != 1 && !hasChunks)
    return op->emitOpError() << "expects one chunk, or a power of two of them that share a power "
                                "of two of at most 128 lanes, in at least "
                             << kLeastChunkRows << " rows, found " << chunks << " in [" << shape
                             << "]";
  return success();
}

/// Verifies a comparator of two elements of each array.
static LogicalResult verifyComparator(Operation *op, Block &body, ArrayRef<Type> elements) {
  SmallVector<Type> arguments;
  for (Type element : elements)
    arguments.append(2, RankedTensorType::get({}, element));
  if (TypeRange(body.getArgumentTypes()) != TypeRange(arguments))
    return op->emitOpError("expects two elements of each array as arguments of its comparator");
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  Type predicate = RankedTensorType::get({}, IntegerType::get(op->getContext(), 1));
  if (!yield || yield.getOperandTypes() != TypeRange(predicate))
    return op->emitOpError("expects a comparator that ends in kernel.yield of one i1");
  return success();
}

LogicalResult ColumnSortOp::verify() {
  if (getInputs().empty() || getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError("expects at least one array, and results of the operands' types");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  SmallVector<Type> elements;
  for (Value input : getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getShape() != first.getShape() || !type.hasStaticShape())
      return emitOpError("expects arrays of one static shape");
    elements.push_back(type.getElementType());
  }
  if (failed(verifyColumns(*this, first.getShape(), elements, getChunks())))
    return failure();
  return verifyComparator(*this, getBody().front(), elements);
}

LogicalResult SortOp::verify() {
  if (getInputs().empty() || getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError("expects at least one buffer, and outputs of the inputs' types");
  auto first = cast<BufferType>(getInputs().front().getType());
  SmallVector<Type> elements;
  for (Value input : getInputs()) {
    auto type = cast<BufferType>(input.getType());
    if (type.getShape() != first.getShape() || type.getSpace() != Space::vmem ||
        type.getReplicated())
      return emitOpError("expects buffers of one shape in vmem, found ") << type;
    elements.push_back(type.getElementType());
  }
  for (auto [number, output] : llvm::enumerate(getOutputs()))
    if (llvm::is_contained(getOutputs().drop_front(number + 1), output) ||
        llvm::is_contained(getInputs(), output))
      return emitOpError("expects outputs that are no other operand");
  if (failed(verifyColumns(*this, first.getShape(), elements, getChunks())))
    return failure();
  return verifyComparator(*this, getBody().front(), elements);
}
