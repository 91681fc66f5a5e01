// The blocks of a window that a loop over the steps of the grid copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Mosaic/WindowBuffers.h"

#include "compiler/Mosaic/Refs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace systole::mosaic {

void emitIf(OpBuilder &b, Location loc, Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

static Value word(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

WindowBuffers::WindowBuffers(OpBuilder &b, const Window &window, Value array,
                             ArrayRef<int64_t> block, bool overlaps)
    : source(&window), overlaps(overlaps), shape(block), array(array) {
  Location loc = window.argument.getLoc();
  Type element = cast<kernel::BufferType>(array.getType()).getElementType();
  buffers = kernel::AllocOp::create(
      b, loc, kernel::BufferType::get(b.getContext(), block, element, kernel::Space::vmem),
      /*persistent=*/true, /*buffers=*/2);
  semaphore = kernel::AllocOp::create(
      b, loc, kernel::BufferType::get(b.getContext(), {}, b.getI32Type(), kernel::Space::flags));
}

Value WindowBuffers::bufferAt(OpBuilder &b, Value number) const {
  return kernel::SlotOp::create(b, source->argument.getLoc(), buffers, number);
}

template <typename Copy>
void WindowBuffers::copy(OpBuilder &b, ArrayRef<Value> index, Value number) const {
  Location loc = source->argument.getLoc();
  SmallVector<Value> offsets;
  ArrayRef<int64_t> extents = cast<kernel::BufferType>(array.getType()).getShape();
  for (auto [value, part, extent] : llvm::zip_equal(index, shape, extents)) {
    // Of a dimension that is not divided there is one block: no other is in bounds.
    Index first = part == extent ? Index() : multiply(b, loc, indexOf(value), part);
    offsets.push_back(materialize(b, loc, first));
  }
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  Value block = bufferAt(b, number);
  if (source->isOutput())
    Copy::create(b, loc, block, array, ValueRange(), offsets, semaphore, ValueRange(),
                 /*count=*/Value(), shape, identity, identity);
  else
    Copy::create(b, loc, array, block, offsets, ValueRange(), semaphore, ValueRange(),
                 /*count=*/Value(), shape, identity, identity);
}

void WindowBuffers::begin(OpBuilder &b, ArrayRef<Value> index) {
  Location loc = source->argument.getLoc();
  blockIndex.assign(index.begin(), index.end());
  slot = word(b, loc, 0);
  inFlight = word(b, loc, source->isOutput() ? 0 : 1);
  if (!source->isOutput() && overlaps)
    copy<kernel::StartCopyOp>(b, blockIndex, slot);
}

Value WindowBuffers::isInFlight(OpBuilder &b) const {
  Location loc = source->argument.getLoc();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, inFlight, word(b, loc, 0));
}

void WindowBuffers::waitIfInFlight(OpBuilder &b) {
  emitIf(b, source->argument.getLoc(), isInFlight(b),
         [&] { copy<kernel::WaitCopyOp>(b, blockIndex, slot); });
}

void WindowBuffers::enter(OpBuilder &b, ArrayRef<Value> next, Value changes) {
  Location loc = source->argument.getLoc();
  if (!overlaps) {
    emitIf(b, loc, isInFlight(b), [&] {
      copy<kernel::StartCopyOp>(b, blockIndex, slot);
      copy<kernel::WaitCopyOp>(b, blockIndex, slot);
    });
    return;
  }
  waitIfInFlight(b);
  emitIf(b, loc, changes, [&] {
    Value other = arith::SubIOp::create(b, loc, word(b, loc, 1), slot);
    copy<kernel::StartCopyOp>(b, next, other);
  });
}

void WindowBuffers::leave(OpBuilder &b, Value changes) {
  emitIf(b, source->argument.getLoc(), changes, [&] {
    if (overlaps)
      waitIfInFlight(b);
    copy<kernel::StartCopyOp>(b, blockIndex, slot);
    if (!overlaps)
      copy<kernel::WaitCopyOp>(b, blockIndex, slot);
  });
}

void WindowBuffers::advance(OpBuilder &b, ArrayRef<Value> next, Value changes) {
  Location loc = source->argument.getLoc();
  Value number = arith::ExtUIOp::create(b, loc, b.getI32Type(), changes);
  slot = arith::XOrIOp::create(b, loc, slot, number);
  blockIndex.assign(next.begin(), next.end());
  if (!source->isOutput())
    inFlight = number;
  else if (overlaps)
    inFlight = arith::OrIOp::create(b, loc, inFlight, number);
}

void WindowBuffers::finish(OpBuilder &b) {
  if (overlaps)
    waitIfInFlight(b);
}

void WindowBuffers::appendCarried(SmallVectorImpl<Value> &values) const {
  llvm::append_range(values, blockIndex);
  values.append({slot, inFlight});
}

void WindowBuffers::resume(ValueRange &values) {
  blockIndex.assign(values.begin(), values.begin() + blockIndex.size());
  slot = values[blockIndex.size()];
  inFlight = values[blockIndex.size() + 1];
  values = values.drop_front(blockIndex.size() + 2);
}

} // namespace systole::mosaic
