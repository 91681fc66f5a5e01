// Rewrites control flow and reducers with 64-bit integers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Graph/Wide64/Splitter.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

SmallVector<Type> allWordTypes(Splitter &s, ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    llvm::append_range(types, s.wordTypes(value));
  return types;
}

/// The words of `values`, as many for each as the range of its counterpart in `like` requires.
SmallVector<Value> allWords(Splitter &s, Expressions &e, ValueRange values, ValueRange like) {
  SmallVector<Value> words;
  for (auto [value, includes] : llvm::zip_equal(values, like))
    s.appendWords(e, value, includes, words);
  return words;
}

/// Moves the regions of `from` to `to`, with arguments for the words of `like`, and sets the words
/// of its results.
LogicalResult replace(Splitter &s, Operation *from, Operation *to, ValueRange like) {
  for (auto [old, region] : llvm::zip_equal(from->getRegions(), to->getRegions())) {
    region.takeBody(old);
    if (region.getNumArguments() > 0)
      s.splitArguments(region.front(), like);
  }
  // Before the bodies, in which values that are not split are replaced, too.
  ValueRange values = to->getResults();
  for (Value result : from->getResults())
    s.takeWords(result, values);
  for (Region &region : to->getRegions()) {
    if (failed(s.visit(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    Expressions e(end);
    // A loop's condition yields an i1.
    if (llvm::any_of(end->getOperands(), [](Value value) { return isWide(value); }))
      end->setOperands(allWords(s, e, end->getOperands(), from->getResults()));
  }
  return success();
}

LogicalResult rewriteWhile(Splitter &s, Operation *op) {
  Expressions e(op);
  SmallVector<Value> start = allWords(s, e, op->getOperands(), op->getResults());
  auto loop = WhileOp::create(e.t.b, e.t.loc, ValueRange(start).getTypes(), start);
  return replace(s, op, loop, op->getResults());
}

LogicalResult rewriteIf(Splitter &s, Operation *op) {
  Expressions e(op);
  auto choice = IfOp::create(e.t.b, e.t.loc, allWordTypes(s, op->getResults()), op->getOperand(0));
  return replace(s, op, choice, {});
}

LogicalResult rewriteCase(Splitter &s, Operation *op) {
  Expressions e(op);
  auto choice = CaseOp::create(e.t.b, e.t.loc, allWordTypes(s, op->getResults()), op->getOperand(0),
                               op->getNumRegions());
  return replace(s, op, choice, {});
}

/// Duplicates values for both sets of a reducer's arguments.
SmallVector<Value> twice(ValueRange results) {
  SmallVector<Value> like(results);
  llvm::append_range(like, results);
  return like;
}

/// Whether the elements that a reducer combines have its results' types.
bool hasOneType(ValueRange values, ValueRange results) {
  return llvm::all_of(llvm::zip_equal(values, results), [](auto pair) {
    auto [value, result] = pair;
    return typeOf(value).getElementType() == typeOf(result).getElementType();
  });
}

LogicalResult rewriteReduce(Splitter &s, Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  if (!hasOneType(reduce.getInputs(), op->getResults()) ||
      !hasOneType(reduce.getInitValues(), op->getResults()))
    return emitUnsupported(op, " for a mixture of 64-bit integers and other types");
  Expressions e(op);
  SmallVector<Value> inputs = allWords(s, e, reduce.getInputs(), op->getResults());
  SmallVector<Value> inits = allWords(s, e, reduce.getInitValues(), op->getResults());
  auto split = ReduceOp::create(e.t.b, e.t.loc, allWordTypes(s, op->getResults()), inputs, inits,
                                reduce.getDimensions());
  return replace(s, op, split, twice(op->getResults()));
}

LogicalResult rewriteScatter(Splitter &s, Operation *op) {
  auto scatter = cast<ScatterOp>(op);
  if (!hasOneType(scatter.getInputs(), op->getResults()) ||
      !hasOneType(scatter.getUpdates(), op->getResults()))
    return emitUnsupported(op, " for a mixture of 64-bit integers and other types");
  Expressions e(op);
  SmallVector<Value> inputs = allWords(s, e, scatter.getInputs(), op->getResults());
  SmallVector<Value> updates = allWords(s, e, scatter.getUpdates(), op->getResults());
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(inputs);
  state.addOperands(s.position(e, scatter.getScatterIndices()));
  state.addOperands(updates);
  state.addTypes(allWordTypes(s, op->getResults()));
  state.addAttributes(op->getAttrs());
  state.addRegion();
  return replace(s, op, e.t.b.create(state), twice(op->getResults()));
}

} // namespace

void addRegions(RewriteTable &table) {
  table.add<WhileOp>(rewriteWhile);
  table.add<IfOp>(rewriteIf);
  table.add<CaseOp>(rewriteCase);
  table.add<ReduceOp>(rewriteReduce);
  table.add<ScatterOp>(rewriteScatter);
}

} // namespace systole::wide64
