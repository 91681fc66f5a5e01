// The MXU's product: bit for bit the sequence of fused multiply-adds that the
// instruction set states, on every variant of the kernels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <random>

#include "test/unit/runtime/Emulator/Cells.h"
#include "gtest/gtest.h"

using namespace systole;
using namespace systole::test;

namespace {

float bf16(uint32_t a) {
  Register x, d;
  x.cells[0] = a;
  FlushDenormals flush;
  kernels().lanes[size_t(isa::Opcode::v_rnd_bf16)][1](d.cells, x.cells, nullptr, nullptr, {});
  return asFloat(d.cells[0]);
}

struct alignas(64) Weights {
  unsigned char cells[kTileSize * kTileSize * 4];
};

// Weights W and rows A of a kind, and their product by definition.
struct Problem {
  std::vector<uint32_t> w = std::vector<uint32_t>(kTileSize * kTileSize);
  Register a;
  Weights latched;

  void latch(const KernelTable &table, bool transposed) {
    for (int group = 0; group < 16; ++group) {
      Register rows;
      for (int s = 0; s < 8; ++s)
        for (int l = 0; l < 128; ++l) {
          int k = transposed ? l : group * 8 + s, n = transposed ? group * 8 + s : l;
          rows.cells[s * 128 + l] = w[size_t(k * kTileSize + n)];
        }
      FlushDenormals flush;
      (transposed ? table.latchTransposed : table.latch)(latched.cells, rows.cells, group);
    }
  }

  uint32_t expected(int row, int column, int rows, int k, int n) const {
    if (row >= rows || column >= n)
      return 0;
    FlushDenormals flush;
    volatile float sum = 0;
    for (int i = 0; i < k; ++i)
      sum = __builtin_fmaf(narrowA[size_t(row * 128 + i)], narrowW[size_t(i * 128 + column)], sum);
    return asBits(sum);
  }

  void round() {
    narrowA.clear();
    narrowW.clear();
    for (uint32_t cell : a.cells)
      narrowA.push_back(bf16(cell));
    for (uint32_t cell : w)
      narrowW.push_back(bf16(cell));
  }
  std::vector<float> narrowA, narrowW;
};

void push(auto function, Register &d, const Register &a, const void *weights, int rows, int k,
          int n) {
  uint32_t *to = d.cells;
  const CellRows from = a.cells;
  function({&to, &from, 1, rows}, weights, k, n);
}

void compare(Problem &problem, int rows, int k, int n) {
  problem.round();
  Register d;
  for (const KernelTable *table : runnableKernels())
    for (bool transposed : {false, true}) {
      problem.latch(*table, transposed);
      {
        FlushDenormals flush;
        push(table->push, d, problem.a, problem.latched.cells, rows, k, n);
      }
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 128; ++c) {
          uint32_t want = problem.expected(r, c, rows, k, n), got = d.cells[r * 128 + c];
          ASSERT_TRUE(got == want || (std::isnan(asFloat(got)) && std::isnan(asFloat(want))))
              << table->name << " row " << r << " column " << c << " extents " << rows << " " << k
              << " " << n << ": " << asFloat(got) << ", not " << asFloat(want);
        }
    }
}

TEST(Mxu, AllExtents) {
  Problem problem;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (uint32_t &cell : problem.w)
    cell = asBits(normal(random));
  for (uint32_t &cell : problem.a.cells)
    cell = asBits(normal(random));
  compare(problem, 8, 128, 128);
  for (auto [rows, k, n] : {std::array{1, 128, 128},
                            {3, 77, 5},
                            {8, 1, 128},
                            {5, 128, 33},
                            {4, 64, 64},
                            {7, 9, 127},
                            {8, 0, 128},
                            {0, 128, 128},
                            {8, 128, 0}})
    compare(problem, rows, k, n);
}

// Rows of memory, anywhere, are multiplied and latched as those of a register are.
TEST(Mxu, RowsWithAStep) {
  constexpr int64_t step = 5 * isa::kLanes;
  static Weights latched, again;
  std::mt19937 random(6);
  Register rows, expected, got;
  for (uint32_t &cell : rows.cells)
    cell = asBits(std::normal_distribution<float>()(random));
  std::vector<uint32_t> memory(size_t(8 * step), 0xffffffffu);
  for (int s = 0; s < isa::kSublanes; ++s)
    std::copy_n(rows.cells + s * isa::kLanes, isa::kLanes,
                memory.data() + (isa::kSublanes - 1 - s) * step);
  const CellRows apart(memory.data() + (isa::kSublanes - 1) * step, -step);
  for (const KernelTable *table : runnableKernels())
    for (const auto latch : {&KernelTable::latch, &KernelTable::latchTransposed,
                             &KernelTable::latchS8}) {
      FlushDenormals flush;
      const bool integers = latch == &KernelTable::latchS8;
      for (int group = 0; group < 16; ++group) {
        (table->*latch)(latched.cells, rows.cells, group);
        (table->*latch)(again.cells, apart, group);
      }
      ASSERT_EQ(std::memcmp(&latched, &again, sizeof(again)), 0) << table->name;
      const auto function = integers ? table->pushS8 : table->push;
      push(function, expected, rows, latched.cells, 7, 128, 100);
      uint32_t *to = got.cells;
      function({&to, &apart, 1, 7}, latched.cells, 128, 100);
      ASSERT_EQ(std::memcmp(&expected, &got, sizeof(got)), 0) << table->name;
    }
}

