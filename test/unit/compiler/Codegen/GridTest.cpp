// Grids: copies of blocks in and out, double buffering, edges, packing, streams.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

using namespace systole::test;

namespace {

template <typename T> std::vector<T> numbers(int64_t size, int start = 1) {
  std::vector<T> values(size);
  for (int64_t i = 0; i < size; ++i)
    values[i] = T(start + i * 7);
  return values;
}

// Adds 3 to every element of a block.
std::string addThree(const Dims &block, const std::string &dtype, const std::string &from = "%a0",
                     const std::string &to = "%a1") {
  return mapStage(block, {from}, {dtype}, to, dtype,
                  "    %c = stablehlo.constant dense<3> : tensor<" + dtype +
                      ">\n    %r = stablehlo.add %x0, %c : tensor<" + dtype +
                      ">\n    kernel.yield %r : tensor<" + dtype + ">\n");
}

struct GridCase {
  const char *name;
  std::string dtype;
  Dims dims, block, grid;
  std::string map;
};

void PrintTo(const GridCase &c, std::ostream *os) { *os << c.name; }

class Grid : public testing::TestWithParam<GridCase> {
protected:
  template <typename T> void check(const systole::codegen::Machine &machine) {
    const GridCase &c = GetParam();
    auto x = numbers<T>(count(c.dims));
    auto results =
        runKernel(c.grid,
                  {{"in", Array::of(c.dtype, c.dims, x), c.block, c.map},
                   {"out", Array::of(c.dtype, c.dims, std::vector<T>(x.size())), c.block, c.map}},
                  addThree(c.block, c.dtype), machine);
    for (T &value : x)
      value = T(value + 3);
    EXPECT_EQ(results[1].template values<T>(), x);
  }
  void check(const systole::codegen::Machine &machine) {
    if (GetParam().dtype == "i32")
      check<int32_t>(machine);
    else if (GetParam().dtype == "i16")
      check<int16_t>(machine);
    else
      check<int8_t>(machine);
  }
};

TEST_P(Grid, Whole) { check(v3()); }

TEST_P(Grid, WithoutRoomForTwoHalves) {
  // VMEM for exactly one block of each operand.
  systole::codegen::Machine machine = v3();
  const GridCase &c = GetParam();
  int64_t tiles = (c.block.back() + 127) / 128;
  int64_t rows = (count(c.block) / c.block.back() * tiles + 7) / 8 * 8;
  // Seven positions of "rows8" are padded to eight.
  if (std::string_view(c.name) == "rows8")
    rows = 48 * 2 * 8;
  int64_t bytes = c.dtype == "i32" ? 4 : c.dtype == "i16" ? 2 : 1;
  machine.vmemRows = machine.budget.spillRows + 2 * (rows * bytes / 4);
  check(machine);
}

// Blocks that are read, incremented and written back in place, once each.
class GridInPlace : public Grid {};

TEST_P(GridInPlace, Whole) {
  const GridCase &c = GetParam();
  auto x = numbers<int32_t>(count(c.dims));
  auto results = runKernel(c.grid, {{"inout", Array::of(c.dtype, c.dims, x), c.block, c.map}},
                           addThree(c.block, c.dtype, "%a0", "%a0"));
  for (int32_t &value : x)
    value += 3;
  EXPECT_EQ(results[0].values<int32_t>(), x);
}

TEST_P(Grid, ShortQueue) {
  for (int depth : {1, 2, 3, 5}) {
    systole::codegen::Machine machine = v3();
    machine.dmaQueueDepth = depth;
    check(machine);
  }
}

auto name = [](const auto &info) { return info.param.name; };

// Each block belongs to one step.
const auto kWords = testing::Values(
    GridCase{"one", "i32", {5, 7}, {5, 7}, {}, "() -> (0, 0)"},
    GridCase{"rows", "i32", {64, 200}, {16, 200}, {4}, "(d0) -> (d0, 0)"},
    GridCase{"overhang", "i32", {50, 200}, {16, 200}, {4}, "(d0) -> (d0, 0)"},
    GridCase{"lanes", "i32", {9, 700}, {9, 256}, {3}, "(d0) -> (0, d0)"},
    GridCase{"both", "i32", {50, 700}, {16, 128}, {4, 6}, "(d0, d1) -> (d0, d1)"},
    GridCase{"lanes_outside", "i32", {50, 700}, {16, 128}, {6, 4}, "(d0, d1) -> (d1, d0)"},
    GridCase{"middle", "i32", {3, 20, 130}, {3, 8, 130}, {3}, "(d0) -> (0, d0, 0)"},
    GridCase{"planes",
             "i32",
             {5, 6, 7, 130},
             {2, 4, 7, 128},
             {3, 2, 2},
             "(d0, d1, d2) -> (d0, d1, 0, d2)"},
    GridCase{"vector", "i32", {1000}, {256}, {4}, "(d0) -> (d0)"},
    GridCase{"far", "i32", {24, 8}, {8, 8}, {1, 3, 1}, "(d0, d1, d2) -> (d1 + d0, 0)"});
const auto kOthers = testing::Values(
    GridCase{"vector8", "i8", {4000}, {1024}, {4}, "(d0) -> (d0)"},
    GridCase{"rows16", "i16", {50, 130}, {12, 130}, {5}, "(d0) -> (d0, 0)"},
    GridCase{"odd16", "i16", {33, 7}, {8, 7}, {5}, "(d0) -> (d0, 0)"},
    GridCase{"rows8", "i8", {129, 2, 7, 8}, {48, 2, 7, 8}, {3}, "(d0) -> (d0, 0, 0, 0)"},
    GridCase{"single8", "i8", {37, 3}, {4, 3}, {10}, "(d0) -> (d0, 0)"},
    GridCase{"lanes8", "i8", {3, 2048}, {3, 512}, {4}, "(d0) -> (0, d0)"},
    GridCase{
        "divided", "i32", {24, 8}, {8, 8}, {3, 2}, "(d0, d1) -> ((d0 * 2 + d1) floordiv 2, 0)"});

INSTANTIATE_TEST_SUITE_P(Words, Grid, kWords, name);
INSTANTIATE_TEST_SUITE_P(Others, Grid, kOthers, name);
INSTANTIATE_TEST_SUITE_P(Words, GridInPlace, kWords, name);

// Windows of a matrix that begin before or behind it, overlap and leave gaps. A step stores the
// elements of its window that are inside of the matrix, and 0 elsewhere.
struct WindowCase {
  const char *name;
  std::string dtype;
  Dims dims, block;
  int64_t steps;
  Dims stride, offset;
};
void PrintTo(const WindowCase &c, std::ostream *os) { *os << c.name; }
class Windows : public testing::TestWithParam<WindowCase> {};

TEST_P(Windows, ShowWhatIsInside) {
  const WindowCase &c = GetParam();
  Dims results{c.steps * c.block[0], c.block[1]};
  std::vector<int32_t> expected(count(results), 0), x;
  for (int64_t i = 0; i < count(c.dims); ++i)
    x.push_back(int8_t(1 + i % 100));
  std::string bounds, inside = "%t";
  std::string constants = "    %t = stablehlo.constant dense<true> : tensor<i1>\n";
  for (int64_t d : {0, 1}) {
    std::string n = std::to_string(d);
    auto constant = [&](const std::string &name, int64_t value) {
      constants += "    %" + name + n + " = stablehlo.constant dense<" + std::to_string(value) +
                   "> : tensor<i32>\n";
    };
    constant("s", c.stride[d]), constant("o", c.offset[d]), constant("e", c.dims[d]);
    constant("z", 0);
    bounds += "    %i" + n + " = kernel.index " + n + " : tensor<i32>\n    %m" + n +
              " = stablehlo.multiply %g, %s" + n + " : tensor<i32>\n    %f" + n +
              " = stablehlo.add %m" + n + ", %o" + n + " : tensor<i32>\n    %p" + n +
              " = stablehlo.add %f" + n + ", %i" + n + " : tensor<i32>\n";
    for (const auto &[name, direction, limit] :
         {std::tuple("l", "GE", "%z" + n), std::tuple("h", "LT", "%e" + n)}) {
      bounds += "    %" + (name + n) + " = stablehlo.compare " + direction + ", %p" + n + ", " +
                limit + " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    %c" + (name + n) +
                " = stablehlo.and " + inside + ", %" + (name + n) + " : tensor<i1>\n";
      inside = "%c" + (name + n);
    }
  }
  std::string type = "tensor<" + c.dtype + ">";
  std::string body = mapStage(
      c.block, {"%a0"}, {c.dtype}, "%a1", c.dtype,
      "    %g = kernel.scalar %g0 : tensor<i32>\n" + constants + bounds +
          "    %none = stablehlo.constant dense<0> : " + type + "\n    %r = stablehlo.select " +
          inside + ", %x0, %none : tensor<i1>, " + type + "\n    kernel.yield %r : " + type + "\n");
  for (int64_t step = 0; step < c.steps; ++step)
    for (int64_t r = 0; r < c.block[0]; ++r)
      for (int64_t l = 0; l < c.block[1]; ++l) {
        int64_t row = c.stride[0] * step + c.offset[0] + r,
                lane = c.stride[1] * step + c.offset[1] + l;
        if (row >= 0 && row < c.dims[0] && lane >= 0 && lane < c.dims[1])
          expected[(step * c.block[0] + r) * c.block[1] + l] = x[row * c.dims[1] + lane];
      }
  auto run = [&]<typename T>(T) {
    auto results2 =
        runKernel({c.steps},
                  {{"in", Array::of(c.dtype, c.dims, std::vector<T>(x.begin(), x.end())), c.block,
                    "(d0) -> (d0, d0)", c.stride, c.offset},
                   {"out", Array::of(c.dtype, results, std::vector<T>(count(results))), c.block,
                    "(d0) -> (d0, 0)"}},
                  body);
    EXPECT_EQ(results2[1].template values<T>(), std::vector<T>(expected.begin(), expected.end()));
  };
  if (c.dtype == "i32")
    run(int32_t());
  else if (c.dtype == "i16")
    run(int16_t());
  else
    run(int8_t());
}

INSTANTIATE_TEST_SUITE_P(
    Places, Windows,
    testing::Values(
        WindowCase{"before_and_behind", "i32", {50, 200}, {16, 200}, 6, {16, 0}, {-20, 0}},
        WindowCase{"overlapping", "i32", {50, 200}, {16, 200}, 9, {5, 0}, {3, 0}},
        WindowCase{"gaps", "i32", {50, 200}, {8, 200}, 3, {20, 0}, {1, 0}},
        WindowCase{"backwards", "i32", {50, 200}, {16, 200}, 5, {-16, 0}, {45, 0}},
        WindowCase{"lanes", "i32", {9, 700}, {9, 384}, 5, {0, 256}, {0, -256}},
        WindowCase{"both", "i32", {30, 700}, {8, 256}, 6, {8, 128}, {-8, -128}},
        WindowCase{"larger_than_the_array", "i32", {3, 100}, {24, 256}, 3, {8, 0}, {-8, 0}},
        WindowCase{"rows16", "i16", {50, 200}, {16, 200}, 6, {16, 0}, {-19, 0}},
        WindowCase{"rows8", "i8", {51, 300}, {16, 300}, 6, {16, 0}, {-20, 0}},
        WindowCase{"lanes16", "i16", {9, 1000}, {9, 512}, 5, {0, 256}, {0, -256}}),
    [](const auto &info) { return info.param.name; });

// The accumulator's block is unchanged for three steps, which add three blocks.
TEST(GridRoles, BlockThatStaysIsCopiedWhenItChanges) {
  Dims part{8, 128}, whole{32, 384};
  auto x = numbers<int32_t>(count(whole)), start = numbers<int32_t>(32 * 128, 1000);
  std::string body = mapStage(part, {"%a0", "%a1"}, {"i32", "i32"}, "%a1", "i32",
                              "    %r = stablehlo.add %x0, %x1 : tensor<i32>\n"
                              "    kernel.yield %r : tensor<i32>\n");
  for (bool roomy : {true, false}) {
    systole::codegen::Machine machine = v3();
    if (!roomy)
      machine.vmemRows = machine.budget.spillRows + 2 * 8;
    auto results =
        runKernel({4, 3},
                  {{"in", Array::of("i32", whole, x), part, "(d0, d1) -> (d0, d1)"},
                   {"inout", Array::of("i32", {32, 128}, start), part, "(d0, d1) -> (d0, 0)"}},
                  body, machine);
    auto sums = results[1].values<int32_t>();
    for (int r = 0; r < 32; ++r)
      for (int c = 0; c < 128; ++c) {
        int32_t expected = start[r * 128 + c];
        for (int j = 0; j < 3; ++j)
          expected += x[r * 384 + j * 128 + c];
        ASSERT_EQ(sums[r * 128 + c], expected) << r << ", " << c;
      }
  }
}

// An output that is only written in the first step of each block.
TEST(GridRoles, OutputKeepsItsBlockUntilItChanges) {
  Dims part{8, 128};
  auto x = numbers<int32_t>(32 * 384);
  std::string body = "  %zero = arith.constant 0 : i32\n"
                     "  %first = arith.cmpi eq, %g1, %zero : i32\n"
                     "  scf.if %first {\n" +
                     addThree(part, "i32") + "  }\n";
  auto results = runKernel({4, 3},
                           {{"in", Array::of("i32", {32, 384}, x), part, "(d0, d1) -> (d0, d1)"},
                            {"out", Array::of("i32", {32, 128}, std::vector<int32_t>(32 * 128)),
                             part, "(d0, d1) -> (d0, 0)"}},
                           body);
  auto y = results[1].values<int32_t>();
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 128; ++c)
      ASSERT_EQ(y[r * 128 + c], x[r * 384 + c] + 3);
}

