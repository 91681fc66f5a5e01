// Splits the operands of a product once.
// See docs/decisions/integer-and-mixed-products.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/DotSplit.h"
#include "compiler/Codegen/DotStep.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

template <typename Kind, typename Part>
SplitOperands::Parts SplitOperands::split(Emitter &e, const BufferRef &operand,
                                          ScratchAllocator &scratch, Kind kindOf, Part partOf) {
  int64_t rows = operand.type.getOccupiedRows();
  Parts result;
  SmallVector<DotPass> takers; // one pass for each part
  for (DotPass pass : parts.passes())
    if (result.bases.try_emplace(kindOf(pass), takers.size() * rows).second)
      takers.push_back(pass);
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return kernel::BufferType::get(e.b.getContext(), shape, e.b.getBF16Type(), kernel::Space::vmem);
  };
  // The parts lie as the operand does, whose elements may have another padding.
  int64_t count = takers.size();
  result.buffer = scratch.allocate(typeOf({count * rows, kLanes}));
  forEachRowGroup(e, rows, [&](Value row, Value mask) {
    Value one = e.constant(1), elements = e.load(operand, row, one, mask);
    for (auto [number, pass] : llvm::enumerate(takers))
      e.store(partOf(elements, pass), result.buffer, e.add(row, number * rows), one, mask);
  });
  result.buffer.type = typeOf({rows, kLanes});
  return result;
}

SplitOperands::SplitOperands(Emitter &e, const DotBuffers &buffers, const DotParts &parts,
                             ScratchAllocator &scratch)
    : parts(parts) {
  left = split(
      e, buffers.lhs, scratch, [&](DotPass pass) { return parts.lhsKind(pass); },
      [&](Value elements, DotPass pass) { return parts.lhsPart(e, elements, pass); });
  right = split(
      e, buffers.rhs, scratch, [&](DotPass pass) { return parts.rhsKind(pass); },
      [&](Value elements, DotPass pass) { return parts.rhsPart(e, elements, pass); });
}

DotBuffers SplitOperands::at(DotBuffers buffers, Value lhsBase, Value rhsBase) const {
  buffers.lhs = left.buffer;
  buffers.rhs = right.buffer;
  buffers.lhs.base = lhsBase;
  buffers.rhs.base = rhsBase;
  return buffers;
}
