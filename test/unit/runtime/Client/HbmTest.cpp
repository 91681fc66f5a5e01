// The HBM of a device: bytes in use, and allocation failures.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Hbm.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

std::shared_ptr<const ArrayType> bytes(int64_t count) {
  const int64_t dims[] = {count};
  return *ArrayType::create("i8", dims);
}

TEST(Hbm, CountsLiveBytes) {
  auto hbm = std::make_shared<Hbm>(10 * 1024);
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
  auto hbm = std::make_shared<Hbm>(4096);
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

// The host keeps rows up to the last element; the device has eight logical rows or more.
TEST(Hbm, SmallArraysTakeLittleOfTheHost) {
  auto hbm = std::make_shared<Hbm>(1 << 30);
  auto array = [&](const char *dtype, std::vector<int64_t> dims) {
    return *hbm->allocate(*ArrayType::create(dtype, dims));
  };
  EXPECT_EQ(array("f32", {})->hostSize(), 4);
  EXPECT_EQ(array("f32", {})->size(), 8 * 512);
  EXPECT_EQ(array("bf16", {5})->hostSize(), 5 * 4); // the low halves of five cells
  EXPECT_EQ(array("f32", {130})->hostSize(), 512 + 2 * 4);
  EXPECT_EQ(array("i8", {130})->hostSize(), 512); // beside the full row are two cells' bytes
  EXPECT_EQ(array("f32", {3, 7})->hostSize(), 2 * 512 + 7 * 4);
  EXPECT_EQ(array("i8", {6, 7})->hostSize(), 512 + 7 * 4);
  EXPECT_EQ(array("i64", {3})->hostSize(), array("i64", {3})->size()); // in two planes
  EXPECT_EQ(array("f32", {1000, 100})->hostSize(), 1000 * 512);
}

TEST(Hbm, SmallArraysKeepTheirElements) {
  auto hbm = std::make_shared<Hbm>(1 << 30);
  for (auto dtype : {"i8", "bf16", "f32", "i64"})
    for (std::vector<int64_t> dims :
         {std::vector<int64_t>{}, {1}, {7}, {127}, {129}, {3, 5}, {9, 130}, {2, 3, 4}, {200, 3}}) {
      auto type = *ArrayType::create(dtype, dims);
      auto array = *hbm->allocate(type), copy = *hbm->allocate(type);
      std::vector<uint8_t> host(static_cast<size_t>(type->hostBytes())), back(host.size());
      for (size_t i = 0; i < host.size(); ++i)
        host[i] = static_cast<uint8_t>(17 * i + 3);
      array->fill(host.data());
      std::vector<uint8_t> region(static_cast<size_t>(array->size()), 0xff);
      array->copyTo(region.data());
      copy->copyFrom(region.data());
      copy->fetch(back.data());
      EXPECT_EQ(host, back) << type->toString();
      std::vector<uint8_t> laidOut(region.size());
      type->toDevice(host.data(), laidOut.data());
      EXPECT_EQ(region, laidOut) << type->toString();
    }
}

TEST(Hbm, EmptyArraysTakeNothing) {
  auto hbm = std::make_shared<Hbm>(0);
  auto empty = hbm->allocate(bytes(0));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->size(), 0);
}

} // namespace
} // namespace systole
