// The phases of a product multiply every block once, in an order that sums may have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotPhases.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace systole {
namespace {

constexpr int64_t kBlock = 128; // columns, and k, of an MXU

DotShape shapeOf(int64_t k, int64_t n, std::vector<int64_t> rows, std::vector<int64_t> batch,
                 bool rhsTransposed = false, std::vector<int64_t> depth = {}) {
  DotShape shape;
  shape.k = k;
  shape.n = n;
  shape.rhsTransposed = rhsTransposed;
  for (auto [sizes, dims] : {std::pair(&rows, &shape.rows), std::pair(&batch, &shape.batch),
                             std::pair(&depth, &shape.depth)})
    for (int64_t size : *sizes)
      dims->push_back({.size = size});
  return shape;
}

/// The indices of each batch dimension that a phase covers, MXUs included.
std::vector<std::vector<int64_t>> batchesOf(const DotPhase &phase) {
  std::vector<std::vector<int64_t>> products = {{}};
  for (size_t dim = 0; dim < phase.batch.size(); ++dim) {
    const DotRange &range = phase.batch[dim];
    const int64_t each =
        phase.split == DotSplit::batch && phase.batchDim == dim ? phase.usedMxus : 1;
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &product : products)
      for (int64_t i = 0; i < range.count; ++i)
        for (int64_t mxu = 0; mxu < each; ++mxu) {
          longer.push_back(product);
          longer.back().push_back(range.first + i * range.step + mxu);
        }
    products = std::move(longer);
  }
  return products;
}

void check(const DotShape &shape, int64_t mxus) {
  // For each product and block of columns the next block of k.
  std::map<std::pair<std::vector<int64_t>, int64_t>, int64_t> next;
  for (const DotPhase &phase : phasesOf(shape, mxus)) {
    ASSERT_GE(phase.usedMxus, 1);
    ASSERT_LE(phase.usedMxus, mxus);
    const int64_t nEnd = phase.nFirst + phase.nCount * phase.perStep(DotSplit::columns);
    const int64_t kEnd = phase.kFirst + phase.kCount * phase.perStep(DotSplit::depth);
    for (const std::vector<int64_t> &product : batchesOf(phase))
      for (int64_t n = phase.nFirst; n < nEnd; ++n) {
        int64_t &k = next[{product, n}];
        // In the order of k: another one would sum differently.
        ASSERT_EQ(k, phase.kFirst);
        k = kEnd;
      }
    // The loops' steps are alike: a partial block is one of its own.
    if (shape.k % kBlock != 0 && kEnd == shape.kBlocks())
      EXPECT_EQ(phase.kCount, 1);
    if (shape.rhsTransposed && shape.n % kBlock != 0 && nEnd == shape.nBlocks())
      EXPECT_EQ(phase.nCount, 1);
    if (!shape.depth.empty())
      EXPECT_NE(phase.split, DotSplit::depth);
    // Boxes divide all rows but the last.
    ASSERT_EQ(phase.box.size(), shape.rows.size());
    for (size_t dim = 0; dim + 1 < phase.box.size(); ++dim)
      EXPECT_EQ(shape.rows[dim].size % phase.box[dim], 0);
  }
  int64_t products = 1;
  for (const DotDim &dim : shape.batch)
    products *= dim.size;
  EXPECT_EQ(int64_t(next.size()), products * shape.nBlocks());
  for (const auto &[block, k] : next) {
    EXPECT_LT(block.second, shape.nBlocks());
    for (size_t dim = 0; dim < shape.batch.size(); ++dim)
      EXPECT_LT(block.first[dim], shape.batch[dim].size);
    EXPECT_EQ(k, shape.kBlocks());
  }
}

TEST(DotPhases, MultiplyEveryBlockOnceInTheOrderOfK) {
  const std::vector<std::vector<int64_t>> someRows = {{1}, {8}, {100}, {3, 40}, {7, 5, 9}};
  const std::vector<std::vector<int64_t>> someBatches = {{}, {5}, {3, 2}, {7, 1}};
  for (int64_t mxus : {1, 2, 3, 4})
    for (int64_t k : {1, 128, 200, 384, 1000})
      for (int64_t n : {1, 128, 300, 512, 1030})
        for (const auto &rows : someRows)
          for (const auto &batch : someBatches)
            for (bool isTransposed : {false, true})
              for (const std::vector<int64_t> &depth : {std::vector<int64_t>(), {6}}) {
                SCOPED_TRACE(testing::Message() << mxus << " MXUs, k " << k << ", n " << n
                                                << ", rows " << testing::PrintToString(rows)
                                                << ", batch " << testing::PrintToString(batch)
                                                << (isTransposed ? ", transposed" : "")
                                                << (depth.empty() ? "" : ", with depth"));
                check(shapeOf(k, n, rows, batch, isTransposed, depth), mxus);
                if (HasFatalFailure())
                  return;
              }
}

TEST(DotPhases, DividesColumnsAmongMxusFirst) {
  const auto phases = phasesOf(shapeOf(256, 512, {64}, {}), 2);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].split, DotSplit::columns);
  EXPECT_EQ(phases[0].usedMxus, 2);
  EXPECT_EQ(phases[0].nCount, 2);
  EXPECT_EQ(phases[0].kCount, 2);
}

TEST(DotPhases, OneBlockOfColumnsIsDividedByDepthOrRows) {
  const auto byDepth = phasesOf(shapeOf(256, 128, {64}, {}), 2);
  ASSERT_EQ(byDepth.size(), 1u);
  EXPECT_EQ(byDepth[0].split, DotSplit::depth);
  const auto byRows = phasesOf(shapeOf(128, 128, {64}, {}), 2);
  ASSERT_EQ(byRows.size(), 1u);
  EXPECT_EQ(byRows[0].split, DotSplit::rows);
  EXPECT_EQ(byRows[0].groupsPerMxu(), 4); // 64 rows are 8 groups
}

TEST(DotPhases, SmallProductsAreDividedByBatch) {
  const auto phases = phasesOf(shapeOf(64, 64, {8}, {5}), 2);
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
} // namespace systole
