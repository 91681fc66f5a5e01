// A queue of arrays: order, types, ends, cancellation, threads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/ArrayQueue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using namespace systole;
using ::testing::ElementsAre;

namespace {

HostArray bytes(std::vector<uint8_t> values) {
  return {"ui8", {int64_t(values.size())}, std::move(values)};
}

TEST(ArrayQueue, IsFirstInFirstOut) {
  ArrayQueue queue("infeed");
  queue.put(bytes({1, 2}));
  queue.put(bytes({3}));
  EXPECT_THAT(queue.take({"ui8", {2}, {}}, nullptr)->bytes, ElementsAre(1, 2));
  EXPECT_THAT(queue.take({"ui8", {1}, {}}, nullptr)->bytes, ElementsAre(3));
}

TEST(ArrayQueue, ArraysOfAnotherTypeStay) {
  ArrayQueue queue("infeed");
  queue.put(bytes({1, 2}));
  const absl::Status status = queue.take({"i8", {2}, {}}, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "the next array of the infeed is tensor<2xui8>, where tensor<2xi8> is expected");
  EXPECT_FALSE(queue.take({"ui8", {1}, {}}, nullptr).ok());
  EXPECT_TRUE(queue.take({"ui8", {2}, {}}, nullptr).ok());
}

TEST(ArrayQueue, AnEndHoldsUntilTheNextArray) {
  ArrayQueue queue("outfeed");
  queue.put(bytes({1}));
  queue.end();
  EXPECT_TRUE(queue.take({"ui8", {1}, {}}, nullptr).ok());
  const absl::Status status = queue.take({"ui8", {}, {}}, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "the outfeed has ended, where tensor<ui8> is expected");
  queue.put(bytes({2}));
  EXPECT_TRUE(queue.take({"ui8", {1}, {}}, nullptr).ok());
}

TEST(ArrayQueue, WaitsForArrays) {
  ArrayQueue queue("infeed");
  std::thread other([&] { queue.put(bytes({9})); });
  EXPECT_THAT(queue.take({"ui8", {1}, {}}, nullptr)->bytes, ElementsAre(9));
  other.join();
}

TEST(ArrayQueue, WaitingIsCancelled) {
  ArrayQueue queue("infeed");
  std::atomic<bool> cancel = false;
  std::thread other([&] { cancel = true; });
  EXPECT_EQ(queue.take({"ui8", {1}, {}}, &cancel).status().code(), absl::StatusCode::kCancelled);
  other.join();
}

} // namespace