// Several registers at once are as each alone: whatever blocks of rows they are computed in.
TEST(Mxu, RunsOfRegisters) {
  constexpr int most = 15;
  static Weights latched;
  std::mt19937 random(4);
  std::vector<Register> groups(16), a(most), d(most);
  for (auto *registers : {&groups, &a})
    for (Register &each : *registers)
      for (uint32_t &cell : each.cells)
        cell = asBits(std::normal_distribution<float>()(random));
  for (const KernelTable *table : runnableKernels())
    for (const bool integers : {false, true}) {
      FlushDenormals flush;
      const auto function = integers ? table->pushS8 : table->push;
      for (int group = 0; group < 16; ++group)
        (integers ? table->latchS8 : table->latch)(latched.cells, groups[size_t(group)].cells,
                                                   group);
      for (int count = 1; count <= most; ++count)
        for (const int rows : {8, 5}) {
          std::vector<uint32_t *> to;
          std::vector<CellRows> from;
          for (int i = 0; i < count; ++i) {
            to.push_back(d[size_t(i)].cells);
            from.push_back(a[size_t(i)].cells);
          }
          function({to.data(), from.data(), count, rows}, latched.cells, 120, 90);
          for (int i = 0; i < count; ++i) {
            Register alone;
            push(function, alone, a[size_t(i)], latched.cells, rows, 120, 90);
            ASSERT_EQ(std::memcmp(&alone, &d[size_t(i)], sizeof(alone)), 0)
                << table->name << " register " << i << " of " << count << ", rows " << rows;
          }
        }
    }
}

TEST(Mxu, SpecialValues) {
  Problem problem;
  std::vector<uint32_t> special = specialValues();
  std::mt19937 random(2);
  // Mostly zeros, so that most results are finite.
  for (uint32_t &cell : problem.w)
    cell = random() % 16 ? 0 : special[random() % special.size()];
  for (uint32_t &cell : problem.a.cells)
    cell = random() % 16 ? 0x3f800000 : special[random() % special.size()];
  compare(problem, 8, 128, 128);
}

// 2^24 + 1 rounds to 2^24, and then -2^24 leaves 0. If either 1 or -2^24 came before its turn, or
// two products were added before the sum so far, 1 would be left: 2^24 - 2^24 + 1, or
// 2^24 + (1 - 2^24).
TEST(Mxu, AddsInAscendingOrder) {
  for (const KernelTable *table : runnableKernels())
    for (int k = 0; k + 2 < 128; ++k) {
      Problem problem;
      for (uint32_t &cell : problem.w)
        cell = asBits(1);
      std::fill_n(problem.a.cells, kCells, 0);
      for (int row = 0; row < 8; ++row) {
        problem.a.cells[row * 128 + k] = asBits(0x1p24f);
        problem.a.cells[row * 128 + k + 1] = asBits(1);
        problem.a.cells[row * 128 + k + 2] = asBits(-0x1p24f);
      }
      Register d;
      problem.latch(*table, false);
      FlushDenormals flush;
      push(table->push, d, problem.a, problem.latched.cells, 8, 128, 128);
      for (uint32_t cell : d.cells)
        ASSERT_EQ(asFloat(cell), 0) << table->name << " from row " << k << " of the weights on";
    }
}

TEST(Mxu, DenormalSumsFlush) {
  Problem problem;
  // 2^-70 * 2^-60 is denormal: each step flushes, the sum stays zero.
  std::fill(problem.w.begin(), problem.w.end(), asBits(0x1p-70f));
  std::fill_n(problem.a.cells, kCells, asBits(0x1p-60f));
  compare(problem, 8, 128, 128);
  problem.round();
  EXPECT_EQ(problem.expected(0, 0, 8, 128, 128), 0u);
}

TEST(Mxu, ClearsPartsOfTheWeights) {
  Problem problem;
  for (uint32_t &cell : problem.w)
    cell = asBits(1);
  std::fill_n(problem.a.cells, kCells, asBits(1));
  Register d;
  for (const KernelTable *table : runnableKernels()) {
    problem.latch(*table, false);
    // A row group, a column group and one odd row.
    table->clear(problem.latched.cells, 16, 8, 0, 128);
    table->clear(problem.latched.cells, 0, 128, 40, 8);
    table->clear(problem.latched.cells, 101, 1, 64, 3);
    push(table->push, d, problem.a, problem.latched.cells, 8, 128, 128);
    for (int c = 0; c < 128; ++c)
      ASSERT_EQ(asFloat(d.cells[c]), c / 8 == 5          ? 0
                                     : c >= 64 && c < 67 ? 119
                                                         : 120)
          << table->name << " column " << c;
  }
}

TEST(Mxu, Integers) {
  static Weights latched;
  unsigned char *weights = latched.cells;
  Register a, d, rows[16];
  std::mt19937 random(3);
  for (uint32_t &cell : a.cells)
    cell = random();
  for (Register &r : rows)
    for (uint32_t &cell : r.cells)
      cell = random();
  for (const KernelTable *table : runnableKernels()) {
    for (int group = 0; group < 16; ++group)
      table->latchS8(weights, rows[group].cells, group);
    push(table->pushS8, d, a, weights, 6, 100, 90);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 128; ++c) {
        int32_t sum = 0;
        for (int k = 0; k < 100 && r < 6 && c < 90; ++k)
          sum += int8_t(a.cells[r * 128 + k]) * int8_t(rows[k / 8].cells[k % 8 * 128 + c]);
        ASSERT_EQ(int32_t(d.cells[r * 128 + c]), sum) << table->name;
      }
  }
}

} // namespace
