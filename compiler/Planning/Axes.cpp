// The axes along which a group of operations can be cut.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Axes.h"

#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Chunks.h"
#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {

std::optional<Cut> Axes::cutAlong(Value seed, int64_t dim) {
  if (!propagation.run(seed, dim))
    return std::nullopt;
  Cut cut;
  cut.seed = seed;
  cut.seedDim = dim;
  cut.size = cut.blockSize = typeOf(seed).getDimSize(dim);
  for (auto [value, assigned] : propagation.assigned())
    if (assigned != kWhole) {
      // Offsets relate dimensions of different sizes; all of a cut have the same steps.
      if (typeOf(value).getDimSize(assigned) != cut.size)
        return std::nullopt;
      cut.dims[value] = assigned;
    }
  cut.ownDims = propagation.ownDims();
  cut.offsetBlocks.assign(propagation.offsetBlocks().begin(), propagation.offsetBlocks().end());
  cut.accumulating.assign(propagation.accumulating().begin(), propagation.accumulating().end());
  return cut;
}

SmallVector<Cut> Axes::parallelCuts() {
  SmallVector<Value> seeds(tensors.outputs.begin(), tensors.outputs.end());
  llvm::append_range(seeds, tensors.inputs);
  for (Operation *op : tensors.windowed)
    if (isUpdatedInHbm(op->getResult(0)) && !llvm::is_contained(seeds, slicedValue(op)))
      seeds.push_back(slicedValue(op));
  SmallVector<Cut> cuts;
  for (Value seed : seeds)
    for (int64_t dim = 0; dim < typeOf(seed).getRank(); ++dim) {
      bool isKnown = llvm::any_of(cuts, [&](const Cut &cut) { return cut.dimOf(seed) == dim; });
      std::optional<Cut> cut = isKnown ? std::nullopt : cutAlong(seed, dim);
      if (!cut || !cut->accumulating.empty())
        continue;
      std::optional<int64_t> quantum = quantumOf(*cut, /*vectors=*/false);
      if (quantum && *quantum < cut->size)
        cuts.push_back(std::move(*cut));
    }
  return cuts;
}

std::optional<Blocking> Axes::chunks() {
  Blocking blocking;
  for (Operation *op : ops) {
    SmallVector<Chunks, 2> all = chunksOf(op);
    if (all.empty())
      continue;
    bool isFirst = blocking.isWhole();
    for (auto [number, chunks] : llvm::enumerate(all)) {
      if (isFirst) {
        std::optional<Cut> cut = cutAlong(op->getOperand(chunks.operand), chunks.dim);
        if (!cut || !startsAtQuanta(*cut, chunks.size))
          return std::nullopt;
        cut->blockSize = chunks.size;
        blocking.cuts.push_back(std::move(*cut));
      }
      if (number >= blocking.cuts.size() ||
          !llvm::is_contained(blocking.cuts[number].accumulating, op) ||
          blocking.cuts[number].blockSize != chunks.size)
        return std::nullopt;
    }
    if (all.size() != blocking.cuts.size())
      return std::nullopt;
  }
  return blocking;
}

std::optional<int64_t> Axes::quantumOf(const Cut &cut, bool vectors) const {
  return cut.quantum(vectors, [&](Value value) {
    return tensors.inputs.contains(value) || tensors.outputs.contains(value);
  });
}

bool Axes::startsAtQuanta(const Cut &cut, int64_t size) const {
  std::optional<int64_t> quantum = quantumOf(cut, /*vectors=*/false);
  return quantum && size % *quantum == 0;
}

} // namespace systole
