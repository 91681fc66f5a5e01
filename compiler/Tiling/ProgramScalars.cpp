// Integer scalars between the sequencer's registers and arrays in HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/ScalarArithmetic.h"
#include "compiler/Tiling/ProgramBuilder.h"

using namespace mlir;

namespace systole {

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static kernel::BufferType scalarBuffer(Value value) {
  return kernel::BufferType::get(value.getContext(), {}, elementOf(value), kernel::Space::hbm);
}

void ProgramBuilder::setDefined(Value value, Block *block, Operation *after) {
  defined[value] = {block, after};
}

Value ProgramBuilder::scalar(Value value, Location loc) {
  if (Value known = held.lookup(value))
    return known;
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>())
    return emitScalarConstant(b, loc, cast<DenseElementsAttr>(constant.getValue()));
  // Where the array is complete, so that all readers share what is read.
  Buffer buffer = read(value);
  OpBuilder::InsertionGuard guard(b);
  auto [block, after] = defined.lookup(value);
  if (after)
    b.setInsertionPointAfter(after);
  else
    b.setInsertionPointToStart(block);
  Value word =
      kernel::ReadScalarOp::create(b, loc, b.getI32Type(), hbm(buffer, scalarBuffer(value), loc));
  return held[value] = fromWord(b, loc, word, elementOf(value));
}

SmallVector<Value> ProgramBuilder::heldOf(ValueRange values, ArrayRef<Buffer> targets,
                                          Location loc) {
  SmallVector<Value> result;
  for (auto [value, target] : llvm::zip_equal(values, targets))
    if (target == kHeld)
      result.push_back(scalar(value, loc));
  return result;
}

void ProgramBuilder::write(Value value, Buffer to, Location loc) {
  ++time;
  touch(to);
  kernel::WriteScalarOp::create(b, loc, toWord(b, loc, scalar(value, loc)),
                                hbm(to, scalarBuffer(value), loc));
}

} // namespace systole
