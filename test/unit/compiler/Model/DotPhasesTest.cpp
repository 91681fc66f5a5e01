// Phases of products: every block is multiplied once, in one order on all machines.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotPhases.h"

#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <tuple>

using namespace systole;

namespace {

/// A result of 128 columns: product, row, block of columns.
using Result = std::tuple<int64_t, int64_t, int64_t>;
/// A summand: its index along the depth dimensions, and its block of k.
using Summand = std::pair<int64_t, int64_t>;
using Sums = std::map<Result, std::vector<Summand>>;

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

/// The summands of every result in the order in which steps add them, as DotStep.h describes steps.
/// Shapes have one dimension of batch, rows and depth at most.
Sums sumsOf(const DotShape &shape, const MxuShape &mxu) {
  Sums sums;
  const int64_t depths = shape.depth.empty() ? 1 : shape.depth[0].size;
  const int64_t rows = shape.rows[0].size;
  for (const DotPhase &phase : phasesOf(shape, mxu)) {
    EXPECT_LE(phase.usedMxus, mxu.count);
    EXPECT_LE(phase.tiles.depth, mxu.tiles);
    EXPECT_LE(phase.tiles.columns, mxu.tiles);
    const DotRange batch = shape.batch.empty() ? DotRange() : phase.batch[0];
    const int64_t rowSteps = llvm::divideCeil(rows, phase.box[0]);
    for (int64_t b = 0; b < batch.count; ++b)
      for (int64_t n = 0; n < phase.nCount; ++n)
        for (int64_t r = 0; r < rowSteps; ++r)
          for (int64_t d = 0; d < depths; ++d)
            for (int64_t k = 0; k < phase.kCount; ++k)
              for (int64_t number = 0; number < phase.usedMxus; ++number) {
                auto own = [&](DotSplit split) {
                  return phase.split == split ? number * phase.ofMxu(split) : 0;
                };
                const int64_t item = batch.first + b * batch.step + own(DotSplit::batch);
                const int64_t column =
                    phase.nFirst + n * phase.perStep(DotSplit::columns) + own(DotSplit::columns);
                const int64_t block =
                    phase.kFirst + k * phase.perStep(DotSplit::depth) + own(DotSplit::depth);
                int64_t first = r * phase.box[0];
                int64_t last = std::min(first + phase.box[0], rows);
                if (phase.split == DotSplit::rows) {
                  first += number * phase.groupsPerMxu() * kSublanes;
                  last = std::min(last, first + phase.groupsPerMxu() * kSublanes);
                }
                for (int64_t row = first; row < last; ++row)
                  for (int64_t i = 0; i < phase.tiles.columns; ++i)
                    for (int64_t j = 0; j < phase.tiles.depth; ++j)
                      sums[{item, row, column + i}].push_back({d, block + j});
              }
  }
  return sums;
}

DotShape shapeOf(int64_t batch, int64_t rows, int64_t k, int64_t n, int64_t depth,
                 bool rhsTransposed) {
  DotShape shape;
  if (batch > 1)
    shape.batch = {{batch, 1, 1, 1}};
  shape.rows = {{rows, 1, 0, 1}};
  if (depth > 1)
    shape.depth = {{depth, 1, 1, 0}};
  shape.k = k;
  shape.n = n;
  shape.rhsTransposed = rhsTransposed;
  shape.runs = {{rhsTransposed ? n : k, 1}};
  return shape;
}

MxuShape mxus(int count, int tiles) {
  MxuShape shape;
  shape.count = count;
  shape.tiles = tiles;
  return shape;
}

TEST(DotPhases, AllMachinesAddTheSameSummandsInOneOrder) {
  std::mt19937 random(1);
  auto below = [&](int64_t limit) { return int64_t(random() % uint64_t(limit)); };
  for (int round = 0; round < 400; ++round) {
    const DotShape shape = shapeOf(1 + below(6), 1 + below(300), 1 + below(1400), 1 + below(1400),
                                   below(2) ? 1 : 1 + below(9), below(2));
    const Sums expected = sumsOf(shape, mxus(1, 1));
    const int64_t depths = shape.depth.empty() ? 1 : shape.depth[0].size;
    const int64_t items = shape.batch.empty() ? 1 : shape.batch[0].size;
    ASSERT_EQ(int64_t(expected.size()), product({items, shape.rows[0].size, shape.nBlocks()}));
    for (const auto &[result, summands] : expected)
      ASSERT_EQ(int64_t(summands.size()), depths * shape.kBlocks());
    for (int count : {1, 2, 3, 4})
      for (int tiles : {1, 2})
        ASSERT_EQ(sumsOf(shape, mxus(count, tiles)), expected)
            << count << " MXUs of " << tiles << " tiles: batch " << items << ", rows "
            << shape.rows[0].size << ", k " << shape.k << ", n " << shape.n << ", depth " << depths
            << (shape.rhsTransposed ? ", transposed" : "");
  }
}

// A large product fills all tiles of all MXUs in every step.
TEST(DotPhases, LargeProductsUseWholeMxus) {
  for (int count : {1, 2, 4})
    for (int tiles : {1, 2})
      for (const DotPhase &phase :
           phasesOf(shapeOf(1, 512, 2048, 2048, 1, false), mxus(count, tiles))) {
        EXPECT_EQ(phase.usedMxus, count);
        EXPECT_EQ(phase.tiles.count(), tiles * tiles);
        EXPECT_EQ(phase.groupsPerMxu(), 32);
      }
}

// Rows of weights in several runs are those of one tile.
TEST(DotPhases, SeveralRunsStayInOneTile) {
  DotShape shape = shapeOf(1, 64, 96, 512, 1, false);
  shape.runs = {{3, 64}, {32, 1}};
  for (const DotPhase &phase : phasesOf(shape, mxus(2, 2)))
    EXPECT_EQ(phase.tiles.count(), 1);
}

// Where two MXUs could divide a product in several ways.
TEST(DotPhases, DividesColumnsAmongMxusFirst) {
  const auto phases = phasesOf(shapeOf(1, 64, 256, 512, 1, false), mxus(2, 1));
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].split, DotSplit::columns);
  EXPECT_EQ(phases[0].usedMxus, 2);
  EXPECT_EQ(phases[0].nCount, 2);
  EXPECT_EQ(phases[0].kCount, 2);
}

TEST(DotPhases, OneBlockOfColumnsIsDividedByDepthOrRows) {
  const auto byDepth = phasesOf(shapeOf(1, 64, 256, 128, 1, false), mxus(2, 1));
  ASSERT_EQ(byDepth.size(), 1u);
  EXPECT_EQ(byDepth[0].split, DotSplit::depth);
  const auto byRows = phasesOf(shapeOf(1, 64, 128, 128, 1, false), mxus(2, 1));
  ASSERT_EQ(byRows.size(), 1u);
  EXPECT_EQ(byRows[0].split, DotSplit::rows);
  EXPECT_EQ(byRows[0].groupsPerMxu(), 4); // 64 rows are 8 groups
}

TEST(DotPhases, SmallProductsAreDividedByBatch) {
  const auto phases = phasesOf(shapeOf(5, 8, 64, 64, 1, false), mxus(2, 1));
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].split, DotSplit::batch);
  EXPECT_EQ(phases[0].batch[0].count, 2);
  EXPECT_EQ(phases[0].batch[0].step, 2);
  // The fifth alone.
  EXPECT_EQ(phases[1].batch[0].first, 4);
  EXPECT_EQ(phases[1].batch[0].count, 1);
  EXPECT_EQ(phases[1].usedMxus, 1);
}

} // namespace
