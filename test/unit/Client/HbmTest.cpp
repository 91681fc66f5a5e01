// The HBM of a device: what is in use, and when it is full.
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

TEST(Hbm, CountsWhatIsAlive) {
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

TEST(Hbm, RefusesWhatDoesNotFit) {
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

TEST(Hbm, EmptyArraysTakeNothing) {
  auto hbm = std::make_shared<Hbm>(0);
  auto empty = hbm->allocate(bytes(0));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->size(), 0);
}

} // namespace
} // namespace systole
