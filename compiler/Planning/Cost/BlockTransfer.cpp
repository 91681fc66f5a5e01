// The copies of a kernel's blocks between HBM and VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/BlockTransfer.h"

#include "dialects/Layout/RowLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// Runs at equal distances.
struct Level {
  int64_t count, hbmStride, vmemStride;
  bool isClipped;
};

} // namespace

BlockTransfer blockTransferOf(ArrayRef<BlockDim> elements, Type element) {
  int64_t packing = 32 / std::max<int64_t>(8, element.getIntOrFloatBitWidth());
  SmallVector<BlockDim, 4> dims(elements);
  if (dims.empty())
    dims.emplace_back();
  SmallVector<int64_t, 4> extents, blocks;
  for (const BlockDim &dim : dims) {
    extents.push_back(dim.extent);
    blocks.push_back(dim.block);
  }
  int bits = 32 / packing;
  dims.back().extent = llvm::divideCeil(dims.back().extent, kLanes);
  dims.back().block = llvm::divideCeil(dims.back().block, kLanes);
  int64_t run = 1; // logical rows
  SmallVector<Level, 4> levels;
  for (size_t d = dims.size(); d-- > 0;) {
    const BlockDim &dim = dims[d];
    bool isLanes = d + 1 == dims.size();
    int64_t hbmStride = isLanes ? 1 : rowPitch(extents, bits, d);
    int64_t vmemStride = isLanes ? 1 : rowPitch(blocks, bits, d);
    bool isClipped = dim.block != 0 && (dim.isWindow || dim.extent % dim.block != 0);
    bool continues = hbmStride == run && vmemStride == run;
    if (levels.empty() && continues && !isClipped) {
      // Padding is copied where both sides have it.
      bool isWhole = d > 0 && dim.block == dim.extent && hbmStride != 0 &&
                     rowPitch(extents, bits, d - 1) == rowPitch(blocks, bits, d - 1);
      run *= isWhole ? rowPitch(extents, bits, d - 1) / hbmStride : dim.block;
    } else if (dim.block != 1 || dim.isWindow) {
      bool extends = !levels.empty() && !isClipped && !levels.back().isClipped &&
                     hbmStride == levels.back().hbmStride * levels.back().count &&
                     vmemStride == levels.back().vmemStride * levels.back().count;
      if (extends)
        levels.back().count *= dim.block;
      else
        levels.push_back({dim.block, hbmStride, vmemStride, isClipped});
    }
  }
  if (run % packing && !levels.empty()) {
    levels.front().count = llvm::divideCeil(levels.front().count * run, packing);
    run = packing;
  }
  BlockTransfer transfer;
  transfer.chunkBytes = static_cast<int64_t>(llvm::alignTo(run, packing)) / packing * kRowBytes;
  // The longest level is the count of a copy, all others repeat it.
  size_t best = 0;
  for (size_t l = 1; l < levels.size(); ++l)
    if (std::pair(levels[l].count, levels[l].isClipped) >
        std::pair(levels[best].count, levels[best].isClipped))
      best = l;
  for (auto [number, level] : llvm::enumerate(levels)) {
    (number == best ? transfer.chunks : transfer.dmas) *= level.count;
    transfer.isClipped |= level.isClipped;
  }
  return transfer;
}

} // namespace systole
