// The chunks of a sum that one step of a grid does.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/StepChunks.h"

#include "compiler/Tensor/SumOrder.h"
#include "compiler/Tensor/TensorTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

std::optional<SmallVector<int64_t>> stepChunksOf(Operation *op, const Blocking &blocking) {
  SmallVector<Chunks, 2> chunks = chunksOf(op);
  SmallVector<const Cut *> cuts;
  for (const Cut &cut : blocking.cuts)
    if (llvm::is_contained(cut.map->accumulating, op))
      cuts.push_back(&cut);
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  bool isFree = llvm::all_of(chunks, [](const Chunks &chunk) { return chunk.isFree; });
  if (cuts.size() > chunks.size() || (!reduce && !isFree && cuts.size() < chunks.size()))
    return std::nullopt;
  SmallVector<int64_t> counts;
  int64_t total = 1;
  for (auto [number, chunk] : llvm::enumerate(chunks)) {
    OpOperand &operand = op->getOpOperand(chunk.operand);
    RankedTensorType type = typeOf(operand.get());
    int64_t extent = type.getDimSize(chunk.dim), tile = extent;
    if (number < cuts.size()) {
      tile = cuts[number]->blockSize;
      if (cuts[number]->cutDimOf(operand) != CutDim{chunk.dim} || tile % chunk.size != 0)
        return std::nullopt;
    }
    int64_t count = chunk.isFree ? 1 : llvm::divideCeil(tile, chunk.size);
    // Chunks are combined in ascending order from step to step.
    bool isLastAxis = number + 1 >= cuts.size();
    // Blocks of lanes are not taken apart, and what stands beyond the end is an identity.
    bool isSimple = chunk.dim + 1 < type.getRank() &&
                    (extent % tile == 0 || (reduce && !identitiesOf(reduce).empty()));
    if (count > 1 && !(reduce && isLastAxis && isSimple))
      return std::nullopt;
    counts.push_back(count);
    total *= count;
  }
  return total <= kMostStepChunks ? std::optional(counts) : std::nullopt;
}

SmallVector<StepChunk> chunksOfBlock(Operation *op, const Blocking &blocking) {
  SmallVector<Chunks, 2> chunks = chunksOf(op);
  SmallVector<int64_t> block = blocking.blockShape(op->getOpOperand(0));
  SmallVector<StepChunk> all = {{SmallVector<int64_t>(block.size(), 0), block}};
  std::optional<SmallVector<int64_t>> counts = stepChunksOf(op, blocking);
  if (!counts)
    return all;
  for (auto [chunk, count] : llvm::zip_equal(chunks, *counts)) {
    SmallVector<StepChunk> finer;
    for (const StepChunk &outer : all)
      for (int64_t i = 0; i < count; ++i) {
        StepChunk inner = outer;
        inner.first[chunk.dim] = i * chunk.size;
        inner.shape[chunk.dim] = std::min(chunk.size, block[chunk.dim] - i * chunk.size);
        finer.push_back(std::move(inner));
      }
    all = std::move(finer);
  }
  return all;
}

} // namespace systole
