// Control flow of Mosaic kernels: on the sequencer, with vectors in VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace systole::mosaic {

LogicalResult ControlTranslator::visit(Operation *op) {
  // From here on a region may run, or not, or many times.
  if (failed(flush(op->getLoc())))
    return failure();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (!isa<tpu::RegionOp, tpu::TraceOp>(op))
    return emitUnsupported(op);
  SmallVector<Value> buffers = allocate(op->getResults());
  FailureOr<SmallVector<Value>> scalars = translateBlock(op->getRegion(0).front(), buffers);
  if (failed(scalars))
    return failure();
  define(op->getResults(), buffers, *scalars);
  return success();
}

FailureOr<SmallVector<Value>> ControlTranslator::translateBlock(Block &block,
                                                                ArrayRef<Value> buffers) {
  Operation *end = block.getTerminator();
  auto condition = dyn_cast<scf::ConditionOp>(end);
  SmallVector<Value> scalars;
  auto atEnd = [&]() -> LogicalResult {
    if (condition) {
      scalars.push_back(scalar(condition.getCondition()));
      if (!scalars.back())
        return failure();
    }
    FailureOr<SmallVector<Value>> assigned =
        assign(end->getLoc(), condition ? condition.getArgs() : end->getOperands(), buffers);
    if (failed(assigned))
      return failure();
    llvm::append_range(scalars, *assigned);
    return success();
  };
  if (failed(translator.translate(block, atEnd)))
    return failure();
  translator.finish(end);
  return scalars;
}

SmallVector<Value> ControlTranslator::allocate(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) -> Value {
    if (isScalar(value.getType()))
      return nullptr;
    RankedTensorType type = tensorType(value.getType());
    return kernel::AllocOp::create(b, value.getLoc(),
                                   kernel::BufferType::get(b.getContext(), type.getShape(),
                                                           type.getElementType(),
                                                           kernel::Space::vmem));
  });
}

void ControlTranslator::define(ValueRange range, ArrayRef<Value> buffers, ValueRange scalars) {
  for (auto [value, buffer] : llvm::zip_equal(range, buffers))
    if (buffer) {
      values.buffers[value] = buffer;
    } else {
      values.scalars[value] = scalars.front();
      scalars = scalars.drop_front();
    }
}

FailureOr<SmallVector<Value>> ControlTranslator::assign(Location loc, ValueRange from,
                                                        ArrayRef<Value> buffers) {
  SmallVector<Value> scalars;
  for (auto [value, buffer] : llvm::zip_equal(from, buffers))
    if (!buffer) {
      scalars.push_back(scalar(value));
      if (!scalars.back())
        return failure();
    }
  SmallVector<Value> sources;
  for (auto [value, buffer] : llvm::zip_equal(from, buffers)) {
    bool isThere = !buffer || values.buffers.lookup(value) == buffer;
    sources.push_back(isThere ? Value() : tensor(value));
    if (!isThere && !sources.back())
      return failure();
  }
  // Buffers that other values still read are overwritten last.
  SmallVector<std::pair<Value, Value>> late;
  for (auto [number, source] : llvm::enumerate(sources)) {
    if (!source)
      continue;
    Ref target = Ref::whole(buffers[number]);
    SmallVector<Value> others(sources);
    others.erase(others.begin() + number);
    if (segment.mayStore(source, target, others)) {
      segment.store(loc, source, target);
      continue;
    }
    Value copy = kernel::AllocOp::create(b, loc, target.type());
    segment.store(loc, source, Ref::whole(copy));
    late.emplace_back(copy, target.buffer);
  }
  if (failed(flush(loc)))
    return failure();
  for (auto [copy, target] : late) {
    ArrayRef<int64_t> shape = cast<kernel::BufferType>(copy.getType()).getShape();
    AffineMap identity = b.getMultiDimIdentityMap(shape.size());
    kernel::CopyOp::create(b, loc, copy, target, ValueRange(), ValueRange(), shape, identity,
                           identity);
  }
  return scalars;
}

