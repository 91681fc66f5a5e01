// Movement of wide elements: the same operation on each plane.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Planes/Splitter.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole::planes {

using namespace stablehlo;

namespace {

/// Applies the operation to each plane of the result. Indices are i32.
LogicalResult movePlanes(Splitter &s, Operation *op) {
  OpBuilder b(op);
  Value result = op->getResult(0);
  SmallVector<Type> types = s.planeTypes(result);
  SmallVector<SmallVector<Value>> operands(types.size());
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Value> planes;
    if (isIndexOperand(operand))
      planes.push_back(s.position(op, operand.get()));
    else
      planes = s.planesLike(op, ValueRange(operand.get()), result);
    for (auto [plane, list] : llvm::enumerate(operands))
      list.push_back(planes.size() == 1 ? planes.front() : planes[plane]);
  }
  SmallVector<Value> moved;
  for (auto [list, type] : llvm::zip_equal(operands, types)) {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(list);
    state.addTypes(type);
    state.addAttributes(op->getAttrs());
    moved.push_back(b.create(state)->getResult(0));
  }
  ValueRange values = moved;
  s.takePlanes(result, values);
  return success();
}

/// All planes of all operands pass through one barrier.
LogicalResult barrier(Splitter &s, Operation *op) {
  OpBuilder b(op);
  SmallVector<Value> operands = s.planesLike(op, op->getOperands(), op->getResults());
  auto barrier =
      OptimizationBarrierOp::create(b, op->getLoc(), ValueRange(operands).getTypes(), operands);
  ValueRange values = barrier.getResults();
  for (Value result : op->getResults())
    s.takePlanes(result, values);
  return success();
}

/// The two planes of the array that a transfer moves, of which each is as many of the host's.
std::array<kernel::WordsAttr, 2> wordsOf(Value array, kernel::WordsAttr is) {
  Type element = typeOf(array).getElementType();
  unsigned first = is ? is.getPlane() : 0, step = kernel::planeCount(TypeAttr::get(element)) / 2;
  auto get = [&](unsigned plane) {
    return kernel::WordsAttr::get(array.getContext(), plane, is ? is.getElement() : element);
  };
  return {get(first), get(first + step)};
}

/// Sends each plane separately.
LogicalResult send(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::SendOp>(op);
  OpBuilder b(op);
  Value array = transfer.getOperand();
  for (auto [value, words] :
       llvm::zip_equal(s.entryPlanes(op, array), wordsOf(array, transfer.getWordsAttr())))
    kernel::SendOp::create(b, op->getLoc(), value, transfer.getChannel(), transfer.getArray(),
                           words, transfer.getLayoutAttr(), transfer.getQueued());
  return success();
}

LogicalResult receive(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::RecvOp>(op);
  OpBuilder b(op);
  Value array = transfer.getResult();
  RankedTensorType type = typeOf(array).clone(s.entryElement(typeOf(array)));
  SmallVector<Value> planes;
  for (kernel::WordsAttr words : wordsOf(array, transfer.getWordsAttr()))
    planes.push_back(kernel::RecvOp::create(b, op->getLoc(), type, transfer.getChannel(),
                                            transfer.getArray(), words, transfer.getLayoutAttr(),
                                            transfer.getQueued()));
  s.setPlanes(array, planes);
  return success();
}

/// Copies each plane to the host separately.
LogicalResult offload(Splitter &s, Operation *op) {
  auto copy = cast<kernel::OffloadOp>(op);
  OpBuilder b(op);
  Value array = copy.getOperand(), position = copy.getPosition();
  if (position)
    position = s.position(op, position);
  SmallVector<Value> planes{array};
  SmallVector<kernel::WordsAttr> words{copy.getWordsAttr()};
  if (s.isWide(array)) {
    planes = s.entryPlanes(op, array);
    words = llvm::to_vector_of<kernel::WordsAttr>(wordsOf(array, copy.getWordsAttr()));
  }
  for (auto [plane, is] : llvm::zip_equal(planes, words))
    kernel::OffloadOp::create(b, op->getLoc(), plane, position, copy.getArray(),
                              copy.getPositions(), is, copy.getLayoutAttr());
  return success();
}

LogicalResult fetch(Splitter &s, Operation *op) {
  auto copy = cast<kernel::FetchOp>(op);
  OpBuilder b(op);
  Value array = copy.getResult(), position = copy.getPosition();
  if (position)
    position = s.position(op, position);
  auto create = [&](Type type, kernel::WordsAttr words) -> Value {
    return kernel::FetchOp::create(b, op->getLoc(), type, position, copy.getArray(),
                                   copy.getPositions(), words, copy.getLayoutAttr());
  };
  if (!s.isWide(array)) {
    array.replaceAllUsesWith(create(array.getType(), copy.getWordsAttr()));
    return success();
  }
  RankedTensorType type = typeOf(array).clone(s.entryElement(typeOf(array)));
  SmallVector<Value> planes;
  for (kernel::WordsAttr words : wordsOf(array, copy.getWordsAttr()))
    planes.push_back(create(type, words));
  s.setPlanes(array, planes);
  return success();
}

} // namespace

void addMovement(RewriteTable<Splitter> &table) {
  table.add<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp, ConcatenateOp, PadOp,
            SelectOp, DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, kernel::ExchangeOp>(
      movePlanes);
  table.add<OptimizationBarrierOp>(barrier);
  table.add<kernel::SendOp>(send);
  table.add<kernel::RecvOp>(receive);
  table.add<kernel::OffloadOp>(offload);
  table.add<kernel::FetchOp>(fetch);
}

} // namespace systole::planes
