// Constants and movement of 64-bit integers: the same operation on each word.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/Wide64/Elementwise.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

namespace {

LogicalResult constant(Splitter &s, Operation *op) {
  auto elements = cast<DenseIntElementsAttr>(cast<ConstantOp>(op).getValue());
  Expressions e(op);
  auto words = [&](Type element, unsigned offset) -> Value {
    if (elements.empty())
      return e.t.number(element, 0, shapeOf(op->getResult(0)));
    return ConstantOp::create(e.t.b, e.t.loc, elements.mapValues(element, [&](const APInt &value) {
      return value.extractBits(32, offset);
    }));
  };
  if (Type narrow = s.narrowElement(op->getResult(0)))
    s.set(op->getResult(0), {words(narrow, 0), nullptr});
  else
    s.set(op->getResult(0), {words(e.u32, 0), words(e.u32, 32)});
  return success();
}

/// A dimension has fewer than 2^32 elements.
LogicalResult iota(Splitter &s, Operation *op) {
  auto iota = cast<IotaOp>(op);
  Expressions e(op);
  Type element = s.narrowElement(iota.getResult());
  s.set(iota.getResult(),
        {e.t.iota(element, shapeOf(iota.getResult()), iota.getIotaDimension()), nullptr});
  return success();
}

/// Applies the operation to each word of the results. Indices are i32.
LogicalResult moveWords(Splitter &s, Operation *op) {
  Expressions e(op);
  Value result = op->getResult(0);
  SmallVector<SmallVector<Value>> operands(s.wordTypes(result).size());
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Value> words;
    if (isIndexOperand(operand))
      words.push_back(s.position(e, operand.get()));
    else
      s.appendWords(e, operand.get(), result, words);
    for (auto [word, list] : llvm::enumerate(operands))
      list.push_back(words.size() == 1 ? words.front() : words[word]);
  }
  SmallVector<Value> moved;
  for (auto [list, type] : llvm::zip_equal(operands, s.wordTypes(result))) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(list);
    state.addTypes(type);
    state.addAttributes(op->getAttrs());
    moved.push_back(e.t.b.create(state)->getResult(0));
  }
  ValueRange values = moved;
  s.takeWords(result, values);
  return success();
}

kernel::WordsAttr wordsOf(Value value, kernel::Plane plane) {
  return kernel::WordsAttr::get(value.getContext(), plane, typeOf(value).getElementType());
}

/// All words of all operands pass through one barrier.
LogicalResult barrier(Splitter &s, Operation *op) {
  Expressions e(op);
  SmallVector<Value> operands;
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
    s.appendWords(e, operand, result, operands);
  auto barrier =
      OptimizationBarrierOp::create(e.t.b, e.t.loc, ValueRange(operands).getTypes(), operands);
  ValueRange values = barrier.getResults();
  for (Value result : op->getResults())
    s.takeWords(result, values);
  return success();
}

/// Sends each plane separately, low words first.
LogicalResult send(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::SendOp>(op);
  Expressions e(op);
  Words words = s.wide(e, transfer.getOperand());
  auto sendPlane = [&](Value value, kernel::Plane plane) {
    kernel::SendOp::create(e.t.b, e.t.loc, value, transfer.getChannel(), transfer.getArray(),
                           wordsOf(transfer.getOperand(), plane), transfer.getLayoutAttr());
  };
  sendPlane(words.low, kernel::Plane::low);
  sendPlane(words.high, kernel::Plane::high);
  return success();
}

LogicalResult receive(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::RecvOp>(op);
  Expressions e(op);
  auto receivePlane = [&](kernel::Plane plane) -> Value {
    return kernel::RecvOp::create(e.t.b, e.t.loc, typeOf(transfer.getResult()).clone(e.u32),
                                  transfer.getChannel(), transfer.getArray(),
                                  wordsOf(transfer.getResult(), plane), transfer.getLayoutAttr());
  };
  Value low = receivePlane(kernel::Plane::low);
  s.set(transfer.getResult(), {low, receivePlane(kernel::Plane::high)});
  return success();
}

} // namespace

void addMovement(RewriteTable &table) {
  table.add<ConstantOp>(constant);
  table.add<IotaOp>(iota);
  table.add<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp, ConcatenateOp, PadOp,
            SelectOp, DynamicSliceOp, DynamicUpdateSliceOp, GatherOp>(moveWords);
  table.add<OptimizationBarrierOp>(barrier);
  table.add<kernel::SendOp>(send);
  table.add<kernel::RecvOp>(receive);
}

} // namespace systole::wide64