/// The types of the scalars among some values.
static SmallVector<Type> scalarTypes(OpBuilder &b, ValueRange range) {
  SmallVector<Type> types;
  for (Value value : range)
    if (isScalar(value.getType()))
      types.push_back(value.getType().isInteger(1) ? b.getI1Type() : b.getI32Type());
  return types;
}

LogicalResult ControlTranslator::visitFor(scf::ForOp op) {
  Location loc = op.getLoc();
  Value lower = scalar(op.getLowerBound()), upper = scalar(op.getUpperBound()),
        step = scalar(op.getStep());
  if (!lower || !upper || !step)
    return failure();
  SmallVector<Value> buffers = allocate(op.getResults());
  FailureOr<SmallVector<Value>> inits = assign(loc, op.getInitArgs(), buffers);
  if (failed(inits))
    return failure();
  // JAX writes a second loop for what steps of 1 leave.
  if (lower == upper) {
    op.walk([&](Operation *inner) { translator.finish(inner); });
    define(op.getResults(), buffers, *inits);
    return success();
  }
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, *inits);
  OpBuilder::InsertionGuard guard(b);
  Block *body = loop.getBody();
  if (inits->empty())
    body->getTerminator()->erase();
  b.setInsertionPointToEnd(body);
  values.scalars[op.getInductionVar()] = loop.getInductionVar();
  define(op.getRegionIterArgs(), buffers, loop.getRegionIterArgs());
  FailureOr<SmallVector<Value>> next = translateBlock(*op.getBody(), buffers);
  if (failed(next))
    return failure();
  scf::YieldOp::create(b, loc, *next);
  define(op.getResults(), buffers, loop.getResults());
  return success();
}

LogicalResult ControlTranslator::visitIf(scf::IfOp op) {
  Location loc = op.getLoc();
  Value condition = scalar(op.getCondition());
  if (!condition)
    return failure();
  SmallVector<Value> buffers = allocate(op.getResults());
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, scalarTypes(b, op.getResults()), condition, hasElse);
  auto translateArm = [&](Region &from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    b.setInsertionPointToEnd(to);
    FailureOr<SmallVector<Value>> scalars = translateBlock(from.front(), buffers);
    if (failed(scalars))
      return failure();
    scf::YieldOp::create(b, loc, *scalars);
    return success();
  };
  if (failed(translateArm(op.getThenRegion(), branch.thenBlock())) ||
      (hasElse && failed(translateArm(op.getElseRegion(), branch.elseBlock()))))
    return failure();
  define(op.getResults(), buffers, branch.getResults());
  return success();
}

LogicalResult ControlTranslator::visitWhile(scf::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> buffers = allocate(op.getInits());
  FailureOr<SmallVector<Value>> inits = assign(loc, op.getInits(), buffers);
  if (failed(inits))
    return failure();
  SmallVector<Value> passed = allocate(op.getAfterArguments());
  auto loop = scf::WhileOp::create(b, loc, scalarTypes(b, op.getResults()), *inits);
  OpBuilder::InsertionGuard guard(b);
  auto enter = [&](Region &region, ArrayRef<Type> types) {
    SmallVector<Location> locs(types.size(), loc);
    return b.createBlock(&region, {}, types, locs);
  };
  Block *before = enter(loop.getBefore(), scalarTypes(b, op.getInits()));
  define(op.getBeforeArguments(), buffers, before->getArguments());
  FailureOr<SmallVector<Value>> forwarded = translateBlock(*op.getBeforeBody(), passed);
  if (failed(forwarded))
    return failure();
  scf::ConditionOp::create(b, loc, forwarded->front(), ArrayRef(*forwarded).drop_front());

  Block *after = enter(loop.getAfter(), scalarTypes(b, op.getAfterArguments()));
  define(op.getAfterArguments(), passed, after->getArguments());
  FailureOr<SmallVector<Value>> next = translateBlock(*op.getAfterBody(), buffers);
  if (failed(next))
    return failure();
  scf::YieldOp::create(b, loc, *next);
  define(op.getResults(), passed, loop.getResults());
  return success();
}

} // namespace systole::mosaic
