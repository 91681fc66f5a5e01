// Contractions as stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageElements.h"

using namespace mlir;

namespace systole {

/// The number of bf16 passes that `op` asks for; 0 for the session's default.
static int passesOf(stablehlo::DotGeneralOp op) {
  if (auto algorithm = op.getAlgorithmAttr()) {
    if (algorithm.getNumPrimitiveOperations() >= 6)
      return 6;
    if (algorithm.getNumPrimitiveOperations() >= 3)
      return 3;
    return algorithm.getLhsPrecisionType().isF32() ? 6 : 1;
  }
  switch (std::max(op.getOperandPrecision(0), op.getOperandPrecision(1))) {
  case stablehlo::Precision::DEFAULT:
    return 0;
  case stablehlo::Precision::HIGH:
    return 3;
  case stablehlo::Precision::HIGHEST:
    return 6;
  }
  return 0;
}

/// The block of a contraction's operand with zeros beyond its depth.
Value StageBuilder::maskDepth(Location loc, Value operand, const Cut &chunks) {
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

  Value result = op.getResult();
  if (isZeroSized(op.getLhs()) || isZeroSized(op.getRhs())) {
    emitElements(b, loc, {}, destination(result),
                 [&](ValueRange) { return zeroElement(b, loc, type.getElementType()); });
    return success();
  }
  // Sums that are done in chunks are wide by themselves (CanonicalizeDots).
  if (const Cut *chunks = blocking.chunksOf(op)) {
    bool isRagged = chunks->size % chunks->blockSize != 0;
    Value lhs = isRagged ? maskDepth(loc, op.getLhs(), *chunks) : buffer(op.getLhs());
    Value rhs = isRagged ? maskDepth(loc, op.getRhs(), *chunks) : buffer(op.getRhs());
    Value sums = destination(result);
    emitElements(b, loc, sums, sums, [&](ValueRange arguments) -> Value {
      return stablehlo::SelectOp::create(b, loc, isFirstChunk(loc, *chunks),
                                         zeroElement(b, loc, type.getElementType()), arguments[0]);
    });
    kernel::DotOp::create(b, loc, lhs, rhs, sums, Value(), rhsTransposed, /*accumulate=*/true,
                          passes);
    return success();
  }

  // The matrix unit sums floating point in f32 and integers in i32.
  Type element = type.getElementType();
  Type sumType = isa<FloatType>(element) ? Type(b.getF32Type()) : Type(b.getI32Type());
  Value lhs = buffer(op.getLhs()), rhs = buffer(op.getRhs());
  Value sums = sumType == element
                   ? destination(result)
                   : kernel::AllocOp::create(b, loc, bufferType(shapeOf(result), sumType));
  auto isOnePass = [&](Value operand) {
    Type type = cast<RankedTensorType>(operand.getType()).getElementType();
    return type.isBF16() || (type.isF32() && passes == 1);
  };
  bool rounds = sumType != element && isa<FloatType>(element) && isOnePass(op.getLhs()) &&
                isOnePass(op.getRhs());
  kernel::DotOp::create(b, loc, lhs, rhs, sums, rounds ? destination(result) : Value(),
                        rhsTransposed, /*accumulate=*/false, passes);
  if (sumType != element && !rounds)
    emitElements(b, loc, sums, destination(result), [&](ValueRange arguments) -> Value {
      return stablehlo::ConvertOp::create(b, loc, RankedTensorType::get({}, element), arguments[0]);
    });
  return success();
}

} // namespace systole
