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

/// Verifies a sort of arrays of one shape; of other types than those that `isArray` accepts says
/// what was `expected`.
template <typename ArrayType, typename Op>
static LogicalResult verifySort(Op op, StringRef expected,
                                llvm::function_ref<bool(ArrayType)> isArray) {
  ValueRange inputs = op.getInputs();
  if (inputs.empty() || inputs.getTypes() != op.getOutputs().getTypes())
    return op.emitOpError("expects at least one array, and results of the inputs' types");
  auto first = cast<ArrayType>(inputs.front().getType());
  SmallVector<Type> elements;
  for (Value input : inputs) {
    auto type = cast<ArrayType>(input.getType());
    if (type.getShape() != first.getShape() || !isArray(type))
      return op.emitOpError("expects ") << expected << ", found " << type;
    elements.push_back(type.getElementType());
  }
  if (failed(verifyColumns(op, first.getShape(), elements, op.getChunks())))
    return failure();
  return verifyComparator(op, op.getBody().front(), elements);
}

LogicalResult ColumnSortOp::verify() {
  return verifySort<RankedTensorType>(*this, "arrays of one static shape",
                                      [](RankedTensorType type) { return type.hasStaticShape(); });
}

LogicalResult SortOp::verify() {
  for (auto [number, output] : llvm::enumerate(getOutputs()))
    if (llvm::is_contained(getOutputs().drop_front(number + 1), output) ||
        llvm::is_contained(getInputs(), output))
      return emitOpError("expects outputs that are no other operand");
  return verifySort<BufferType>(*this, "buffers of one shape in vmem", [](BufferType type) {
    return type.getSpace() == Space::vmem && !type.getReplicated();
  });
}
