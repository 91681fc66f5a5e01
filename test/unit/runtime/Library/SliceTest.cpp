// Programs for several devices of a slice: parts of arrays, order, errors, loading.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systole/compiler.h"

namespace systole {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// x is divided by rows; the results are 2 x, as x is, and the sums of columns, on each device.
constexpr char kProgram[] = R"(module @sums attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %twice = stablehlo.add %x, %x : tensor<4x3xf32>
    %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %twice, %sums : tensor<4x3xf32>, tensor<3xf32>
  }
})";
constexpr int64_t kPart[] = {2, 3};

class SliceTest : public testing::Test {
protected:
  Buffer part(const Device &device, float first) {
    std::vector<float> values;
    for (int i = 0; i < 6; ++i)
      values.push_back(first + float(i));
    return *Buffer::fromHost(device, values.data(), ElementType::F32, kPart);
  }
  static std::vector<float> values(const Buffer &buffer) {
    std::vector<float> back(size_t(buffer.hostBytes()) / 4);
    EXPECT_TRUE(buffer.toHost(back.data(), back.size() * 4).ok());
    return back;
  }
  Device first = *Device::create({.target = "v3-8"});
  std::vector<Device> slice = first.slice();
};

TEST_F(SliceTest, HasItsDevices) {
  ASSERT_EQ(slice.size(), 8u);
  EXPECT_EQ(slice[0], first);
  EXPECT_EQ(slice[5], slice[2].slice()[5]);
  EXPECT_EQ(slice[5].number(), 5);
  EXPECT_NE(slice[5], slice[4]);
  EXPECT_EQ(slice[5].target(), first.target());
  // Each has a memory of its own.
  const Buffer buffer = part(slice[3], 0);
  EXPECT_GT(slice[3].memory().inUse, 0);
  EXPECT_EQ(slice[2].memory().inUse, 0);
  const Device alone = *Device::create({.target = "v3"});
  EXPECT_THAT(alone.slice(), ElementsAre(alone));
}

TEST_F(SliceTest, ADeviceKeepsItsSlice) {
  const Device last = slice[7];
  first = *Device::create({.target = "v3"});
  slice.clear();
  EXPECT_EQ(last.slice().size(), 8u);
  EXPECT_THAT(values(part(last, 1)), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(SliceTest, RunsAProgramOfSeveralDevices) {
  // The second partition is on the first device.
  const std::vector<Device> devices = {slice[6], slice[0]};
  const absl::StatusOr<Executable> program = compile(first, kProgram, {.devices = devices});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->devices(), devices);
  const Signature &signature = program->signature();
  EXPECT_THAT(signature.arguments[0].type.dims, ElementsAre(2, 3));
  EXPECT_THAT(signature.arguments[0].division.wholeDims, ElementsAre(4, 3));
  EXPECT_THAT(signature.arguments[0].division.positions,
              ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0)));
  EXPECT_THAT(signature.results[1].division.wholeDims, IsEmpty());

  absl::StatusOr<Execution> run = program->run(std::vector{part(slice[6], 1), part(slice[0], 7)});
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<Buffer> &results = run->results();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_THAT(values(results[0]), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(values(results[2]), ElementsAre(14, 16, 18, 20, 22, 24));
  for (const Buffer &sums : {results[1], results[3]})
    EXPECT_THAT(values(sums), ElementsAre(22, 26, 30));
  EXPECT_GT(run->report()->cycles, 0);

  // A loaded executable runs on the devices that it was compiled for, and its results are arguments.
  const absl::StatusOr<Executable> loaded = Executable::load(slice[3], *program->serialize());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->devices(), devices);
  run = loaded->run(std::vector{results[0], results[2]});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(values(run->results()[3]), ElementsAre(44, 52, 60));
}

TEST_F(SliceTest, RefusesWhatDoesNotFit) {
  const Device other = *Device::create({.target = "v3-8"});
  EXPECT_EQ(compile(first, kProgram, {.devices = {slice[0], other}}).status(),
            absl::InvalidArgumentError("the devices of a program are of several slices"));
  EXPECT_EQ(compile(first, kProgram, {.devices = {slice[4], slice[4]}}).status(),
            absl::InvalidArgumentError("device 4 is given twice for one program"));
  for (const std::vector<Device> &devices : {std::vector<Device>(), {slice.begin(), slice.end()}})
    EXPECT_EQ(compile(first, kProgram, {.devices = devices}).status().code(),
              absl::StatusCode::kInvalidArgument);
  const Executable program = *compile(first, kProgram, {.devices = {slice[0], slice[1]}});
  EXPECT_EQ(
      program.run(std::vector{part(slice[0], 0)}).status(),
      absl::InvalidArgumentError("sums has 1 argument on each of 2 devices, but 1 was given"));
  EXPECT_EQ(program.run(std::vector{part(slice[0], 0), part(slice[2], 0)}).status(),
            absl::InvalidArgumentError("argument 0 of sums on device 1 is on another device"));
  // A list of one device is of a program of one.
  const char *const one = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : "
                          "tensor<2x3xf32> }";
  EXPECT_EQ(compile(first, one, {.devices = {slice[3]}})->device(), slice[3]);
  EXPECT_EQ(compile(slice[2], one)->device(), slice[2]);
  const Device small = *Device::create({.target = "v3"});
  EXPECT_EQ(Executable::load(small, *program.serialize()).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

} // namespace
} // namespace systole
