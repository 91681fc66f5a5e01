// Reductions and contractions as stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/StageBuilder.h"
#include "compiler/Tiling/StageExpression.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {

LogicalResult StageBuilder::emitReduce(stablehlo::ReduceOp op) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = shapeOf(op.getInputs().front());
  SmallVector<Value> inits, outputs;
  for (Value init : op.getInitValues())
    inits.push_back(buffer(init));
  SmallVector<Value> inputs(op.getInputs());
  // Inputs of no elements have no buffer: the result is the initial value.
  if (llvm::is_contained(sizes, 0)) {
    for (auto [init, result] : llvm::zip_equal(inits, op.getResults())) {
      auto map = kernel::MapOp::create(
          b, loc, init, destination(result),
          b.getAffineMapArrayAttr(AffineMap::get(shapeOf(result).size(), 0, b.getContext())));
      OpBuilder::InsertionGuard guard(b);
      Block &body = map.getBody().emplaceBlock();
      BlockArgument value = body.addArgument(
          RankedTensorType::get({}, cast<RankedTensorType>(result.getType()).getElementType()),
          loc);
      b.setInsertionPointToEnd(&body);
      kernel::YieldOp::create(b, loc, ValueRange(value));
    }
    return success();
  }

  ExpressionBuilder expression(b, blocking, steps, buffers, scalars);
  expression.collect(inputs, b.getMultiDimIdentityMap(sizes.size()));
  for (Value result : op.getResults())
    outputs.push_back(destination(result));
  SmallVector<int64_t> dims(op.getDimensions());
  llvm::sort(dims);
  auto reduce = kernel::ReduceOp::create(b, loc, expression.inputs(), inits, outputs,
                                         expression.maps(b), sizes, dims);
  OpBuilder::InsertionGuard guard(b);
  expression.emitBody(reduce.getBody(), inputs, loc);

  IRMapping mapping;
  op.getBody().cloneInto(&reduce.getCombiner(), mapping);
  Operation *terminator = reduce.getCombiner().front().getTerminator();
  b.setInsertionPoint(terminator);
  kernel::YieldOp::create(b, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  return success();
}

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

LogicalResult StageBuilder::emitDot(stablehlo::DotGeneralOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  bool rhsTransposed = op.getRhsContractingDims().front() == type.getRank() - 1;
  int passes = passesOf(op) ? passesOf(op) : precision;

  // The matrix unit sums floating point in f32 and integers in i32.
  Type sumType = isa<FloatType>(element) ? Type(b.getF32Type()) : Type(b.getI32Type());
  Value result = op.getResult();
  Value lhs, rhs;
  bool empty = isZeroSized(op.getLhs()) || isZeroSized(op.getRhs());
  if (!empty) {
    lhs = buffer(op.getLhs());
    rhs = buffer(op.getRhs());
  }
  Value sums = sumType == element
                   ? destination(result)
                   : kernel::AllocOp::create(b, loc, bufferType(shapeOf(result), sumType));
  if (empty) {
    auto map = kernel::MapOp::create(b, loc, ValueRange(), sums, b.getAffineMapArrayAttr({}));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&map.getBody().emplaceBlock());
    auto scalar = RankedTensorType::get({}, sumType);
    Value zero = stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalar, b.getZeroAttr(sumType)));
    kernel::YieldOp::create(b, loc, zero);
  } else {
    auto isOnePass = [&](Value operand) {
      Type type = cast<RankedTensorType>(operand.getType()).getElementType();
      return type.isBF16() || (type.isF32() && passes == 1);
    };
    bool rounds = sumType != element && isa<FloatType>(element) && isOnePass(op.getLhs()) &&
                  isOnePass(op.getRhs());
    kernel::DotOp::create(b, loc, lhs, rhs, sums, rounds ? destination(result) : Value(),
                          rhsTransposed, /*accumulate=*/false, passes);
    if (rounds)
      return success();
  }
  if (sumType == element)
    return success();

  auto identity = b.getMultiDimIdentityMap(type.getRank());
  auto map =
      kernel::MapOp::create(b, loc, sums, destination(result), b.getAffineMapArrayAttr(identity));
  OpBuilder::InsertionGuard guard(b);
  Block &body = map.getBody().emplaceBlock();
  BlockArgument sum = body.addArgument(RankedTensorType::get({}, sumType), loc);
  b.setInsertionPointToEnd(&body);
  Value converted = stablehlo::ConvertOp::create(b, loc, RankedTensorType::get({}, element), sum);
  kernel::YieldOp::create(b, loc, converted);
  return success();
}

} // namespace systole