// An operand that is the same in all steps, and one that changes.
TEST(GridRoles, ConstantBlockIsCopiedOnce) {
  auto x = numbers<int32_t>(40 * 8), row = numbers<int32_t>(8, 100);
  std::string body = "  kernel.map ins(%a0, %a1 : " + buffer({16, 8}, "i32") + ", " +
                     buffer({8}, "i32") + ") outs(%a2 : " + buffer({16, 8}, "i32") +
                     ") maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] {\n"
                     "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
                     "    %r = stablehlo.add %x, %y : tensor<i32>\n"
                     "    kernel.yield %r : tensor<i32>\n  }\n";
  auto results = runKernel({3},
                           {{"in", Array::of("i32", {40, 8}, x), {16, 8}, "(d0) -> (d0, 0)"},
                            {"in", Array::of("i32", {8}, row), {8}, "(d0) -> (0)"},
                            {"out",
                             Array::of("i32", {40, 8}, std::vector<int32_t>(40 * 8)),
                             {16, 8},
                             "(d0) -> (d0, 0)"}},
                           body);
  auto y = results[2].values<int32_t>();
  for (int i = 0; i < 40 * 8; ++i)
    ASSERT_EQ(y[i], x[i] + row[i % 8]);
}

// More operands than the queue has entries.
TEST(GridRoles, ManyOperands) {
  constexpr int inputs = 20;
  for (int depth : {1, 8, 32}) {
    std::vector<Operand> operands;
    std::vector<std::string> names, types;
    std::string sum = "    %s0 = stablehlo.add %x0, %x1 : tensor<i32>\n";
    for (int i = 0; i < inputs; ++i) {
      operands.push_back(
          {"in", Array::of("i32", {16, 8}, numbers<int32_t>(128, i)), {8, 8}, "(d0) -> (d0, 0)"});
      names.push_back("%a" + std::to_string(i));
      types.push_back("i32");
      if (i >= 2)
        sum += "    %s" + std::to_string(i - 1) + " = stablehlo.add %s" + std::to_string(i - 2) +
               ", %x" + std::to_string(i) + " : tensor<i32>\n";
    }
    operands.push_back(
        {"out", Array::of("i32", {16, 8}, std::vector<int32_t>(128)), {8, 8}, "(d0) -> (d0, 0)"});
    sum += "    kernel.yield %s" + std::to_string(inputs - 2) + " : tensor<i32>\n";
    systole::codegen::Machine machine = v3();
    machine.dmaQueueDepth = depth;
    auto results =
        runKernel({2}, operands, mapStage({8, 8}, names, types, "%a20", "i32", sum), machine);
    auto y = results[inputs].values<int32_t>();
    for (int e = 0; e < 128; ++e)
      ASSERT_EQ(y[e], inputs * (inputs - 1) / 2 + inputs * 7 * e);
  }
}

