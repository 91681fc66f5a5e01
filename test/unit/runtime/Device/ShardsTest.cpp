// Whole arrays and the parts of them that cores have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/Machine/Program/program.pb.h"

namespace systole {
namespace {

using Bytes = std::vector<uint8_t>;

program::Tensor tensorOf(const std::string &dtype, const std::vector<int64_t> &dims,
                         const std::vector<int64_t> &whole, const std::vector<int64_t> &positions) {
  program::Tensor tensor;
  tensor.set_dtype(dtype);
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.mutable_whole_dims()->Assign(whole.begin(), whole.end());
  tensor.mutable_core_positions()->Assign(positions.begin(), positions.end());
  for (int64_t dim = int64_t(dims.size()); dim-- > 0;)
    tensor.mutable_layout()->add_minor_to_major(dim);
  return tensor;
}

HostArray iota(const std::string &dtype, const std::vector<int64_t> &dims, size_t bytes) {
  HostArray array{dtype, dims, Bytes(bytes)};
  for (size_t i = 0; i < bytes; ++i)
    array.bytes[i] = uint8_t(i);
  return array;
}

// Of 4 x 6 bytes the element [i, j] is 6 i + j.
TEST(Shards, DividesEachDimension) {
  const HostArray whole = iota("i8", {4, 6}, 24);
  struct Case {
    std::vector<int64_t> dims, position;
    Bytes part;
  };
  const Case cases[] = {
      {{2, 6}, {1, 0}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {{4, 2}, {0, 1}, {2, 3, 8, 9, 14, 15, 20, 21}},
      {{2, 3}, {1, 1}, {15, 16, 17, 21, 22, 23}},
      {{1, 1}, {3, 5}, {23}},
      {{4, 6}, {0, 0}, whole.bytes},
  };
  for (const Case &c : cases) {
    const HostArray part = shardOf(whole, tensorOf("i8", c.dims, {4, 6}, c.position), 0);
    EXPECT_EQ(part.dims, c.dims);
    EXPECT_EQ(part.bytes, c.part) << testing::PrintToString(c.dims);
  }
}

// [i, j, k] of 2 x 4 x 3 elements is 12 i + 3 j + k.
TEST(Shards, DimensionsBehindTheDividedOneStayTogether) {
  const program::Tensor tensor = tensorOf("i8", {2, 2, 3}, {2, 4, 3}, {0, 1, 0});
  EXPECT_EQ(shardOf(iota("i8", {2, 4, 3}, 24), tensor, 0).bytes,
            (Bytes{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
}

TEST(Shards, ElementsOfSeveralBytes) {
  const program::Tensor tensor = tensorOf("f32", {1, 1}, {1, 2}, {0, 1, 0, 0});
  const HostArray whole = iota("f32", {1, 2}, 8);
  EXPECT_EQ(shardOf(whole, tensor, 0).bytes, (Bytes{4, 5, 6, 7}));
  EXPECT_EQ(shardOf(whole, tensor, 1).bytes, (Bytes{0, 1, 2, 3}));
}

TEST(Shards, NoElements) {
  const program::Tensor tensor = tensorOf("f32", {0, 2}, {0, 4}, {0, 0, 0, 1});
  EXPECT_EQ(shardOf(iota("f32", {0, 4}, 0), tensor, 1).bytes, Bytes());
  ShardAssembler whole(tensor);
  for (int core = 0; core < 2; ++core)
    EXPECT_EQ(whole.add(iota("f32", {0, 2}, 0)), absl::OkStatus());
  EXPECT_EQ(std::move(whole).take().dims, (std::vector<int64_t>{0, 4}));
}

// Cores 0 and 3 have the upper left quarter.
TEST(Shards, AssemblesWhatItDivides) {
  const program::Tensor tensor = tensorOf("f32", {2, 3}, {4, 6}, {0, 0, 1, 1, 0, 1, 0, 0, 1, 0});
  const HostArray whole = iota("f32", {4, 6}, 96);
  ShardAssembler again(tensor);
  for (int core = 0; core < 5; ++core)
    ASSERT_EQ(again.add(shardOf(whole, tensor, core)), absl::OkStatus());
  const HostArray assembled = std::move(again).take();
  EXPECT_EQ(assembled.dims, whole.dims);
  EXPECT_EQ(assembled.dtype, "f32");
  EXPECT_EQ(assembled.bytes, whole.bytes);
}

TEST(Shards, NamesCoresThatDiffer) {
  const program::Tensor tensor = tensorOf("f32", {2, 3}, {4, 3}, {0, 0, 1, 0, 1, 0});
  ShardAssembler whole(tensor);
  HostArray part = iota("f32", {2, 3}, 24);
  EXPECT_EQ(whole.add(part), absl::OkStatus());
  EXPECT_EQ(whole.add(part), absl::OkStatus());
  part.bytes[17] ^= 1; // of element 4
  const absl::Status status = whole.add(part);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "cores 1 and 2 have the same part with different values from element [1, 1] on");
}

TEST(Shards, CoresHaveTheSameArrayIfItIsNotDivided) {
  const program::Tensor tensor = tensorOf("i8", {2, 3}, {}, {});
  ShardAssembler whole(tensor);
  HostArray array = iota("i8", {2, 3}, 6);
  EXPECT_EQ(whole.add(array), absl::OkStatus());
  EXPECT_EQ(whole.add(array), absl::OkStatus());
  array.bytes[5] = 0;
  EXPECT_EQ(whole.add(array).message(),
            "cores 0 and 2 have the same part with different values from element [1, 2] on");
  EXPECT_EQ(whole.add(iota("i8", {1, 3}, 3)).message(),
            "cores 0 and 3 have the same part with different sizes");
  EXPECT_EQ(std::move(whole).take().bytes, iota("i8", {2, 3}, 6).bytes);
}

} // namespace
} // namespace systole
