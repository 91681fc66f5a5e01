// The steps by which blocks pass between cores.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Schedules.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole::partition {

namespace {

/// A step under construction, in which no core copies anything at first.
struct Step {
  Step(int64_t phase, bool forwards, int64_t cores)
      : phase(phase), forwards(forwards), sources(size_t(cores), 0), targets(size_t(cores), -1),
        places(size_t(cores), 0) {}

  void copy(int64_t core, int64_t source, int64_t target, int64_t place) {
    sources[size_t(core)] = source;
    targets[size_t(core)] = target;
    places[size_t(core)] = place;
  }
  Attribute get(MLIRContext *context) const {
    return kernel::StepAttr::get(context, phase, forwards, sources, targets, places);
  }

  int64_t phase;
  bool forwards;
  SmallVector<int64_t> sources, targets, places;
};

size_t largestOf(const Groups &groups) {
  size_t size = 0;
  for (const auto &group : groups)
    size = std::max(size, group.size());
  return size;
}

} // namespace

/// One phase of steps; in step k rank r of each group copies a block to rank r + k.
static ArrayAttr rotations(MLIRContext *context, const Groups &groups, int64_t cores,
                           bool hasBlockForEach) {
  SmallVector<Attribute> steps;
  for (size_t k = 0; k < largestOf(groups); ++k) {
    Step step(0, /*forwards=*/false, cores);
    for (const auto &group : groups)
      for (size_t rank = 0; k < group.size() && rank < group.size(); ++rank) {
        const size_t target = (rank + k) % group.size();
        step.copy(group[rank], hasBlockForEach ? int64_t(target) : 0, group[target], int64_t(rank));
      }
    steps.push_back(step.get(context));
  }
  return ArrayAttr::get(context, steps);
}

ArrayAttr gatherSteps(MLIRContext *context, const Groups &groups, int64_t cores) {
  return rotations(context, groups, cores, /*hasBlockForEach=*/false);
}

/// `sourceOf` is the block of a piece in a core's own array, `placeOf` that of a rank's piece in
/// the result.
static ArrayAttr doubling(MLIRContext *context, const Groups &groups, int64_t cores, int64_t pieces,
                          ArrayRef<SmallVector<unsigned>> orders,
                          llvm::function_ref<int64_t(int64_t piece)> sourceOf,
                          llvm::function_ref<int64_t(int64_t piece, int64_t rank)> placeOf) {
  assert(llvm::isPowerOf2_64(largestOf(groups)) && !orders.empty() && "pairs of ranks exchange");
  const auto variants = int64_t(orders.size());
  const int64_t bits = int64_t(orders.front().size());
  const int64_t phases = (pieces + variants - 1) / variants + bits - 1;
  SmallVector<Attribute> steps;
  // The copies of `piece`, `held` blocks away from the rank's own along the bits before
  // `exchanged`.
  auto add = [&](int64_t phase, int64_t piece, int64_t exchanged, size_t held) {
    const SmallVector<unsigned> &order = orders[size_t(piece % variants)];
    size_t distance = 0;
    for (int64_t bit = 0; bit < exchanged; ++bit)
      if (held >> bit & 1)
        distance |= size_t(1) << order[size_t(bit)];
    const size_t partner = exchanged < 0 ? 0 : size_t(1) << order[size_t(exchanged)];
    Step step(phase, /*forwards=*/held > 0, cores);
    for (const auto &group : groups)
      for (auto [rank, core] : llvm::enumerate(group)) {
        const int64_t place = placeOf(piece, int64_t(rank ^ distance));
        step.copy(core, held > 0 ? place : sourceOf(piece), group[rank ^ partner], place);
      }
    steps.push_back(step.get(context));
  };
  for (int64_t phase = 0; phase < phases; ++phase)
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t exchanged = phase - piece / variants;
      if (exchanged == 0)
        add(phase, piece, -1, 0);
      if (exchanged >= 0 && exchanged < bits)
        for (size_t held = 0; held < size_t(1) << exchanged; ++held)
          add(phase, piece, exchanged, held);
    }
  return ArrayAttr::get(context, steps);
}

ArrayAttr doublingSteps(MLIRContext *context, const Groups &groups, int64_t cores, int64_t pieces,
                        ArrayRef<SmallVector<unsigned>> orders) {
  return doubling(
      context, groups, cores, pieces, orders, [](int64_t piece) { return piece; },
      [&](int64_t piece, int64_t rank) { return rank * pieces + piece; });
}

ArrayAttr doublingStepsByPart(MLIRContext *context, const Groups &groups, int64_t cores,
                              int64_t piecesOfOrder, ArrayRef<SmallVector<unsigned>> orders) {
  const auto parts = int64_t(orders.size()), ranks = int64_t(largestOf(groups));
  return doubling(
      context, groups, cores, piecesOfOrder * parts, orders,
      [&](int64_t piece) { return piece % parts * piecesOfOrder + piece / parts; },
      [&](int64_t piece, int64_t rank) {
        const int64_t part = piece % parts;
        const int64_t block = part * ranks + virtualRank(rank, orders[size_t(part)]);
        return block * piecesOfOrder + piece / parts;
      });
}

int64_t virtualRank(int64_t rank, ArrayRef<unsigned> order) {
  int64_t result = 0;
  for (unsigned bit : llvm::reverse(order))
    result = result * 2 + (rank >> bit & 1);
  return result;
}

ArrayAttr halvingSteps(MLIRContext *context, const Groups &groups, int64_t cores,
                       ArrayRef<unsigned> bits) {
  SmallVector<Attribute> steps;
  for (auto [part, bit] : llvm::enumerate(bits)) {
    Step step(0, /*forwards=*/false, cores);
    for (const auto &group : groups)
      for (auto [rank, core] : llvm::enumerate(group)) {
        const size_t partner = rank ^ size_t(1) << bit;
        step.copy(core, 2 * int64_t(part) + int64_t(partner >> bit & 1), group[partner],
                  int64_t(part));
      }
    steps.push_back(step.get(context));
  }
  return ArrayAttr::get(context, steps);
}

ArrayAttr transposeSteps(MLIRContext *context, const Groups &groups, int64_t cores) {
  return rotations(context, groups, cores, /*hasBlockForEach=*/true);
}

ArrayAttr broadcastSteps(MLIRContext *context, const Groups &groups, int64_t cores) {
  SmallVector<Attribute> steps;
  for (size_t rank = 0; rank < largestOf(groups); ++rank) {
    Step step(0, /*forwards=*/false, cores);
    for (const auto &group : groups)
      if (rank < group.size())
        step.copy(group.front(), 0, group[rank], 0);
    steps.push_back(step.get(context));
  }
  return ArrayAttr::get(context, steps);
}

ArrayAttr permutationSteps(MLIRContext *context, ArrayRef<std::pair<int64_t, int64_t>> pairs,
                           int64_t cores) {
  Step step(0, /*forwards=*/false, cores);
  for (auto [source, target] : pairs)
    step.copy(source, 0, target, 0);
  return ArrayAttr::get(context, step.get(context));
}

} // namespace systole::partition