// Scalars from streams of several shapes choose rows of a raw operand.
TEST(GridRoles, StreamsAndRawOperands) {
  auto table = numbers<int32_t>(64 * 128);
  std::vector<int32_t> indices{5, 60, 0, 33, 7, 12};
  auto wide = numbers<int32_t>(2 * 200, 0); // element (1, 150) is 7 * 350
  std::string body = R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c150 = arith.constant 150 : i32
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    scf.for %j = %c0 to %c2 step %c1 : i32 {
      %row = kernel.load_scalar %a1[%i, %j] : !kernel.buffer<3x2xi32, smem>
      %two = arith.muli %i, %c2 : i32
      %to = arith.addi %two, %j : i32
      kernel.copy %a0 at[%row, %c0] to %a4 at[%to, %c0] sizes = [1, 128]
        from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)>
        : !kernel.buffer<64x128xi32, hbm>, !kernel.buffer<6x128xi32, vmem>
    }
  }
  %w = kernel.load_scalar %a2[%c1, %c150] : !kernel.buffer<2x200xi32, smem>
  %n = kernel.load_scalar %a3[] : !kernel.buffer<i8, smem>
  kernel.map ins(%a4 : !kernel.buffer<6x128xi32, vmem>) outs(%a4 : !kernel.buffer<6x128xi32, vmem>)
      maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: tensor<i32>):
    %a = kernel.scalar %w : tensor<i32>
    %b = kernel.scalar %n : tensor<i32>
    %s = stablehlo.add %x, %a : tensor<i32>
    %r = stablehlo.add %s, %b : tensor<i32>
    kernel.yield %r : tensor<i32>
  }
)";
  auto results =
      runKernel({},
                {{"raw", Array::of("i32", {64, 128}, table), {}, ""},
                 {"stream", Array::of("i32", {3, 2}, indices), {}, ""},
                 {"stream", Array::of("i32", {2, 200}, wide), {}, ""},
                 {"stream", Array::of("i8", {}, std::vector<int8_t>{-5}), {}, ""},
                 {"out", Array::of("i32", {6, 128}, std::vector<int32_t>(6 * 128)), {}, ""}},
                body);
  auto y = results[4].values<int32_t>();
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 128; ++c)
      ASSERT_EQ(y[r * 128 + c], table[indices[r] * 128 + c] + 7 * 350 - 5);
}

