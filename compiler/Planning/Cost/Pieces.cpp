// Operands of products that arrive in pieces.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Pieces.h"

#include <algorithm>

namespace systole {

Pieces bestPieces(const ProductStage &stage, double copyCycles, double startCycles,
                  llvm::function_ref<bool(int64_t count)> isPossible, const MachineModel &model) {
  const int64_t rows = stage.shape.rows.front().size;
  ProductStage piece = stage;
  // Either copies or products follow each other without a gap.
  auto finish = [&](const Pieces &pieces) {
    double count = double(pieces.count);
    return std::max(copyCycles / count + count * pieces.cycles, copyCycles + pieces.cycles) +
           (count - 1) * startCycles;
  };
  Pieces best{1, costOf(stage, model).cycles};
  for (int64_t count = 2; count * kSublanes <= rows; ++count) {
    if (rows % (count * kSublanes) != 0 || !isPossible(count))
      continue;
    piece.shape.rows.front().size = rows / count;
    Pieces next{count, costOf(piece, model).cycles};
    if (finish(next) >= finish(best))
      break;
    best = next;
  }
  return best;
}

} // namespace systole
