// Contractions as stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Precision.h"
#include "compiler/Planning/RoundedOperands.h"
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

using namespace mlir;

namespace systole {

/// The block of a contraction's operand with zeros beyond its depth.
Value StageBuilder::maskDepth(OpOperand &operand, const Cut &chunks) {
  Location loc = operand.getOwner()->getLoc();
  Value source = buffer(operand), left = elementsLeft(loc, chunks);
  int64_t dim = *chunks.dimOf(operand);
  auto type = cast<kernel::BufferType>(source.getType());
  Value masked = kernel::AllocOp::create(b, loc, type);
  emitElements(b, loc, source, masked, [&](ValueRange arguments) -> Value {
    Value exists = existsInChunk(loc, dim, left);
    return stablehlo::SelectOp::create(b, loc, exists, arguments[0],
                                       zeroElement(b, loc, type.getElementType()));
  });
  return masked;
}

LogicalResult StageBuilder::emitDot(stablehlo::DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  bool rhsTransposed = op.getRhsContractingDims().front() == type.getRank() - 1;
  int passes = passesOf(op) ? passesOf(op) : precision;

  if (isZeroSized(op.getLhs()) || isZeroSized(op.getRhs())) {
    emitElements(b, loc, {}, destination(op.getResult()),
                 [&](ValueRange) { return zeroElement(b, loc, type.getElementType()); });
    return success();
  }
  const Cut *chunks = blocking.chunksOf(op);
  bool isRagged = chunks && chunks->size % chunks->blockSize != 0;
  auto leaves = [&](Operation *producer) { return destinations.contains(producer->getResult(0)); };
  OpOperand &left = productSource(op->getOpOperand(0), leaves);
  OpOperand &right = productSource(op->getOpOperand(1), leaves);
  Value lhs = isRagged ? maskDepth(left, *chunks) : buffer(left);
  Value rhs = isRagged ? maskDepth(right, *chunks) : buffer(right);
  emitSums(op, isOnePass(op, passes), [&](Value sums, Value rounded, bool accumulate) {
    kernel::DotOp::create(b, loc, lhs, rhs, sums, rounded, rhsTransposed, accumulate,
                          op->hasAttr(kernel::kExchangedAttr), passes);
  });
  return success();
}

Value StageBuilder::isFirstOfChunks(Operation *op) {
  Value isFirst;
  for (const Cut &cut : blocking.cuts)
    if (llvm::is_contained(cut.map->accumulating, op)) {
      Value isFirstOfCut = isFirstChunk(op->getLoc(), cut);
      isFirst = isFirst
                    ? stablehlo::AndOp::create(b, op->getLoc(), isFirst, isFirstOfCut).getResult()
                    : isFirstOfCut;
    }
  return isFirst;
}

void StageBuilder::emitSums(Operation *op, bool isOnePass,
                            llvm::function_ref<void(Value, Value, bool)> create) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  // Sums that are done in chunks are wide by themselves (compiler/Graph).
  if (blocking.chunksOf(op)) {
    Value sums = destination(result);
    emitElements(b, loc, sums, sums, [&](ValueRange arguments) -> Value {
      return stablehlo::SelectOp::create(b, loc, isFirstOfChunks(op), zeroElement(b, loc, element),
                                         arguments[0]);
    });
    create(sums, Value(), /*accumulate=*/true);
    return;
  }

  for (const AddedProduct &added : addedProducts)
    if (added.product == result) {
      create(added.buffer, Value(), /*accumulate=*/true);
      buffers[added.sum] = added.buffer;
      return;
    }

  // The matrix unit sums floating point in f32 and integers in i32.
  Type sumType = isa<FloatType>(element) ? Type(b.getF32Type()) : Type(b.getI32Type());
  bool isWide = sumType == element;
  Value sums = isWide ? destination(result)
                      : kernel::AllocOp::create(b, loc, bufferType(shapeOf(result), sumType));
  // The MXUs' results are stored in the same rows of both.
  bool rounds = !isWide && isa<FloatType>(element) && isOnePass &&
                bufferType(result).hasRowsOf(cast<kernel::BufferType>(sums.getType()));
  create(sums, rounds ? destination(result) : Value(), /*accumulate=*/false);
  if (!isWide && !rounds)
    emitElements(b, loc, sums, destination(result), [&](ValueRange arguments) -> Value {
      return stablehlo::ConvertOp::create(b, loc, RankedTensorType::get({}, element), arguments[0]);
    });
}

} // namespace systole
