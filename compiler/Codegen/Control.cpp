// Structured control flow on the sequencer.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Control.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

// The program verifier accepts 64 nested blocks; a scalar division needs one.
constexpr int kMaxDepth = 62;

// Loop-carried and yielded values must fit scalar registers.
static LogicalResult checkScalars(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!type.isInteger(32) && !type.isInteger(1))
      return op->emitOpError() << "expects to carry i32 or i1, found " << type;
  return success();
}

SmallVector<Value> ControlLowering::scalars(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) { return scalar(value); });
}

LogicalResult ControlLowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult ControlLowering::lowerOp(Operation &op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    if (depth == kMaxDepth)
      return op.emitError() << "control flow nests deeper than " << kMaxDepth << " levels";
    ++depth;
    LogicalResult result = lowerControl(op);
    --depth;
    return result;
  }
  if (!isa<arith::ArithDialect>(op.getDialect()))
    return lowerOther(op);
  e.loc = op.getLoc();
  Value result = emitArithmetic(e, op, scalars(op.getOperands()));
  if (!result)
    return op.emitOpError("has no lowering to the scalar unit");
  setScalar(op.getResult(0), result);
  return success();
}

LogicalResult ControlLowering::lowerControl(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return lowerIf(branch);
  return lowerWhile(cast<scf::WhileOp>(op));
}

LogicalResult ControlLowering::lowerFor(scf::ForOp op) {
  Value step = scalar(op.getStep());
  std::optional<int32_t> known = step ? e.constantValue(step) : std::nullopt;
  if (!op.getInductionVar().getType().isInteger(32) || !known || *known <= 0)
    return op.emitOpError("expects an i32 index and a constant positive step");
  if (failed(checkScalars(op, op.getResultTypes())))
    return failure();
  bool hasFailed = false;
  e.loc = op.getLoc();
  SmallVector<Value> results =
      e.loop(scalar(op.getLowerBound()), scalar(op.getUpperBound()), *known,
             scalars(op.getInitArgs()), [&](Value index, ValueRange carried) {
               setScalar(op.getInductionVar(), index);
               for (auto [argument, value] : llvm::zip_equal(op.getRegionIterArgs(), carried))
                 setScalar(argument, value);
               hasFailed |= failed(lowerBlock(*op.getBody()));
               if (hasFailed)
                 return SmallVector<Value>(carried);
               return scalars(op.getBody()->getTerminator()->getOperands());
             });
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    setScalar(result, value);
  return failure(hasFailed);
}

LogicalResult ControlLowering::lowerIf(scf::IfOp op) {
  if (failed(checkScalars(op, op.getResultTypes())))
    return failure();
  e.loc = op.getLoc();
  Value condition = scalar(op.getCondition());
  // A constant condition needs no branch.
  if (std::optional<int32_t> known = e.constantValue(condition)) {
    Region &arm = *known ? op.getThenRegion() : op.getElseRegion();
    if (arm.empty())
      return success();
    if (failed(lowerBlock(arm.front())))
      return failure();
    for (auto [result, value] :
         llvm::zip_equal(op.getResults(), arm.front().getTerminator()->getOperands()))
      setScalar(result, scalar(value));
    return success();
  }
  SmallVector<Type> types(op.getNumResults(), e.b.getI32Type());
  Value flag = core::CondOp::create(e.b, e.loc, e.b.getI1Type(), condition);
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(e.b, e.loc, types, flag, hasElse);
  auto lowerArm = [&](Region &from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(e.b);
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    e.b.setInsertionPointToEnd(to);
    if (failed(lowerBlock(from.front())))
      return failure();
    scf::YieldOp::create(e.b, op.getLoc(), scalars(from.front().getTerminator()->getOperands()));
    return success();
  };
  if (failed(lowerArm(op.getThenRegion(), branch.thenBlock())) ||
      (hasElse && failed(lowerArm(op.getElseRegion(), branch.elseBlock()))))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), branch.getResults()))
    setScalar(result, value);
  return success();
}

LogicalResult ControlLowering::lowerWhile(scf::WhileOp op) {
  if (failed(checkScalars(op, op->getOperandTypes())) ||
      failed(checkScalars(op, op.getResultTypes())))
    return failure();
  Type i32 = e.b.getI32Type();
  SmallVector<Type> types(op.getNumResults(), i32);
  e.loc = op.getLoc();
  auto loop = scf::WhileOp::create(e.b, e.loc, types, scalars(op.getInits()));
  OpBuilder::InsertionGuard guard(e.b);

  Block *before = e.b.createBlock(&loop.getBefore());
  for (BlockArgument argument : op.getBeforeArguments())
    setScalar(argument, before->addArgument(i32, argument.getLoc()));
  if (failed(lowerBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  e.loc = condition.getLoc();
  Value flag = core::CondOp::create(e.b, e.loc, e.b.getI1Type(), scalar(condition.getCondition()));
  scf::ConditionOp::create(e.b, e.loc, flag, scalars(condition.getArgs()));

  Block *after = e.b.createBlock(&loop.getAfter());
  for (BlockArgument argument : op.getAfterArguments())
    setScalar(argument, after->addArgument(i32, argument.getLoc()));
  if (failed(lowerBlock(*op.getAfterBody())))
    return failure();
  scf::YieldOp::create(e.b, op.getLoc(), scalars(op.getYieldOp().getOperands()));
  for (auto [result, value] : llvm::zip_equal(op.getResults(), loop.getResults()))
    setScalar(result, value);
  return success();
}
