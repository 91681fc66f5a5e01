// The comparators of sorts in VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/SortNetwork.h"

#include "dialects/Machine/InstructionSet/Isa.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace systole {

ArrayRef<Comparator> sorterOfEight() {
  static const Comparator network[] = {
      {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
      {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6},
  };
  return network;
}

ArrayRef<Comparator> mergerOfEight() {
  static const Comparator network[] = {
      {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2}, {1, 3},
      {4, 6}, {5, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7},
  };
  return network;
}

bool sortsInRegisters(int64_t arrays, int64_t instructions) {
  // A group of vectors is left for what a comparison makes.
  constexpr int64_t mostVectors = isa::kVectorRegisters - kSublanes, mostInstructions = 32;
  return arrays * kSublanes <= mostVectors && instructions <= mostInstructions;
}

SortPasses passesOf(const SortShape &shape, bool merge) {
  double distances = Log2_64(shape.columnRows) - Log2_64(kSublanes);
  double chunkLevels = Log2_64(shape.chunks);
  SortPasses passes;
  auto mergers = [&](double count) {
    passes.eights += count;
    passes.comparators += count * double(mergerOfEight().size());
  };
  passes.eights = 1;
  if (merge) {
    passes.lanes = chunkLevels;
    passes.rows = distances;
    mergers(1);
    return passes;
  }
  passes.comparators = double(sorterOfEight().size());
  // Level by level: mirror images, and the distances below.
  passes.rows = distances * (distances + 1) / 2 + chunkLevels * distances;
  passes.mirrored = chunkLevels;
  passes.lanes = chunkLevels * (chunkLevels - 1) / 2;
  mergers(distances + chunkLevels);
  return passes;
}

} // namespace systole
