// Rewrites control flow and reducers with wide elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Planes/Splitter.h"

using namespace mlir;

namespace systole::planes {

using namespace stablehlo;

namespace {

/// Moves the regions of `from` to `to`, with arguments for the planes of `like`, and sets the
/// planes of its results. Arguments come in `groups` (`splitArguments`).
LogicalResult replace(Splitter &s, Operation *from, Operation *to, ValueRange like,
                      unsigned groups = 1) {
  for (auto [old, region] : llvm::zip_equal(from->getRegions(), to->getRegions())) {
    region.takeBody(old);
    if (region.getNumArguments() > 0)
      s.splitArguments(region.front(), like, groups);
  }
  // Before the bodies, in which values that are not split are replaced, too.
  ValueRange values = to->getResults();
  for (Value result : from->getResults())
    s.takePlanes(result, values);
  for (Region &region : to->getRegions()) {
    if (failed(s.visit(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    // The condition of a loop and the comparator of a sort yield an i1.
    if (llvm::any_of(end->getOperands(), [&](Value value) { return s.isWide(value); }))
      end->setOperands(s.planesLike(end, end->getOperands(), from->getResults()));
  }
  return success();
}

LogicalResult rewriteWhile(Splitter &s, Operation *op) {
  OpBuilder b(op);
  SmallVector<Value> start = s.planesLike(op, op->getOperands(), op->getResults());
  auto loop = WhileOp::create(b, op->getLoc(), ValueRange(start).getTypes(), start);
  return replace(s, op, loop, op->getResults());
}

LogicalResult rewriteIf(Splitter &s, Operation *op) {
  OpBuilder b(op);
  auto choice = IfOp::create(b, op->getLoc(), s.planeTypes(op->getResults()), op->getOperand(0));
  return replace(s, op, choice, {});
}

LogicalResult rewriteCase(Splitter &s, Operation *op) {
  OpBuilder b(op);
  auto choice = CaseOp::create(b, op->getLoc(), s.planeTypes(op->getResults()), op->getOperand(0),
                               op->getNumRegions());
  return replace(s, op, choice, {});
}

/// Duplicates values for both sets of a reducer's arguments.
SmallVector<Value> twice(ValueRange results) {
  SmallVector<Value> like(results);
  llvm::append_range(like, results);
  return like;
}

/// Checks that the elements that a reducer combines have its results' types.
LogicalResult checkOneType(Splitter &s, Operation *op, ValueRange values) {
  if (llvm::all_of(llvm::zip_equal(values, op->getResults()), [](auto pair) {
        auto [value, result] = pair;
        return typeOf(value).getElementType() == typeOf(result).getElementType();
      }))
    return success();
  return emitUnsupported(op, " for a mixture of " + s.elements() + " and other types");
}

/// Of several tensors and as many initial values.
template <typename Op> LogicalResult rewriteReduction(Splitter &s, Operation *op) {
  auto reduce = cast<Op>(op);
  if (failed(checkOneType(s, op, reduce.getInputs())) ||
      failed(checkOneType(s, op, reduce.getInitValues())))
    return failure();
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(s.planesLike(op, reduce.getInputs(), op->getResults()));
  state.addOperands(s.planesLike(op, reduce.getInitValues(), op->getResults()));
  state.addTypes(s.planeTypes(op->getResults()));
  state.addAttributes(op->getAttrs());
  state.addRegion();
  return replace(s, op, b.create(state), twice(op->getResults()));
}

LogicalResult rewriteScatter(Splitter &s, Operation *op) {
  auto scatter = cast<ScatterOp>(op);
  if (failed(checkOneType(s, op, scatter.getInputs())) ||
      failed(checkOneType(s, op, scatter.getUpdates())))
    return failure();
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(s.planesLike(op, scatter.getInputs(), op->getResults()));
  state.addOperands(s.position(op, scatter.getScatterIndices()));
  state.addOperands(s.planesLike(op, scatter.getUpdates(), op->getResults()));
  state.addTypes(s.planeTypes(op->getResults()));
  state.addAttributes(op->getAttrs());
  state.addRegion();
  return replace(s, op, b.create(state), twice(op->getResults()));
}

/// The comparator takes two elements of each input.
LogicalResult rewriteSort(Splitter &s, Operation *op) {
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(s.planesLike(op, op->getOperands(), op->getResults()));
  state.addTypes(s.planeTypes(op->getResults()));
  state.addAttributes(op->getAttrs());
  state.addRegion();
  SmallVector<Value> like;
  for (Value result : op->getResults())
    like.append(2, result);
  return replace(s, op, b.create(state), like, /*groups=*/2);
}

} // namespace

void addRegions(RewriteTable<Splitter> &table) {
  table.add<WhileOp>(rewriteWhile);
  table.add<IfOp>(rewriteIf);
  table.add<CaseOp>(rewriteCase);
  table.add<ReduceOp>(rewriteReduction<ReduceOp>);
  table.add<ReduceWindowOp>(rewriteReduction<ReduceWindowOp>);
  table.add<ScatterOp>(rewriteScatter);
  table.add<SortOp>(rewriteSort);
}

} // namespace systole::planes
