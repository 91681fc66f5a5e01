// The HBM of a device: bytes in use, and allocation failures.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Hbm.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

std::shared_ptr<const ArrayType> bytes(int64_t count) {
  const int64_t dims[] = {count};
  return *ArrayType::create("i8", dims);
}

std::shared_ptr<Hbm> memory(int64_t bytes) {
  return std::make_shared<Hbm>(
      std::make_shared<MachineMemory>(std::max<int64_t>(1, bytes / 512), 32), bytes);
}

TEST(Hbm, CountsLiveBytes) {
  auto hbm = memory(10 * 1024);
  auto a = *hbm->allocate(bytes(1000)); // 1,000 bytes in eight rows of 128: two of 512
  EXPECT_EQ(hbm->usage().inUse, 1024);
  auto b = *hbm->allocate(bytes(4096));
  a = nullptr;
  EXPECT_EQ(hbm->usage().inUse, 4096);
  EXPECT_EQ(hbm->usage().peak, 5120);
  EXPECT_EQ(hbm->usage().largest, 4096);
  EXPECT_EQ(hbm->usage().allocations, 2);
}

TEST(Hbm, RefusesAllocationsThatDoNotFit) {
  auto hbm = memory(4096);
  auto all = *hbm->allocate(bytes(4096));
  absl::Status status = hbm->allocate(bytes(1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "out of HBM: tensor<1xi8> takes 1024 bytes, and of 4096 bytes 4096 "
                              "are in use");
  EXPECT_FALSE(hbm->checkRoom(1, "it").ok());
  EXPECT_TRUE(hbm->checkRoom(0, "it").ok());
  all = nullptr;
  EXPECT_TRUE(hbm->allocate(bytes(1)).ok());
}

// Free bytes are in many places, of which none has room for it.
TEST(Hbm, HasRoomHoweverArraysAreScattered) {
  auto hbm = memory(64 << 10);
  std::vector<std::shared_ptr<DeviceArray>> arrays;
  for (int i = 0; i < 16; ++i)
    arrays.push_back(*hbm->allocate(bytes(4096)));
  for (int i = 0; i < 16; i += 2)
    arrays[size_t(i)] = nullptr;
  EXPECT_TRUE(hbm->allocate(bytes(32 << 10)).ok());
}

TEST(Hbm, ArraysAreZerosWhateverWasThere) {
  auto hbm = memory(1 << 20);
  for (const int64_t size : {8, 512, 4096, 100'000, 300'000}) {
    auto type = bytes(size);
    auto old = *hbm->allocate(type);
    std::ranges::fill(old->mutableBytes(), 0xff);
    const int64_t row = old->row();
    old = nullptr;
    auto array = *hbm->allocate(type);
    EXPECT_EQ(array->row(), row);
    EXPECT_TRUE(std::ranges::all_of(array->bytes(), [](uint8_t byte) { return byte == 0; }));
  }
}

TEST(Hbm, SmallArraysKeepTheirElements) {
  auto hbm = memory(1 << 30);
  for (auto dtype : {"i8", "bf16", "f32", "i64"})
    for (std::vector<int64_t> dims :
         {std::vector<int64_t>{}, {1}, {7}, {127}, {129}, {3, 5}, {9, 130}, {2, 3, 4}, {200, 3}}) {
      auto type = *ArrayType::create(dtype, dims);
      auto array = *hbm->allocate(type), copy = *hbm->allocate(type);
      std::vector<uint8_t> host(static_cast<size_t>(type->hostBytes())), back(host.size());
      for (size_t i = 0; i < host.size(); ++i)
        host[i] = static_cast<uint8_t>(17 * i + 3);
      array->fill(host.data());
      copy->copyFrom(*array);
      copy->fetch(back.data());
      EXPECT_EQ(host, back) << type->toString();
      std::vector<uint8_t> laidOut(size_t(array->size()));
      type->toDevice(host.data(), laidOut.data());
      EXPECT_TRUE(std::ranges::equal(array->bytes(), laidOut)) << type->toString();
    }
}

TEST(Hbm, EmptyArraysTakeNothing) {
  auto hbm = memory(0);
  auto empty = hbm->allocate(bytes(0));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->size(), 0);
}

} // namespace
} // namespace systole
