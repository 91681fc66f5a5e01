// The axes along which a group of operations can be cut.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Axes.h"

#include "compiler/Planning/StepChunks.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include <numeric>

using namespace mlir;

namespace systole {

/// Whether axes of both cut the same tensors along the same dimensions.
static bool haveSameAxes(const Blocking &one, const Blocking &other) {
  return llvm::equal(one.cuts, other.cuts, [](const Cut &cut, const Cut &same) {
    return cut.seed == same.seed ? cut.seedDim == same.seedDim
                                 : same.cutDimOf(cut.seed) == CutDim{cut.seedDim};
  });
}

SmallVector<Cut> Axes::parallelCuts() {
  SmallVector<Value> seeds(tensors.outputs.begin(), tensors.outputs.end());
  llvm::append_range(seeds, tensors.inputs);
  for (Operation *op : tensors.windowed)
    if (isUpdatedInHbm(op->getResult(0)) && !llvm::is_contained(seeds, slicedValue(op)))
      seeds.push_back(slicedValue(op));
  // Dimensions that are merged inside of the kernel alone are cut where they are apart.
  for (Operation *op : ops)
    if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op))
      for (Value side : {Value(reshape.getOperand()), Value(reshape)})
        if (!llvm::is_contained(seeds, side))
          seeds.push_back(side);
  // Of arrays in HBM blocks are whole rows: small ones have no part along most dimensions.
  auto hasParts = [&](Value seed, int64_t dim) {
    if (!tensors.inputs.contains(seed) && !tensors.outputs.contains(seed))
      return true;
    int64_t unit = rowUnit(typeOf(seed), dim);
    return unit > 0 && unit < typeOf(seed).getDimSize(dim);
  };
  // Its readers are not reached from a constant, but it is from them. Elementwise operations do not
  // read its buffer.
  auto isReadConstant = [&](Value seed) {
    return isSplatConstant(seed.getDefiningOp()) &&
           llvm::any_of(seed.getUsers(), [&](Operation *user) {
             return llvm::is_contained(ops, user) && kindOf(user) != OpKind::Elementwise;
           });
  };
  llvm::erase_if(seeds, isReadConstant);
  SmallVector<Cut> cuts;
  for (Value seed : seeds)
    for (int64_t dim = 0; dim < typeOf(seed).getRank(); ++dim) {
      if (!hasParts(seed, dim))
        continue;
      bool isKnown =
          llvm::any_of(cuts, [&](const Cut &cut) { return cut.cutDimOf(seed) == CutDim{dim}; });
      std::optional<Cut> cut = isKnown ? std::nullopt : cutAlong(seed, dim);
      if (!cut || !cut->map->accumulating.empty())
        continue;
      std::optional<int64_t> quantum = quantumOf(*cut, /*vectors=*/false);
      if (quantum && *quantum < cut->size)
        cuts.push_back(std::move(*cut));
    }
  return cuts;
}

SmallVector<Blocking, 0> Axes::chunkings() {
  sums.clear();
  for (Operation *op : ops)
    if (SmallVector<Chunks, 2> chunks = chunksOf(op); !chunks.empty())
      sums.emplace_back(op, std::move(chunks));
  if (sums.empty())
    return SmallVector<Blocking, 0>(1);
  SmallVector<Blocking, 0> found;
  SmallVector<Blocking, 2> known;
  // The sum of a product's columns has axes of its own: along them the product is cut, and done at
  // once in its depth.
  for (const auto &[op, chunks] : sums)
    for (size_t depth = chunks.size(); depth > 0; --depth) {
      std::optional<Blocking> blocking = chunkAxes(op, depth);
      if (!blocking || llvm::any_of(known, [&](const Blocking &other) {
            return haveSameAxes(other, *blocking);
          }))
        continue;
      known.push_back(*blocking);
      addChunkings(*std::move(blocking), found);
    }
  addChunkings(Blocking(), found);
  return found;
}

void Axes::addChunkings(Blocking blocking, SmallVectorImpl<Blocking> &found) const {
  int64_t tile = 1;
  for (auto [number, cut] : llvm::enumerate(blocking.cuts)) {
    bool isInnermost = number + 1 == blocking.cuts.size();
    for (const auto &[op, chunks] : sums) {
      auto isAlong = [op = op](const Cut &cut) {
        return llvm::is_contained(cut.map->accumulating, op);
      };
      if (!isAlong(cut))
        continue;
      size_t ownNumber = llvm::count_if(ArrayRef(blocking.cuts).take_front(number), isAlong);
      if (ownNumber >= chunks.size())
        return;
      if (isInnermost)
        tile = std::lcm(tile, chunks[ownNumber].size);
      else
        cut.blockSize = chunks[ownNumber].size;
    }
    if (!isInnermost && !startsAtQuanta(cut, cut.blockSize))
      return;
  }
  for (int64_t count = 1; count <= kMostStepChunks; count *= 2) {
    if (!blocking.cuts.empty()) {
      Cut &cut = blocking.cuts.back();
      cut.blockSize = tile * count;
      if (cut.blockSize >= cut.size)
        return;
      if (!startsAtQuanta(cut, cut.blockSize))
        continue;
    }
    if (llvm::all_of(
            sums, [&](const auto &sum) { return stepChunksOf(sum.first, blocking).has_value(); }))
      found.push_back(blocking);
    if (blocking.cuts.empty())
      return;
  }
}

/// The operand and the dimension of chunks from which they can be followed: constants are not cut,
/// since other operations may read them whole.
static std::pair<Value, int64_t> seedOf(Operation *op, const Chunks &chunks) {
  std::optional<OperandRelation> relation = relationOf(op);
  std::pair<Value, int64_t> first(op->getOperand(chunks.operand), chunks.dim);
  if (!relation || !isSplatConstant(first.first.getDefiningOp()))
    return first;
  auto iterator = relation->iteratorOf(chunks.operand, chunks.dim);
  for (OpOperand &operand : op->getOpOperands()) {
    if (isSplatConstant(operand.get().getDefiningOp()))
      continue;
    for (int64_t dim = 0; dim < typeOf(operand.get()).getRank(); ++dim)
      if (relation->iteratorOf(operand.getOperandNumber(), dim) == iterator)
        return {operand.get(), dim};
  }
  return first;
}

std::optional<Blocking> Axes::chunkAxes(Operation *op, int64_t depth) {
  Blocking blocking;
  SmallVector<Chunks, 2> all = chunksOf(op);
  for (const Chunks &chunks : ArrayRef(all).take_front(depth)) {
    auto [seed, dim] = seedOf(op, chunks);
    std::optional<Cut> cut = cutAlong(seed, dim);
    if (!cut)
      return std::nullopt;
    blocking.cuts.push_back(std::move(*cut));
  }
  return blocking;
}

std::optional<int64_t> Axes::quantumOf(const Cut &cut, bool vectors) const {
  auto [known, isNew] = quanta.try_emplace({cut.seed, cut.seedDim});
  if (isNew) {
    auto isInHbm = [&](Value value) {
      return tensors.inputs.contains(value) || tensors.outputs.contains(value);
    };
    known->second = {cut.quantum(/*vectors=*/false, isInHbm),
                     cut.quantum(/*vectors=*/true, isInHbm)};
  }
  return known->second[vectors];
}

bool Axes::startsAtQuanta(const Cut &cut, int64_t size) const {
  std::optional<int64_t> quantum = quantumOf(cut, /*vectors=*/false);
  return quantum && size % *quantum == 0;
}

} // namespace systole
