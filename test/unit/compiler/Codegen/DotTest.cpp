// Products in several passes: whether parts are stored or recomputed where they are read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

using namespace systole::test;

namespace {

// Enough rows for stored parts to pay off, and remainders in every dimension.
constexpr int64_t m = 136, k = 250, n = 140;

/// Values with 24 significant bits.
std::vector<float> fullNumbers(int64_t size) {
  std::vector<float> values(size);
  for (int64_t i = 0; i < size; ++i)
    values[i] = float(0x800001 + (i * 0x9e37) % 0x7ffffe) / 65536;
  return values;
}

/// `inner` rows of `columns`, with a 1 in column j of row (3 * j + 1) % inner.
std::vector<float> selection(int64_t inner, int64_t columns) {
  std::vector<float> values(inner * columns);
  for (int64_t j = 0; j < columns; ++j)
    values[(3 * j + 1) % inner * columns + j] = 1;
  return values;
}

std::vector<float> product(const std::vector<float> &lhs, const std::vector<float> &rhs,
                           const systole::codegen::Machine &machine) {
  std::vector<Operand> operands = {
      {"in", Array::of("f32", {m, k}, lhs), {m, k}, ""},
      {"in", Array::of("f32", {k, n}, rhs), {k, n}, ""},
      {"out", Array::of("f32", {m, n}, std::vector<float>(m * n)), {m, n}, ""}};
  std::string body =
      "  kernel.dot %a0, %a1 into %a2 {precision = 6 : i32} : " + buffer({m, k}, "f32") + ", " +
      buffer({k, n}, "f32") + ", " + buffer({m, n}, "f32") + "\n";
  return runKernel({}, operands, body, machine)[2].values<float>();
}

// VMEM for operands, output and the sums of one pass, eight rows each.
systole::codegen::Machine withoutRoomForParts() {
  systole::codegen::Machine machine = v3();
  machine.vmemRows = machine.budget.spillRows + 272 + 504 + 2 * 272;
  return machine;
}

class SixPasses : public testing::TestWithParam<bool> {
protected:
  systole::codegen::Machine machine() { return GetParam() ? v3() : withoutRoomForParts(); }
};

// The parts of a value add up to it, with any rounding.
TEST_P(SixPasses, KeepEveryBitOfLhs) {
  std::vector<float> lhs = fullNumbers(m * k), expected(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      expected[i * n + j] = lhs[i * k + (3 * j + 1) % k];
  EXPECT_EQ(product(lhs, selection(k, n), machine()), expected);
}

TEST_P(SixPasses, KeepEveryBitOfRhs) {
  std::vector<float> rhs = fullNumbers(k * n), lhs(m * k), expected(m * n);
  for (int64_t i = 0; i < m; ++i) {
    lhs[i * k + (3 * i + 1) % k] = 1;
    for (int64_t j = 0; j < n; ++j)
      expected[i * n + j] = rhs[(3 * i + 1) % k * n + j];
  }
  EXPECT_EQ(product(lhs, rhs, machine()), expected);
}

// One term in each of three blocks of 128: (2^24 + 1) - 2^24 is 0 in ascending order, as 2^24 + 1
// rounds to 2^24, and 1 in any order that adds the 1 last or -2^24 before it.
TEST(Dot, AddsBlocksInAscendingOrder) {
  constexpr int64_t rows = 8, depth = 384, columns = 256;
  std::vector<float> lhs(rows * depth);
  for (int64_t i = 0; i < rows; ++i) {
    lhs[i * depth + 5] = 0x1p24f;
    lhs[i * depth + 133] = 1;
    lhs[i * depth + 300] = -0x1p24f;
  }
  std::vector<Operand> operands = {
      {"in", Array::of("f32", {rows, depth}, lhs), {rows, depth}, ""},
      {"in",
       Array::of("f32", {depth, columns}, std::vector<float>(depth * columns, 1)),
       {depth, columns},
       ""},
      {"out",
       Array::of("f32", {rows, columns}, std::vector<float>(rows * columns, 7)),
       {rows, columns},
       ""}};
  std::string body =
      "  kernel.dot %a0, %a1 into %a2 {precision = 1 : i32} : " + buffer({rows, depth}, "f32") +
      ", " + buffer({depth, columns}, "f32") + ", " + buffer({rows, columns}, "f32") + "\n";
  EXPECT_EQ(runKernel({}, operands, body, v3())[2].values<float>(),
            std::vector<float>(rows * columns, 0));
}

INSTANTIATE_TEST_SUITE_P(Parts, SixPasses, testing::Bool());

} // namespace
