// Whole operands of a kernel that arrive in pieces.
// See docs/decisions/products.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/OperandPieces.h"

#include "compiler/Codegen/DotLoops.h"
#include "compiler/Codegen/DotParts.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// The buffer of which `buffer` is all rows, perhaps under another shape.
static Value sourceOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<kernel::ViewOp>())
    buffer = view.getSource();
  return buffer;
}

/// The first stage that uses `buffer`, which may be inside of another operation.
static Operation *firstUserOf(kernel::FuncOp kernel, Value buffer) {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<kernel::ViewOp>(op))
      continue;
    WalkResult walked = op.walk([&](Operation *inner) {
      bool uses = llvm::any_of(inner->getOperands(),
                               [&](Value operand) { return sourceOf(operand) == buffer; });
      return uses ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return &op;
  }
  return nullptr;
}

std::optional<OperandPieces> codegen::piecesOf(kernel::FuncOp kernel, BlockArgument buffer,
                                               kernel::BufferType type) {
  unsigned number = buffer.getArgNumber() - kernel.getGrid().size();
  auto attr = cast<kernel::OperandAttr>(kernel.getOperands()[number]);
  const int64_t count = attr.getPieces();
  if (count == 1)
    return std::nullopt;
  auto dot = dyn_cast_or_null<kernel::DotOp>(firstUserOf(kernel, buffer));
  if (!dot || sourceOf(dot.getLhs()) != buffer || sourceOf(dot.getRhs()) == buffer ||
      dot.getLhs().getType().getRank() != 2)
    return std::nullopt;
  // Operands that several passes read are split as a whole.
  DotParts parts(dot.getLhs().getType().getElementType(), dot.getRhs().getType().getElementType(),
                 dot.getPrecision(), dot.getExchanged());
  const int64_t rows = dot.getLhs().getType().getShape().front();
  if (parts.passes().size() != 1 || shapeOf(dot).isEmpty() || shapeOf(dot).hasNoDepth() ||
      rows % (count * kSublanes) != 0)
    return std::nullopt;
  SmallVector<int64_t> block(type.getShape());
  block.front() /= count;
  BlockCopy copy(type, kernel::OperandAttr::get(kernel.getContext(), kernel::Role::in, block,
                                                attr.getMap(), /*buffers=*/1));
  if (copy.dmaCount() != 1)
    return std::nullopt;
  return OperandPieces{dot, count, copy, type.getPhysicalRows() / count};
}
