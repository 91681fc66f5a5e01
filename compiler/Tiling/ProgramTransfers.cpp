// Transfers between a program's buffers and the host, or other cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tiling/ProgramBuilder.h"

using namespace mlir;

namespace systole {

template <typename Op>
FailureOr<int32_t> ProgramBuilder::transferOf(Op op, kernel::Direction direction, Value array) {
  auto tensor = cast<RankedTensorType>(array.getType());
  int64_t channel = op.getChannel(), number = op.getArray();
  kernel::WordsAttr words = op.getWordsAttr();
  kernel::LayoutAttr layout = op.getLayoutAttr();
  if (!layout)
    layout = kernel::LayoutAttr::inOrder(tensor.getElementType(),
                                         llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
  for (auto [entry, known] : llvm::enumerate(transfers)) {
    auto transfer = cast<kernel::TransferAttr>(known);
    if (transfer.getDirection() != direction || transfer.getChannel() != channel ||
        transfer.getArray() != number || transfer.getWords() != words)
      continue;
    if (transfer.getType().getValue() == tensor && transfer.getLayout() == layout)
      return entry;
    return op->emitError() << "channel " << channel << " is used for " << layout.toLogical(tensor)
                           << " and for "
                           << transfer.getLayout().toLogical(
                                  cast<RankedTensorType>(transfer.getType().getValue()));
  }
  std::string line = sourceLine(op->getLoc());
  transfers.push_back(kernel::TransferAttr::get(
      b.getContext(), direction, channel, number, words, TypeAttr::get(tensor), layout,
      line.empty() ? StringAttr() : b.getStringAttr(line)));
  return transfers.size() - 1;
}

static kernel::BufferType bufferType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 kernel::Space::hbm);
}

LogicalResult ProgramBuilder::emitTransfer(Operation *op) {
  ++time;
  if (auto send = dyn_cast<kernel::SendOp>(op)) {
    Value value = send.getOperand();
    FailureOr<int32_t> transfer = transferOf(
        send, send.getQueued() ? kernel::Direction::outfeed : kernel::Direction::send, value);
    if (failed(transfer))
      return failure();
    Buffer buffer;
    if (scalars.holds(value)) {
      buffer = newBuffer(value, "sent");
      write(value, buffer, send.getLoc());
    } else {
      buffer = read(value);
    }
    kernel::ToHostOp::create(b, send.getLoc(), hbm(buffer, bufferType(value), send.getLoc()),
                             *transfer);
    return success();
  }
  Value value = op->getResult(0);
  auto recv = dyn_cast<kernel::RecvOp>(op);
  auto exchange = dyn_cast<kernel::ExchangeOp>(op);
  FailureOr<int32_t> transfer = 0;
  if (recv)
    transfer = transferOf(
        recv, recv.getQueued() ? kernel::Direction::infeed : kernel::Direction::recv, value);
  if (failed(transfer))
    return failure();
  const Buffer source = exchange ? read(exchange.getOperand()) : Buffer();
  auto it = destinations.find(value);
  Buffer target = buffers[value] =
      it != destinations.end() ? it->second : newBuffer(value, recv ? "received" : "exchanged");
  touch(target);
  Value to = hbm(target, bufferType(value), op->getLoc());
  Operation *copy;
  if (recv)
    copy = kernel::FromHostOp::create(b, op->getLoc(), to, *transfer);
  else
    copy = kernel::CopyToCoresOp::create(
        b, op->getLoc(), hbm(source, bufferType(exchange.getOperand()), op->getLoc()), to,
        exchange.getSourceBlocks(), exchange.getTargetBlocks(), exchange.getSteps(),
        exchange.getCollectiveAttr());
  setDefined(value, copy->getBlock(), copy);
  return success();
}

} // namespace systole