// Buffers with disjoint live ranges share rows; those of a loop do not.
TEST(GridRoles, AllocationsShareRows) {
  Dims dims{64, 128};
  auto x = numbers<int32_t>(count(dims));
  std::string body;
  for (int i = 0; i < 6; ++i) {
    std::string from = i ? "%t" + std::to_string(i - 1) : "%a0", to = "%t" + std::to_string(i);
    body += "  " + to + " = kernel.alloc : " + buffer(dims, "i32") + "\n" +
            addThree(dims, "i32", from, to);
  }
  body += "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
          "  %c4 = arith.constant 4 : i32\n  scf.for %i = %c0 to %c4 step %c1 : i32 {\n"
          "  %u = kernel.alloc : " +
          buffer(dims, "i32") + "\n" + addThree(dims, "i32", "%t5", "%u") +
          addThree(dims, "i32", "%u", "%t5") + "  }\n" + addThree(dims, "i32", "%t5", "%a1");
  // The input, an output, and two buffers at a time.
  systole::codegen::Machine machine = v3();
  machine.vmemRows = machine.budget.spillRows + 3 * 64;
  auto results =
      runKernel({},
                {{"in", Array::of("i32", dims, x), {}, ""},
                 {"out", Array::of("i32", dims, std::vector<int32_t>(x.size())), {}, ""}},
                body, machine);
  auto y = results[1].values<int32_t>();
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], x[i] + 3 * (6 + 8 + 1));
}

} // namespace
