// Transfers between a program's buffers and the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tiling/ProgramBuilder.h"

using namespace mlir;

namespace systole {

FailureOr<int32_t> ProgramBuilder::transferOf(Operation *op, kernel::Direction direction,
                                              int64_t channel, Type type,
                                              kernel::LayoutAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  if (!layout)
    layout = kernel::LayoutAttr::inOrder(tensor.getElementType(),
                                         llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
  for (auto [number, known] : llvm::enumerate(transfers)) {
    auto transfer = cast<kernel::TransferAttr>(known);
    if (transfer.getDirection() != direction || transfer.getChannel() != channel)
      continue;
    if (transfer.getType().getValue() == tensor && transfer.getLayout() == layout)
      return number;
    return op->emitError() << "channel " << channel << " is used for " << layout.toLogical(tensor)
                           << " and for "
                           << transfer.getLayout().toLogical(
                                  cast<RankedTensorType>(transfer.getType().getValue()));
  }
  std::string line = sourceLine(op->getLoc());
  transfers.push_back(
      kernel::TransferAttr::get(b.getContext(), direction, channel, TypeAttr::get(tensor), layout,
                                line.empty() ? StringAttr() : b.getStringAttr(line)));
  return transfers.size() - 1;
}

static kernel::BufferType bufferType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 kernel::Space::hbm);
}

LogicalResult ProgramBuilder::emitSend(kernel::SendOp op) {
  ++time;
  Value value = op.getOperand();
  FailureOr<int32_t> transfer =
      transferOf(op, kernel::Direction::send, op.getChannel(), value.getType(), op.getLayoutAttr());
  if (failed(transfer))
    return failure();
  Buffer buffer;
  if (scalars.holds(value)) {
    buffer = newBuffer(value, "sent");
    write(value, buffer, op.getLoc());
  } else {
    buffer = read(value);
  }
  kernel::ToHostOp::create(b, op.getLoc(), hbm(buffer, bufferType(value), op.getLoc()), *transfer);
  return success();
}

LogicalResult ProgramBuilder::emitRecv(kernel::RecvOp op) {
  ++time;
  Value value = op.getResult();
  FailureOr<int32_t> transfer =
      transferOf(op, kernel::Direction::recv, op.getChannel(), value.getType(), op.getLayoutAttr());
  if (failed(transfer))
    return failure();
  auto it = destinations.find(value);
  Buffer buffer = buffers[value] =
      it == destinations.end() ? newBuffer(value, "received") : it->second;
  touch(buffer);
  auto copy = kernel::FromHostOp::create(b, op.getLoc(),
                                         hbm(buffer, bufferType(value), op.getLoc()), *transfer);
  setDefined(value, copy->getBlock(), copy);
  return success();
}

} // namespace systole
