// Sizes of tiles along an axis.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Tiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {

namespace {

/// Multiples of which tiles are.
struct Quanta {
  Quanta(const Cut &cut, const Axes &axes)
      : size(cut.size), rows(axes.quantumOf(cut, /*vectors=*/false).value_or(cut.size)),
        vectors(axes.quantumOf(cut, /*vectors=*/true).value_or(rows)) {}

  bool isDivisible() const { return rows < size; }
  /// The tile of at least `elements`: whole vector registers if that does not take much more.
  int64_t tileOf(int64_t elements) const {
    int64_t tile = llvm::alignTo(elements, rows), whole = llvm::alignTo(elements, vectors);
    return whole < size && 4 * whole <= 5 * tile ? whole : tile;
  }

  int64_t size, rows, vectors;
};

} // namespace

SmallVector<int64_t> coarseTiles(const Cut &cut, const Axes &axes) {
  Quanta quanta(cut, axes);
  SmallVector<int64_t> tiles;
  if (!quanta.isDivisible())
    return tiles;
  for (int64_t steps = 2;; steps *= 2) {
    int64_t tile = quanta.tileOf(llvm::divideCeil(cut.size, steps));
    if (tile < cut.size && (tiles.empty() || tile < tiles.back()))
      tiles.push_back(tile);
    if (cut.size <= steps * quanta.rows)
      return tiles;
  }
}

SmallVector<int64_t> nearbyTiles(const Cut &cut, const Axes &axes) {
  Quanta quanta(cut, axes);
  SmallVector<int64_t> tiles;
  auto addExactly = [&](int64_t tile) {
    if (tile > 0 && tile < cut.size && tile != cut.blockSize && !llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  };
  auto add = [&](int64_t elements) { addExactly(quanta.tileOf(elements)); };
  int64_t own = cut.blockSize, steps = cut.steps();
  add(llvm::divideCeil(own, 2));
  add(2 * own);
  if (steps > 2)
    add(llvm::divideCeil(cut.size, steps - 1));
  add(llvm::divideCeil(cut.size, steps + 1));
  add(llvm::divideCeil(2 * cut.size, 3 * steps));
  // The nearest that leave no shorter last step.
  for (int64_t tile = own + quanta.rows; tile < std::min(2 * own, cut.size); tile += quanta.rows)
    if (cut.size % tile == 0) {
      addExactly(tile);
      break;
    }
  for (int64_t tile = own / quanta.rows * quanta.rows; 2 * tile > own; tile -= quanta.rows)
    if (cut.size % tile == 0) {
      addExactly(tile);
      break;
    }
  return tiles;
}

} // namespace systole
