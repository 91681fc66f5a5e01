// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/TapQueue.h"

#include <thread>

#include <gtest/gtest.h>

namespace systole::numerics {
namespace {

TapMessage message(int core, int64_t channel, std::span<const uint8_t> bytes) {
  return {core, channel, "f32", {}, bytes};
}

TEST(TapQueue, HandsMessagesOverInTheOrderOfEachCore) {
  TapQueue queue(2, 1 << 20);
  const std::vector<uint8_t> bytes = {1, 2, 3, 4};
  for (int channel = 0; channel < 3; ++channel)
    for (int core = 0; core < 2; ++core)
      queue.put(message(core, 10 * core + channel, bytes));
  queue.finish(absl::OkStatus());
  for (int core : {1, 0})
    for (int channel = 0; channel < 3; ++channel)
      EXPECT_EQ((*queue.take(core))->channel, 10 * core + channel);
  EXPECT_EQ(*queue.take(0), std::nullopt);
}

// A writer of large messages does not run ahead, nor does it wait for a reader that waits for it.
TEST(TapQueue, WaitsWithoutDeadlock) {
  constexpr int kMessages = 200;
  TapQueue queue(2, 16);
  const std::vector<uint8_t> bytes(100);
  std::thread writer([&] {
    for (int i = 0; i < kMessages; ++i)
      queue.put(message(0, i, bytes));
    queue.put(message(1, 7, bytes));
    queue.finish(absl::OkStatus());
  });
  // The reader begins with the core that is written last.
  EXPECT_EQ((*queue.take(1))->channel, 7);
  for (int i = 0; i < kMessages; ++i)
    EXPECT_EQ((*queue.take(0))->channel, i);
  writer.join();
}

TEST(TapQueue, TellsTheErrorOfTheOtherRun) {
  TapQueue queue(1, 16);
  queue.finish(absl::InternalError("trap"));
  EXPECT_EQ(queue.take(0).status(), absl::InternalError("trap"));
}

TEST(TapQueue, ForgetsWhatNobodyReads) {
  TapQueue queue(1, 0);
  std::thread reader([&] { queue.close(); });
  queue.put(message(0, 1, {}));
  reader.join();
  queue.put(message(0, 2, {}));
  queue.finish(absl::OkStatus());
  EXPECT_EQ(*queue.take(0), std::nullopt);
}

TEST(TapQueue, KnowsWhatIsLeft) {
  TapQueue queue(2, 100);
  int asked = 0;
  EXPECT_FALSE(queue.rest([&] { return ++asked < 3; }));
  EXPECT_EQ(asked, 3);
  queue.put(message(1, 8, {}));
  EXPECT_EQ(queue.rest([] { return true; })->channel, 8);
  ASSERT_TRUE(queue.take(1).ok());
  queue.finish(absl::OkStatus());
  EXPECT_FALSE(queue.rest([] { return true; }));
}

} // namespace
} // namespace systole::numerics
