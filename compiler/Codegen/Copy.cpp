// Lowers kernel.copy: chooses the cheapest way to move its elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Codegen.h"
#include "compiler/Codegen/CopyDma.h"
#include "compiler/Codegen/CopyLanes.h"
#include "compiler/Codegen/Transpose.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

void codegen::emitVectorCopy(const CopyWork &work, const CopyBox &box) {
  auto placeOf = [](const Position &position) -> LanePlace {
    return {0, position.lane.constant, position.lane.isStatic()};
  };
  MoveBox move{box.dims, placeOf(box.src), placeOf(box.dst)};
  LanePlan along = planLanes(move);
  std::optional<TransposePlan> across = planTranspose(move, 32 / work.source.type.getStorageBits());
  if (across && across->cost < along.cost) {
    emitTranspose(work, box, *across);
    return;
  }
  for (const LanePart &part : along.parts)
    emitLanes(work, box, part);
}

LogicalResult codegen::lowerCopy(kernel::CopyOp op, const BufferRef &src, const BufferRef &dst,
                                 ValueRange srcOffsets, ValueRange dstOffsets, Emitter &emitter) {
  if (llvm::is_contained(op.getSizes(), 0))
    return success();
  CopyWork work{emitter, src, dst};
  if (dst.type.getSpace() == kernel::Space::smem)
    return emitStreamCopy(work, op, srcOffsets);
  CopyBox box = boxOf(emitter, indicesOf(op), srcOffsets, dstOffsets);
  if (src.type.getSpace() == kernel::Space::hbm || dst.type.getSpace() == kernel::Space::hbm)
    return emitDmaCopy(work, op, std::move(box));

  emitVectorCopy(work, box);
  return success();
}
