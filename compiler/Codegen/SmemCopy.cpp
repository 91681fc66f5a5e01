// Copies of words from and to SMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/SmemCopy.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// The words between neighbours along a dimension of a buffer of 32-bit elements.
static int64_t strideOf(kernel::BufferType type, int64_t dim) {
  if (dim + 1 == type.getRank())
    return 1;
  if (type.getSpace() != kernel::Space::smem)
    return type.getPitch(dim) * kLanes;
  int64_t words = 1;
  for (int64_t size : type.getShape().drop_front(dim + 1))
    words *= size;
  return words;
}

/// The word at which one side begins; `strides` by dimension of the box.
static Sum sideOf(Emitter &e, kernel::BufferType type, AffineMap map, ValueRange offsets,
                  SmallVectorImpl<int64_t> &strides) {
  Sum first;
  strides.assign(map.getNumDims(), 0);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    const int64_t stride = strideOf(type, dim);
    if (auto from = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      strides[from.getPosition()] = stride;
    if (!offsets.empty())
      first = plus(e, first, times(e, toSum(e, offsets[dim]), stride));
  }
  return first;
}

/// The address of a side as a DMA counts it; null if it is not known to be a row.
static Value addressOf(Emitter &e, const BufferRef &buffer, Sum word, bool isInWords) {
  if (buffer.base && buffer.type.getSpace() != kernel::Space::smem)
    word = plus(e, word, times(e, toSum(e, buffer.base), kLanes));
  if (isInWords)
    return toValue(e, word);
  if (word.constant % kLanes || (word.value && knownFactor(word.value) % kLanes))
    return nullptr;
  return e.divide(toValue(e, word), kLanes);
}

LogicalResult codegen::startSmemCopy(const CopyWork &work, const CopyIndices &copy,
                                     ValueRange srcOffsets, ValueRange dstOffsets, int flag) {
  Emitter &e = work.e;
  kernel::BufferType from = copy.source, to = copy.destination;
  if (from.getStorageBits() != 32 || to.getStorageBits() != 32)
    return failure();
  SmallVector<int64_t> srcStrides, dstStrides;
  Sum src = sideOf(e, from, copy.srcMap, srcOffsets, srcStrides),
      dst = sideOf(e, to, copy.dstMap, dstOffsets, dstStrides);
  SmallVector<CopyDim> dims;
  for (auto [size, x, y] : llvm::zip_equal(copy.sizes, srcStrides, dstStrides))
    if (size != 1)
      dims.push_back({size, x, y});
  mergeDims(dims);
  auto *run = llvm::find_if(dims, [](const CopyDim &dim) { return dim.src == 1 && dim.dst == 1; });
  int64_t chunk = 1;
  if (run != dims.end()) {
    chunk = run->size;
    dims.erase(run);
  }
  const bool isToSmem = to.getSpace() == kernel::Space::smem;
  Value srcAddress =
            addressOf(e, work.source, src, isToSmem || from.getSpace() == kernel::Space::smem),
        dstAddress = addressOf(e, work.destination, dst, isToSmem);
  if (!srcAddress || !dstAddress || int64_t(dims.size()) >= e.machine.dmaDimensions)
    return failure();
  auto space = [](kernel::BufferType type) {
    return type.getSpace() == kernel::Space::hbm    ? core::MemorySpace::hbm
           : type.getSpace() == kernel::Space::vmem ? core::MemorySpace::vmem
                                                    : core::MemorySpace::smem;
  };
  SmallVector<int64_t> counts, srcSteps, dstSteps;
  for (const CopyDim &dim : dims) {
    counts.push_back(dim.size);
    srcSteps.push_back(dim.src);
    dstSteps.push_back(dim.dst);
  }
  auto descriptor =
      core::DmaAttr::get(e.b.getContext(), space(from), space(to), chunk, counts, srcSteps,
                         dstSteps, /*arrivalFlag=*/-1, /*countsWords=*/true);
  e.startDma(descriptor, e.regionOf(work.destination), dstAddress, e.regionOf(work.source),
             srcAddress, flag);
  return success();
}
