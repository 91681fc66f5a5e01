// Movement of wide elements: the same operation on each plane.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/Planes/Splitter.h"
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

constexpr kernel::Plane kOrder[] = {kernel::Plane::low, kernel::Plane::high};

kernel::WordsAttr wordsOf(Value value, kernel::Plane plane) {
  return kernel::WordsAttr::get(value.getContext(), plane, typeOf(value).getElementType());
}

/// Sends each plane separately.
LogicalResult send(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::SendOp>(op);
  OpBuilder b(op);
  for (auto [value, plane] : llvm::zip_equal(s.entryPlanes(op, transfer.getOperand()), kOrder))
    kernel::SendOp::create(b, op->getLoc(), value, transfer.getChannel(), transfer.getArray(),
                           wordsOf(transfer.getOperand(), plane), transfer.getLayoutAttr());
  return success();
}

LogicalResult receive(Splitter &s, Operation *op) {
  auto transfer = cast<kernel::RecvOp>(op);
  OpBuilder b(op);
  RankedTensorType type = typeOf(transfer.getResult()).clone(s.entryElement(op->getContext()));
  s.setPlanes(transfer.getResult(), llvm::map_to_vector(kOrder, [&](kernel::Plane plane) -> Value {
                return kernel::RecvOp::create(
                    b, op->getLoc(), type, transfer.getChannel(), transfer.getArray(),
                    wordsOf(transfer.getResult(), plane), transfer.getLayoutAttr());
              }));
  return success();
}

} // namespace

void addMovement(RewriteTable<Splitter> &table) {
  table.add<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp, ConcatenateOp, PadOp,
            SelectOp, DynamicSliceOp, DynamicUpdateSliceOp, GatherOp>(movePlanes);
  table.add<OptimizationBarrierOp>(barrier);
  table.add<kernel::SendOp>(send);
  table.add<kernel::RecvOp>(receive);
}

} // namespace systole::planes
