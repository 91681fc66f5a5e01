// Programs that are divided among cores by their shardings, in and outside of manual computations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "compiler/Pipeline/Compiler.h"
#include "test/unit/compiler/Partition/SliceRun.h"
#include "gmock/gmock.h"

namespace systole::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> iota(size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// x[8,6] is divided along both dimensions, y[6] along the second axis; x @ diag(y) and sums of
// columns are computed outside of manual computations.
constexpr const char *kGlobal = R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=2]DEVICES>
  func.func public @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                         %y: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
      -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>},
          tensor<6xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %p = stablehlo.multiply %x, %s : tensor<8x6xf32>
    %c = sdy.sharding_constraint %p <@mesh, [{}, {"a"}]> : tensor<8x6xf32>
    %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [0]
        : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %c, %r : tensor<8x6xf32>, tensor<6xf32>
  }
}
)";

void testGlobal(const std::string &devices, const std::vector<size_t> &positions) {
  std::string text = kGlobal;
  text.replace(text.find("DEVICES"), 7, devices);
  const std::vector<float> x = iota(48, 1), y = iota(6, 10);
  std::vector<std::vector<Bytes>> arguments;
  for (size_t position : positions) {
    const size_t a = position / 2, b = position % 2;
    std::vector<float> part;
    for (size_t row = 0; row < 4; ++row)
      for (size_t column = 0; column < 3; ++column)
        part.push_back(x[(a * 4 + row) * 6 + b * 3 + column]);
    arguments.push_back(
        {bytesOf(part), bytesOf(std::vector<float>(y.begin() + ptrdiff_t(b) * 3,
                                                   y.begin() + ptrdiff_t(b) * 3 + 3))});
  }
  const SliceResult result = runOnSlice(text, arguments);
  ASSERT_EQ(result.results.size(), 4u);
  const program::ProgramHeader &header = result.program->header;
  EXPECT_EQ(header.cores(), 4);
  EXPECT_EQ(header.slice_cores(), 8);
  EXPECT_THAT(header.arguments(0).whole_dims(), ElementsAre(8, 6));
  EXPECT_THAT(header.arguments(0).dims(), ElementsAre(4, 3));
  EXPECT_THAT(header.results(0).whole_dims(), ElementsAre(8, 6));
  // The sums are divided as the columns are.
  EXPECT_THAT(header.results(1).whole_dims(), ElementsAre(6));
  std::vector<float> sums(6);
  for (size_t row = 0; row < 8; ++row)
    for (size_t column = 0; column < 6; ++column)
      sums[column] += x[row * 6 + column] * y[column];
  for (size_t core = 0; core < 4; ++core) {
    const size_t a = positions[core] / 2, b = positions[core] % 2;
    EXPECT_EQ(header.arguments(0).core_positions(int(core) * 2), int(a));
    EXPECT_EQ(header.arguments(0).core_positions(int(core) * 2 + 1), int(b));
    EXPECT_EQ(header.results(0).core_positions(int(core) * 2), int(b));
    std::vector<float> expected;
    for (size_t row = 0; row < 4; ++row)
      for (size_t column = 0; column < 3; ++column) {
        const size_t at = (b * 4 + row) * 6 + a * 3 + column;
        expected.push_back(x[at] * y[at % 6]);
      }
    EXPECT_EQ(valuesOf<float>(result.results[core][0]), expected);
    EXPECT_EQ(
        valuesOf<float>(result.results[core][1]),
        std::vector<float>(sums.begin() + ptrdiff_t(a) * 3, sums.begin() + ptrdiff_t(a) * 3 + 3));
  }
}

TEST(Division, OutsideOfManualComputations) { testGlobal("", {0, 1, 2, 3}); }

// Position 0 of the mesh is core 2, and so on: core 0 is at position 1.
TEST(Division, DevicesInAnotherOrder) { testGlobal(", device_ids=[2,0,3,1]", {1, 3, 0, 2}); }

// A part of an axis: cores 0 and 1 have the first half.
TEST(Division, PartsOfAxes) {
  const char *text = R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=4]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}) {
    %r = stablehlo.add %x, %x : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
)";
  const Bytes low = bytesOf(std::vector<float>{1, 2}), high = bytesOf(std::vector<float>{3, 4});
  const SliceResult result = runOnSlice(text, {{low}, {low}, {high}, {high}});
  ASSERT_EQ(result.results.size(), 4u);
  for (size_t core = 0; core < 4; ++core)
    EXPECT_EQ(valuesOf<float>(result.results[core][0]),
              core % 2 == 0 ? std::vector<float>({2, 4}) : std::vector<float>({6, 8}));
}

// Manual along one axis of two, and a second computation that takes its result.
TEST(Division, ManualAlongSomeAxes) {
  const char *text = R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>})
      -> tensor<4xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%p: tensor<2xf32>) {
      %s = "stablehlo.all_reduce"(%p) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %m: tensor<f32>):
        %n = stablehlo.add %l, %m : tensor<f32>
        stablehlo.return %n : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %s : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"a", "b"}]>] manual_axes={"a", "b"} (%q: tensor<2xf32>) {
      %t = stablehlo.slice %q [1:2] : (tensor<2xf32>) -> tensor<1xf32>
      sdy.return %t : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
)";
  std::vector<std::vector<Bytes>> arguments;
  for (float value : {1.0f, 20.0f, 300.0f, 4000.0f})
    arguments.push_back({bytesOf(std::vector<float>{value})});
  const SliceResult result = runOnSlice(text, arguments);
  ASSERT_EQ(result.results.size(), 4u);
  // x is [1, 20, 300, 4000]; each core adds its halves [1, 20] and [300, 4000] along b.
  for (size_t core = 0; core < 4; ++core)
    EXPECT_EQ(valuesOf<float>(result.results[core][0]), std::vector<float>{4020});
}

TEST(Division, NeedsCores) {
  std::string text = kGlobal;
  text.replace(text.find("DEVICES"), 7, "");
  const auto program = compile(text, "test.mlir", *Target::load("v3"), {});
  EXPECT_THAT(std::string(program.status().message()),
              HasSubstr("the program is divided among 4 cores, and target v3 has 1"));
}

// As Shardy has it: arguments and results that are not divided evenly are whole.
TEST(Division, ArgumentsAreDividedEvenlyOrNot) {
  const char *text = R"(
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2]>
  func.func public @main(%x: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
      -> tensor<3xf32> {
    %r = stablehlo.add %x, %x : tensor<3xf32>
    return %r : tensor<3xf32>
  }
}
)";
  const Bytes x = bytesOf(std::vector<float>{1, 2, 3});
  const SliceResult result = runOnSlice(text, {{x}, {x}});
  ASSERT_EQ(result.results.size(), 2u);
  EXPECT_THAT(result.program->header.arguments(0).whole_dims(), ElementsAre());
  for (size_t core = 0; core < 2; ++core)
    EXPECT_EQ(valuesOf<float>(result.results[core][0]), std::vector<float>({2, 4, 6}));
}

} // namespace
} // namespace systole::test
